/* cli_clock.h - time that goes on while the machine sleeps.
 *
 * The same clock as the library's, CLOCK_BOOTTIME. A timer on it fires at once
 * when a machine wakes up after the moment, which the timeouts of poll() do
 * not: they stand still meanwhile, and a lease does not.
 */
#ifndef HOLDFAST_CLI_CLOCK_H
#define HOLDFAST_CLI_CLOCK_H

#include <stdint.h>

#define CLI_CLOCK_NEVER INT64_MAX

int64_t cli_clock_now_ms(void);

/* A descriptor that becomes readable at the moment it is set to; -1 on
 * failure. */
int cli_clock_timer(void);
void cli_clock_set(int timer_fd, int64_t at_ms);

#endif
