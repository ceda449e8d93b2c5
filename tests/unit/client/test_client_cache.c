/* test_client_cache.c - the state machine of cached locks, in every order.
 *
 * A few tests tell the story. Then a world that may do anything at any time -
 * threads that come and go, a server that grants, refuses and fails, messages
 * that are early, late, repeated or lost - is walked through completely: every
 * state that can be reached within some cycles is visited, every event is tried
 * in each, and what must hold is checked after every step.
 */
#include "client/client_cache.h"

#include <stdlib.h>
#include <string.h>

#include "lib/check_runner.h"

static struct client_cache cache;

static void begin(bool shared)
{
    client_cache_init(&cache, shared);
}

/* ---- the story ---- */

START_TEST(the_first_who_wants_it_asks_and_takes_it)
{
    begin(false);
    ck_assert(!client_cache_take(&cache, true));
    ck_assert_uint_eq(client_cache_want(&cache), CLIENT_CACHE_ASK);
    ck_assert_uint_eq(client_cache_granted(&cache, 1, 10), CLIENT_CACHE_WAKE);
    ck_assert(client_cache_take(&cache, true));
    ck_assert_uint_eq(client_cache_unwant(&cache), 0);
    ck_assert_int_eq(cache.state, CLIENT_CACHE_LOCKED);
}
END_TEST

/* Held under token 10, by one thread; nobody waits. */
static void hold(bool shared)
{
    begin(shared);
    (void)client_cache_want(&cache);
    (void)client_cache_granted(&cache, 1, 10);
    ck_assert(client_cache_take(&cache, true));
    (void)client_cache_unwant(&cache);
}

static unsigned give(uint64_t token, bool expect_lost)
{
    bool was_lost;
    const unsigned acts = client_cache_give(&cache, token, &was_lost);
    ck_assert_int_eq(was_lost, expect_lost);
    return acts;
}

START_TEST(threads_pass_it_on_without_a_word)
{
    hold(false);
    for (int i = 0; i < 5; i++) {
        ck_assert_uint_eq(give(10, false), 0);
        ck_assert_int_eq(cache.state, CLIENT_CACHE_FREE);
        ck_assert(client_cache_take(&cache, true));
        ck_assert(!client_cache_take(&cache, true));
    }
}
END_TEST

START_TEST(a_revoke_while_free_gives_it_back_at_once)
{
    hold(false);
    (void)give(10, false);
    ck_assert_uint_eq(client_cache_revoke(&cache, 10), CLIENT_CACHE_RELEASE);
    ck_assert(!client_cache_take(&cache, true));
    ck_assert_uint_eq(client_cache_released(&cache, 1), 0);
    ck_assert_int_eq(cache.state, CLIENT_CACHE_NONE);
}
END_TEST

START_TEST(a_revoke_while_used_keeps_the_next_thread_out)
{
    hold(false);
    ck_assert_uint_eq(client_cache_want(&cache), 0);
    ck_assert_uint_eq(client_cache_revoke(&cache, 10), 0);
    ck_assert_uint_eq(give(10, false), CLIENT_CACHE_RELEASE);
    ck_assert(!client_cache_take(&cache, true));
    /* The thread that waits asks again, behind the others. */
    ck_assert_uint_eq(client_cache_released(&cache, 1), CLIENT_CACHE_ASK);
    ck_assert_uint_eq(cache.cycle, 2);
}
END_TEST

START_TEST(a_revoke_before_the_answer_is_remembered)
{
    begin(false);
    (void)client_cache_want(&cache);
    ck_assert_uint_eq(client_cache_revoke(&cache, 10), 0);
    ck_assert_uint_eq(client_cache_granted(&cache, 1, 10), CLIENT_CACHE_WAKE);
    ck_assert(client_cache_take(&cache, true)); /* one use */
    (void)client_cache_unwant(&cache);
    ck_assert_uint_eq(give(10, false), CLIENT_CACHE_RELEASE);
}
END_TEST

START_TEST(a_late_revoke_is_ignored)
{
    hold(false);
    ck_assert_uint_eq(client_cache_revoke(&cache, 9), 0);
    ck_assert_uint_eq(give(10, false), 0);
    ck_assert_int_eq(cache.state, CLIENT_CACHE_FREE);
}
END_TEST

START_TEST(a_revoke_before_the_first_use_lets_it_be)
{
    begin(false);
    (void)client_cache_want(&cache);
    (void)client_cache_want(&cache);
    (void)client_cache_granted(&cache, 1, 10);
    ck_assert_uint_eq(client_cache_revoke(&cache, 10), 0);
    ck_assert(client_cache_take(&cache, true));
    (void)client_cache_unwant(&cache);
    ck_assert_uint_eq(give(10, false), CLIENT_CACHE_RELEASE);
    ck_assert(!client_cache_take(&cache, true));
}
END_TEST

START_TEST(a_revoke_that_nobody_is_left_to_use_it_gives_it_back)
{
    begin(false);
    (void)client_cache_want(&cache);
    (void)client_cache_granted(&cache, 1, 10);
    ck_assert_uint_eq(client_cache_revoke(&cache, 10), 0);
    ck_assert_uint_eq(client_cache_unwant(&cache), CLIENT_CACHE_RELEASE);
}
END_TEST

START_TEST(a_connection_lost_before_the_grant_makes_it_be_used_once)
{
    begin(false);
    (void)client_cache_want(&cache);
    (void)client_cache_want(&cache);
    (void)client_cache_parted(&cache);
    (void)client_cache_granted(&cache, 1, 10);
    ck_assert(client_cache_take(&cache, true));
    (void)client_cache_unwant(&cache);
    ck_assert_uint_eq(give(10, false), CLIENT_CACHE_RELEASE);
    ck_assert(!client_cache_take(&cache, true));
}
END_TEST

START_TEST(a_retry_before_the_refusal_is_remembered)
{
    begin(false);
    (void)client_cache_want(&cache);
    ck_assert_uint_eq(client_cache_retry(&cache), 0);
    ck_assert_uint_eq(client_cache_refused(&cache, 1), CLIENT_CACHE_AGAIN);
    ck_assert_uint_eq(client_cache_refused(&cache, 1), 0);
    ck_assert_uint_eq(client_cache_retry(&cache), CLIENT_CACHE_AGAIN);
}
END_TEST

START_TEST(a_lost_lease_leaves_its_user_behind)
{
    hold(false);
    (void)client_cache_want(&cache);
    ck_assert_uint_eq(client_cache_lost(&cache, 1), CLIENT_CACHE_ASK);
    (void)client_cache_granted(&cache, 2, 20);
    ck_assert(client_cache_take(&cache, true));
    /* The old user does not disturb the new one. */
    ck_assert_uint_eq(give(10, true), 0);
    ck_assert_int_eq(cache.state, CLIENT_CACHE_LOCKED);
    ck_assert_uint_eq(cache.users, 1);
}
END_TEST

START_TEST(what_is_lost_while_it_is_given_back_is_not_waited_for)
{
    hold(false);
    (void)client_cache_want(&cache);
    (void)client_cache_parted(&cache);
    ck_assert_uint_eq(give(10, false), CLIENT_CACHE_RELEASE);
    ck_assert_uint_eq(client_cache_lost(&cache, 1), CLIENT_CACHE_ASK);
    ck_assert_uint_eq(client_cache_released(&cache, 1), 0);
    ck_assert_int_eq(cache.state, CLIENT_CACHE_ACQUIRING);
}
END_TEST

START_TEST(a_lease_whose_time_is_over_is_not_taken)
{
    hold(false);
    (void)give(10, false);
    ck_assert(!client_cache_take(&cache, false));
}
END_TEST

START_TEST(a_parted_connection_empties_the_cache)
{
    hold(false);
    ck_assert_uint_eq(client_cache_parted(&cache), 0);
    ck_assert_uint_eq(give(10, false), CLIENT_CACHE_RELEASE);

    hold(false);
    (void)give(10, false);
    ck_assert_uint_eq(client_cache_parted(&cache), CLIENT_CACHE_RELEASE);
}
END_TEST

START_TEST(a_shared_grant_is_had_by_many_and_given_back_by_the_last)
{
    hold(true);
    ck_assert(client_cache_take(&cache, true));
    ck_assert_uint_eq(client_cache_revoke(&cache, 10), 0);
    ck_assert(!client_cache_take(&cache, true));
    ck_assert_uint_eq(give(10, false), 0);
    ck_assert_uint_eq(give(10, false), CLIENT_CACHE_RELEASE);
}
END_TEST

START_TEST(a_failure_is_told_to_all_who_wait)
{
    begin(false);
    (void)client_cache_want(&cache);
    ck_assert_uint_eq(client_cache_failed(&cache, 1), CLIENT_CACHE_FAIL);
    ck_assert_int_eq(cache.state, CLIENT_CACHE_NONE);
    ck_assert_uint_eq(client_cache_failed(&cache, 1), 0);
}
END_TEST

/* ---- every order ---- */

#define CYCLES 3
#define WAITERS 2
#define USERS 2
#define STATES_MAX 400000
#define SLOTS (1u << 20)

/* What the machine cannot see. Kept small: all of it is part of a state. */
struct world {
    struct client_cache machine;
    uint8_t lease; /* of the present cycle: 0 none, 1 asked, 2 held, 3
                           being given back */
    uint8_t users; /* of the present grant */
    uint8_t stale; /* users whose grant was lost, at most 1 is kept */
    uint8_t stale_token;
    uint8_t contended;  /* others are known to wait for the present grant */
    uint8_t uses_after; /* uses that began since then */
    uint8_t fresh;      /* and none had begun before */
    uint8_t parted;     /* the connection, since this cycle began */
    uint8_t wake_owed;  /* it became free with waiters, and none was woken */
};

enum event {
    WANT,
    UNWANT,
    TAKE,
    TAKE_LATE,
    GIVE,
    GIVE_STALE,
    GRANT,
    REFUSE,
    FAIL,
    RELEASED,
    LOSE,
    REVOKE,
    REVOKE_OLD,
    REVOKE_EARLY,
    RETRY,
    PARTED,
    DROP,
    OLD_GRANT,
    OLD_RELEASED,
    OLD_LOST,
    OLD_REFUSED,
    OLD_FAILED,
    EVENTS,
}; /* clang-format would give each a line */

static struct world *states;
static size_t states_count;
static uint32_t *slots;

/* Tokens are ten times their cycle. */
static uint64_t token_of(const struct world *world)
{
    return world->machine.cycle * 10;
}

/* What was to be done is done, and had better make sense. */
static void carry_out(struct world *world, unsigned acts)
{
    if ((acts & CLIENT_CACHE_ASK) != 0) {
        ck_assert_uint_eq(world->lease, 0);
        world->lease = 1;
        world->contended = 0;
        world->uses_after = 0;
        world->fresh = 0;
        world->parted = 0;
    }
    if ((acts & CLIENT_CACHE_AGAIN) != 0) {
        ck_assert_uint_eq(world->lease, 1);
    }
    if ((acts & CLIENT_CACHE_RELEASE) != 0) {
        ck_assert_uint_eq(world->lease, 2);
        ck_assert_uint_eq(world->users, 0);
        world->lease = 3;
    }
    if ((acts & CLIENT_CACHE_WAKE) != 0) {
        ck_assert_int_eq(world->machine.state, CLIENT_CACHE_FREE);
        world->wake_owed = 0;
    }
    if ((acts & CLIENT_CACHE_FAIL) != 0) {
        while (world->machine.waiters > 0) {
            carry_out(world, client_cache_unwant(&world->machine));
        }
    }
}

/* Whether the event may happen; it is tried on a copy. */
static bool happens(struct world *world, enum event event)
{
    struct client_cache *machine = &world->machine;
    const uint64_t cycle = machine->cycle;
    bool was_lost;
    switch (event) {
    case WANT:
        if (machine->waiters == WAITERS ||
            (machine->state == CLIENT_CACHE_NONE && cycle == CYCLES)) {
            return false;
        }
        carry_out(world, client_cache_want(machine));
        return true;
    case UNWANT:
        if (machine->waiters == 0) {
            return false;
        }
        carry_out(world, client_cache_unwant(machine));
        return true;
    case TAKE:
        if (world->users == USERS || !client_cache_take(machine, true)) {
            return false;
        }
        ck_assert_uint_eq(world->lease, 2);
        world->users++;
        world->uses_after += world->contended;
        world->fresh &= world->contended;
        return true;
    case TAKE_LATE:
        ck_assert(!client_cache_take(machine, false));
        return false;
    case GIVE:
        if (world->users == 0) {
            return false;
        }
        world->users--;
        {
            const unsigned acts =
                client_cache_give(machine, token_of(world), &was_lost);
            ck_assert(!was_lost);
            world->wake_owed =
                machine->state == CLIENT_CACHE_FREE && machine->waiters > 0;
            carry_out(world, acts);
        }
        return true;
    case GIVE_STALE:
        if (world->stale == 0) {
            return false;
        }
        world->stale = 0;
        ck_assert_uint_eq(
            client_cache_give(machine, world->stale_token, &was_lost), 0);
        ck_assert(was_lost);
        world->stale_token = 0;
        return true;
    default:
        return false;
    }
}

static void granted(struct world *world)
{
    struct client_cache *machine = &world->machine;
    world->lease = 2;
    world->fresh = 1;
    world->contended =
        world->parted || machine->revoked_token >= token_of(world);
    const unsigned acts =
        client_cache_granted(machine, machine->cycle, token_of(world));
    world->wake_owed =
        machine->state == CLIENT_CACHE_FREE && machine->waiters > 0;
    carry_out(world, acts);
}

static void lose(struct world *world)
{
    if (world->users > 0) {
        world->stale = 1;
        world->stale_token = (uint8_t)token_of(world);
    }
    world->users = 0;
    world->lease = 0;
    carry_out(world, client_cache_lost(&world->machine, world->machine.cycle));
}

/* Others are known to wait from now on. */
static void contend(struct world *world)
{
    if (world->lease == 2 && world->contended == 0) {
        world->contended = 1;
        world->uses_after = 0;
    }
}

static bool server_does(struct world *world, enum event event)
{
    struct client_cache *machine = &world->machine;
    switch (event) {
    case GRANT:
        if (world->lease != 1) {
            return false;
        }
        granted(world);
        return true;
    case REFUSE:
        if (world->lease != 1 || machine->was_refused) {
            return false;
        }
        carry_out(world, client_cache_refused(machine, machine->cycle));
        return true;
    case FAIL:
        if (world->lease != 1) {
            return false;
        }
        world->lease = 0;
        carry_out(world, client_cache_failed(machine, machine->cycle));
        return true;
    case RELEASED:
        if (world->lease != 3 ||
            (machine->waiters > 0 && machine->cycle == CYCLES)) {
            return false;
        }
        world->lease = 0;
        carry_out(world, client_cache_released(machine, machine->cycle));
        return true;
    case LOSE:
        /* Also while it is being given back, and then nobody says so. */
        if ((world->lease != 2 && world->lease != 3) ||
            (machine->waiters > 0 && machine->cycle == CYCLES)) {
            return false;
        }
        lose(world);
        return true;
    default:
        return false;
    }
}

static bool message_comes(struct world *world, enum event event)
{
    struct client_cache *machine = &world->machine;
    switch (event) {
    case REVOKE:
        contend(world);
        carry_out(world, client_cache_revoke(machine, token_of(world)));
        return true;
    case REVOKE_OLD:
        if (machine->cycle < 2) {
            return false;
        }
        carry_out(world, client_cache_revoke(machine, token_of(world) - 10));
        return true;
    case REVOKE_EARLY:
        if (world->lease != 1) {
            return false;
        }
        carry_out(world, client_cache_revoke(machine, token_of(world)));
        return true;
    case RETRY:
        carry_out(world, client_cache_retry(machine));
        return true;
    case PARTED:
        contend(world);
        world->parted = world->lease == 1;
        carry_out(world, client_cache_parted(machine));
        return true;
    case DROP:
        contend(world);
        carry_out(world, client_cache_drop(machine));
        return true;
    default:
        return false;
    }
}

/* News of an earlier cycle changes nothing. */
static void old_news(const struct world *world, enum event event)
{
    struct client_cache copy = world->machine;
    const uint64_t old = copy.cycle - 1;
    unsigned acts = 0;
    switch (event) {
    case OLD_GRANT:
        acts = client_cache_granted(&copy, old, old * 10);
        break;
    case OLD_RELEASED:
        acts = client_cache_released(&copy, old);
        break;
    case OLD_LOST:
        acts = client_cache_lost(&copy, old);
        break;
    case OLD_REFUSED:
        acts = client_cache_refused(&copy, old);
        break;
    case OLD_FAILED:
        acts = client_cache_failed(&copy, old);
        break;
    default:
        break;
    }
    ck_assert_uint_eq(acts, 0);
    ck_assert_mem_eq(&copy, &world->machine, sizeof(copy));
}

static void check_state(const struct world *world)
{
    const struct client_cache *machine = &world->machine;
    /* The machine and the world agree. */
    ck_assert_uint_eq(machine->users, world->users);
    ck_assert_int_eq(machine->state == CLIENT_CACHE_LOCKED, world->users > 0);
    ck_assert_int_eq(machine->state == CLIENT_CACHE_NONE, world->lease == 0);
    ck_assert_int_eq(machine->state == CLIENT_CACHE_ACQUIRING,
                     world->lease == 1);
    ck_assert_int_eq(machine->state == CLIENT_CACHE_RELEASING,
                     world->lease == 3);
    ck_assert_int_eq(machine->token != 0, world->lease >= 2);
    /* Alone. */
    ck_assert(machine->shared || world->users <= 1);
    /* Nobody waits for nothing. */
    ck_assert(machine->waiters == 0 || machine->state != CLIENT_CACHE_NONE);
    ck_assert_uint_eq(world->wake_owed, 0);
    /* Others get their turn: after one use of a fresh grant, or after the
     * present one; a shared one, after those who waited when it came. */
    const unsigned most = machine->shared ? WAITERS : 1;
    ck_assert_uint_le(world->uses_after, world->fresh ? most : 0);
    /* Nobody sits on what others want. */
    ck_assert(!(machine->state == CLIENT_CACHE_FREE && machine->must_release &&
                machine->waiters == 0));
}

static uint32_t hash_of(const struct world *world)
{
    const uint8_t *bytes = (const uint8_t *)world;
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < sizeof(*world); i++) {
        hash = (hash ^ bytes[i]) * 16777619u;
    }
    return hash;
}

/* Add it unless it is known. */
static void visit(const struct world *world)
{
    uint32_t at = hash_of(world) % SLOTS;
    while (slots[at] != 0) {
        if (memcmp(&states[slots[at] - 1], world, sizeof(*world)) == 0) {
            return;
        }
        at = (at + 1) % SLOTS;
    }
    ck_assert_uint_lt(states_count, STATES_MAX);
    states[states_count] = *world;
    states_count++;
    slots[at] = (uint32_t)states_count;
}

static size_t explore(bool shared)
{
    static struct world first;
    states = calloc(STATES_MAX, sizeof(*states));
    slots = calloc(SLOTS, sizeof(*slots));
    states_count = 0;
    memset(&first, 0, sizeof(first));
    client_cache_init(&first.machine, shared);
    visit(&first);
    for (size_t i = 0; i < states_count; i++) {
        for (int event = 0; event < EVENTS; event++) {
            struct world world;
            memcpy(&world, &states[i], sizeof(world));
            if (happens(&world, (enum event)event) ||
                server_does(&world, (enum event)event) ||
                message_comes(&world, (enum event)event)) {
                check_state(&world);
                visit(&world);
            } else if (event >= OLD_GRANT && world.machine.cycle > 0) {
                old_news(&world, (enum event)event);
            }
        }
    }
    free(states);
    free(slots);
    return states_count;
}

START_TEST(whatever_comes_in_whatever_order_nobody_is_hurt)
{
    const size_t exclusive = explore(false);
    const size_t shared = explore(true);
    /* Not a walk round the block. */
    ck_assert_uint_gt(exclusive, 500);
    ck_assert_uint_gt(shared, exclusive);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("client_cache");
    TCase *story = tcase_create("story");
    tcase_add_test(story, the_first_who_wants_it_asks_and_takes_it);
    tcase_add_test(story, threads_pass_it_on_without_a_word);
    tcase_add_test(story, a_revoke_while_free_gives_it_back_at_once);
    tcase_add_test(story, a_revoke_while_used_keeps_the_next_thread_out);
    tcase_add_test(story, a_revoke_before_the_answer_is_remembered);
    tcase_add_test(story, a_late_revoke_is_ignored);
    tcase_add_test(story, a_revoke_before_the_first_use_lets_it_be);
    tcase_add_test(story, a_revoke_that_nobody_is_left_to_use_it_gives_it_back);
    tcase_add_test(story,
                   a_connection_lost_before_the_grant_makes_it_be_used_once);
    tcase_add_test(story, a_retry_before_the_refusal_is_remembered);
    tcase_add_test(story, a_lost_lease_leaves_its_user_behind);
    tcase_add_test(story,
                   what_is_lost_while_it_is_given_back_is_not_waited_for);
    tcase_add_test(story, a_lease_whose_time_is_over_is_not_taken);
    tcase_add_test(story, a_parted_connection_empties_the_cache);
    tcase_add_test(story,
                   a_shared_grant_is_had_by_many_and_given_back_by_the_last);
    tcase_add_test(story, a_failure_is_told_to_all_who_wait);
    suite_add_tcase(suite, story);
    TCase *orders = tcase_create("orders");
    tcase_add_test(orders, whatever_comes_in_whatever_order_nobody_is_hurt);
    suite_add_tcase(suite, orders);
    return check_run(suite);
}
