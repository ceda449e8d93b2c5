/* sim_faults.c - a counter for each class of faults.
 *
 * To extend: rows in sim_faults.h; nothing here names a class.
 */
#include "sim/sim_faults.h"

#include <inttypes.h>
#include <stdio.h>

const char *sim_fault_text(enum sim_fault fault)
{
    static const char *const texts[SIM_FAULTS_COUNT] = {
#define SIM_FAULT_TEXT(name, text) [name] = text,
        SIM_FAULT_LIST(SIM_FAULT_TEXT)
#undef SIM_FAULT_TEXT
    };
    return texts[fault];
}

void sim_faults_add(struct sim_faults *faults, enum sim_fault fault,
                    uint64_t times)
{
    faults->fired[fault] += times;
}

void sim_faults_merge(struct sim_faults *total, const struct sim_faults *more)
{
    for (size_t i = 0; i < SIM_FAULTS_COUNT; i++) {
        total->fired[i] += more->fired[i];
    }
}

void sim_faults_print(const struct sim_faults *faults)
{
    for (size_t i = 0; i < SIM_FAULTS_COUNT; i++) {
        printf("fault %-36s %12" PRIu64 "\n", sim_fault_text((enum sim_fault)i),
               faults->fired[i]);
    }
}

bool sim_faults_missing(const struct sim_faults *faults, const char **text)
{
    for (size_t i = 0; i < SIM_FAULTS_COUNT; i++) {
        if (faults->fired[i] == 0) {
            *text = sim_fault_text((enum sim_fault)i);
            return true;
        }
    }
    return false;
}
