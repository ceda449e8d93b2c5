/* sim_clock.c - a straight line since the last change of the clock.
 *
 * To extend: every change first rebases, so that what the node saw so far
 * stays seen.
 */
#include "sim/sim_clock.h"

#include "base/ensure.h"

#define SIM_CLOCK_MILLION UINT64_C(1000000)

static uint64_t sim_clock_local_us(const struct sim_clock *clock,
                                   time_us_t now);
static void sim_clock_rebase(struct sim_clock *clock, time_us_t now);

void sim_clock_init(struct sim_clock *clock, time_us_t now, time_ms_t local_ms,
                    uint64_t rate_ppm)
{
    clock->base = now;
    clock->base_local_us = local_ms * 1000;
    clock->rate_ppm = rate_ppm;
}

time_ms_t sim_clock_read(const struct sim_clock *clock, time_us_t now)
{
    return sim_clock_local_us(clock, now) / 1000;
}

time_us_t sim_clock_when(const struct sim_clock *clock, time_us_t now,
                         time_ms_t deadline_ms)
{
    if (deadline_ms == TIME_NEVER) {
        return UINT64_MAX;
    }
    if (sim_clock_read(clock, now) >= deadline_ms) {
        return now;
    }
    const uint64_t missing_us = deadline_ms * 1000 - clock->base_local_us;
    time_us_t when =
        clock->base + missing_us * SIM_CLOCK_MILLION / clock->rate_ppm;
    while (sim_clock_read(clock, when) < deadline_ms) {
        when++;
    }
    ENSURE(when >= now);
    return when;
}

void sim_clock_jump(struct sim_clock *clock, time_us_t now,
                    time_ms_t forward_ms)
{
    sim_clock_rebase(clock, now);
    clock->base_local_us += forward_ms * 1000;
}

void sim_clock_set_rate(struct sim_clock *clock, time_us_t now,
                        uint64_t rate_ppm)
{
    ENSURE(rate_ppm > 0);

    sim_clock_rebase(clock, now);
    clock->rate_ppm = rate_ppm;
}

static uint64_t sim_clock_local_us(const struct sim_clock *clock, time_us_t now)
{
    ENSURE(now >= clock->base);

    return clock->base_local_us +
           (now - clock->base) * clock->rate_ppm / SIM_CLOCK_MILLION;
}

static void sim_clock_rebase(struct sim_clock *clock, time_us_t now)
{
    clock->base_local_us = sim_clock_local_us(clock, now);
    clock->base = now;
}
