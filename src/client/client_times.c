/* client_times.c - the arithmetic of leases and pauses. */
#include "client/client_times.h"

#include <time.h>

/* Without leases to lose there is no hurry. */
#define CLIENT_TIMES_SILENCE_MAX_MS 1000
#define CLIENT_TIMES_STALL_MAX_MS 4000
#define CLIENT_TIMES_IDLE_MAX_MS 1000

/* Shorter than this is a busy machine, not a dead one. */
#define CLIENT_TIMES_SILENCE_MIN_MS 40
#define CLIENT_TIMES_STALL_MIN_MS 100
#define CLIENT_TIMES_IDLE_MIN_MS 100

#define CLIENT_TIMES_STRIKES_MAX 5

static int64_t client_times_limit(int64_t wanted, int64_t least, int64_t most,
                                  unsigned strikes);

int64_t client_times_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t client_times_add(int64_t time, int64_t ms)
{
    if (ms < 0 || ms >= CLIENT_NEVER - time) {
        return CLIENT_NEVER;
    }
    return time + ms;
}

int64_t client_times_min(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

int64_t client_times_renew_at(int64_t sent_at, uint32_t ttl_ms)
{
    return sent_at + ttl_ms / 3;
}

int64_t client_times_lost_at(int64_t sent_at, uint32_t ttl_ms)
{
    return sent_at + ttl_ms / 2;
}

bool client_times_is_stale(int64_t sent_at, uint32_t ttl_ms, int64_t now)
{
    return now >= client_times_renew_at(sent_at, ttl_ms);
}

int64_t client_times_silence_ms(uint32_t ttl_ms, unsigned strikes)
{
    const int64_t wanted =
        ttl_ms > 0 ? ttl_ms / 24 : CLIENT_TIMES_SILENCE_MAX_MS;
    return client_times_limit(wanted, CLIENT_TIMES_SILENCE_MIN_MS,
                              CLIENT_TIMES_SILENCE_MAX_MS, strikes);
}

int64_t client_times_stall_ms(uint32_t ttl_ms, unsigned strikes)
{
    const int64_t wanted = ttl_ms > 0 ? ttl_ms / 12 : CLIENT_TIMES_STALL_MAX_MS;
    return client_times_limit(wanted, CLIENT_TIMES_STALL_MIN_MS,
                              CLIENT_TIMES_STALL_MAX_MS, strikes);
}

int64_t client_times_idle_ms(uint32_t ttl_ms, unsigned strikes)
{
    const int64_t wanted = ttl_ms > 0 ? ttl_ms / 6 : CLIENT_TIMES_IDLE_MAX_MS;
    return client_times_limit(wanted, CLIENT_TIMES_IDLE_MIN_MS,
                              CLIENT_TIMES_IDLE_MAX_MS, strikes);
}

int64_t client_times_backoff_ms(unsigned min_ms, unsigned max_ms,
                                unsigned attempt, uint64_t chance)
{
    const uint64_t most = max_ms > min_ms ? max_ms : min_ms;
    uint64_t pause = min_ms;
    while (attempt > 0 && pause < most) {
        pause *= 2;
        attempt--;
    }
    if (pause > most) {
        pause = most;
    }
    const uint64_t lower = pause / 2;
    return (int64_t)(lower + chance % (pause - lower + 1));
}

uint64_t client_times_chance(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mixed = *state;
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

static int64_t client_times_limit(int64_t wanted, int64_t least, int64_t most,
                                  unsigned strikes)
{
    if (strikes > CLIENT_TIMES_STRIKES_MAX) {
        strikes = CLIENT_TIMES_STRIKES_MAX;
    }
    int64_t limit = wanted < least ? least : wanted;
    limit = limit > most ? most : limit;
    return limit << strikes;
}
