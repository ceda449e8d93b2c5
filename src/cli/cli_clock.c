/* cli_clock.c - time that goes on while the machine sleeps. */
#include "cli/cli_clock.h"

#include <sys/timerfd.h>
#include <time.h>

#include "base/ensure.h"

int64_t cli_clock_now_ms(void)
{
    struct timespec now;
    ENSURE(clock_gettime(CLOCK_BOOTTIME, &now) == 0);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int cli_clock_timer(void)
{
    return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
}

/* Setting it also makes it unreadable, so nobody has to read it. */
void cli_clock_set(int timer_fd, int64_t at_ms)
{
    struct itimerspec when = {{0, 0}, {0, 0}};
    if (at_ms != CLI_CLOCK_NEVER) {
        /* Zero would switch it off. */
        const int64_t at = at_ms > 0 ? at_ms : 1;
        when.it_value.tv_sec = (time_t)(at / 1000);
        when.it_value.tv_nsec = (long)(at % 1000 * 1000000);
    }
    ENSURE(timerfd_settime(timer_fd, TFD_TIMER_ABSTIME, &when, NULL) == 0);
}
