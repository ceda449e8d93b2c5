/* lock_data_apply.c - what the commands do to data keys.
 *
 * All have the same course. A held lock of that name makes the key one of
 * another type: nothing is changed, not even a key removed whose deadline has
 * come. Then the key is touched, which removes such a key, and only then does
 * the command look at it. A sweep differs in both: it is the leader's, and what
 * it looks for is a key whose deadline has come.
 *
 * Numbers are those that Redis takes for one: 64 bits with a sign, in the one
 * decimal form that has no blanks, no plus and no needless zeros.
 */
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "lock/lock_machine.h"

/* The longest number: a sign and 19 digits. */
#define LOCK_DATA_NUMBER_BYTES 20

static bool lock_data_permits(enum lock_condition condition,
                              struct bytes compare,
                              const struct lock_data_key *key);
static void lock_data_store(struct lock_machine *machine,
                            const struct lock_set *set,
                            struct lock_data_key *key);
static bool lock_data_parse(struct bytes text, int64_t *number);
static struct bytes lock_data_print(int64_t number,
                                    uint8_t room[LOCK_DATA_NUMBER_BYTES]);

/* ---- set ---- */

void lock_data_apply_set(struct lock_machine *machine,
                         const struct lock_command *command,
                         struct lock_answer *answer)
{
    const struct lock_set *set = &command->set;
    if (lock_data_is_held(machine, &set->key, 1, answer)) {
        return;
    }
    struct lock_data_key *key =
        lock_data_touch(machine, set->database, set->key);
    const bool permitted = lock_data_permits(set->condition, set->compare, key);
    *answer =
        (struct lock_answer){.result = permitted ? LOCK_DONE : LOCK_REFUSED};
    if (set->get) {
        lock_data_hand_out(key, answer);
    }
    if (permitted) {
        lock_data_store(machine, set, key);
    }
}

static bool lock_data_permits(enum lock_condition condition,
                              struct bytes compare,
                              const struct lock_data_key *key)
{
    switch (condition) {
    case LOCK_ALWAYS:
        return true;
    case LOCK_IF_ABSENT:
        return key == NULL;
    case LOCK_IF_PRESENT:
        return key != NULL;
    case LOCK_IF_EQUAL:
        return key != NULL && bytes_equal(lock_data_value(key), compare);
    case LOCK_IF_OTHER:
        return key == NULL || !bytes_equal(lock_data_value(key), compare);
    }
    UNREACHABLE();
}

/* The deadline that a lifetime means, as of now: a wall time that has passed
 * gives the present, or 0 if it is over at the very start of the clock. */
static time_ms_t lock_data_deadline_of(const struct lock_machine *machine,
                                       enum lock_lifetime lifetime,
                                       time_ms_t time_ms)
{
    const time_ms_t clock = lock_clock(machine);
    const time_ms_t wall = lock_wall(machine);
    if (lifetime == LOCK_LIFE_RELATIVE) {
        return clock + time_ms;
    }
    ENSURE(lifetime == LOCK_LIFE_WALL);
    return time_ms > wall ? clock + (time_ms - wall) : clock;
}

/* key is NULL if it is not there yet. */
static void lock_data_store(struct lock_machine *machine,
                            const struct lock_set *set,
                            struct lock_data_key *key)
{
    const bool limited =
        set->lifetime == LOCK_LIFE_RELATIVE || set->lifetime == LOCK_LIFE_WALL;
    const time_ms_t deadline =
        limited ? lock_data_deadline_of(machine, set->lifetime, set->time_ms)
                : 0;
    if (limited && deadline <= lock_clock(machine)) {
        if (key != NULL) {
            lock_data_remove(machine, key);
        }
        return;
    }
    if (key == NULL) {
        key = lock_data_create(machine, set->database, set->key);
    }
    lock_data_write(machine, key, set->value);
    lock_data_clear_note(machine, key);
    if (set->lifetime != LOCK_LIFE_KEEP) {
        lock_data_limit(machine, key, deadline);
    }
}

/* ---- delete ---- */

/* An absent key is not deleted, whatever the condition says of it. */
void lock_data_apply_delete(struct lock_machine *machine,
                            const struct lock_command *command,
                            struct lock_answer *answer)
{
    const struct lock_delete *delete_ = &command->delete_;
    if (lock_data_is_held(machine, delete_->keys, delete_->keys_count,
                          answer)) {
        return;
    }
    *answer = (struct lock_answer){.result = LOCK_DONE};
    for (size_t i = 0; i < delete_->keys_count; i++) {
        struct lock_data_key *key =
            lock_data_touch(machine, delete_->database, delete_->keys[i]);
        if (delete_->get) {
            lock_data_hand_out(key, answer);
        }
        if (key != NULL &&
            lock_data_permits(delete_->condition, delete_->compare, key)) {
            lock_data_remove(machine, key);
            answer->count++;
        }
    }
}

/* ---- add and append ---- */

void lock_data_apply_add(struct lock_machine *machine,
                         const struct lock_command *command,
                         struct lock_answer *answer)
{
    const struct lock_add *add = &command->add;
    uint8_t room[LOCK_DATA_NUMBER_BYTES];
    int64_t number = 0;
    if (lock_data_is_held(machine, &add->key, 1, answer)) {
        return;
    }
    struct lock_data_key *key =
        lock_data_touch(machine, add->database, add->key);
    if (key != NULL && !lock_data_parse(lock_data_value(key), &number)) {
        *answer = (struct lock_answer){.result = LOCK_NOT_A_NUMBER};
        return;
    }
    if (add->amount > 0 ? number > INT64_MAX - add->amount
                        : number < INT64_MIN - add->amount) {
        *answer = (struct lock_answer){.result = LOCK_OVERFLOW};
        return;
    }
    number += add->amount;
    if (key == NULL) {
        key = lock_data_create(machine, add->database, add->key);
    }
    lock_data_write(machine, key, lock_data_print(number, room));
    lock_data_clear_note(machine, key);
    *answer = (struct lock_answer){.result = LOCK_DONE, .count = number};
}

void lock_data_apply_append(struct lock_machine *machine,
                            const struct lock_command *command,
                            struct lock_answer *answer)
{
    const struct lock_append *append = &command->append;
    if (lock_data_is_held(machine, &append->key, 1, answer)) {
        return;
    }
    struct lock_data_key *key =
        lock_data_touch(machine, append->database, append->key);
    const size_t count =
        append->value.count + (key != NULL ? key->value_count : 0);
    if (count > LIMIT_VALUE_BYTES) {
        *answer = (struct lock_answer){.result = LOCK_TOO_LONG};
        return;
    }
    if (key == NULL) {
        key = lock_data_create(machine, append->database, append->key);
    }
    lock_data_extend(machine, key, append->value);
    lock_data_clear_note(machine, key);
    *answer =
        (struct lock_answer){.result = LOCK_DONE, .count = (int64_t)count};
}

/* ---- deadline and sweep ---- */

/* Wall times are compared as such: the same one twice is the same, however the
 * two clocks went meanwhile. */
static bool lock_data_deadline_permits(const struct lock_deadline *wanted,
                                       time_ms_t deadline,
                                       const struct lock_data_key *key)
{
    time_ms_t present = lock_data_deadline(key);
    if (wanted->lifetime == LOCK_LIFE_WALL && present != 0) {
        present = lock_data_wall(key);
        deadline = wanted->time_ms;
    }
    switch (wanted->condition) {
    case LOCK_DEADLINE_ALWAYS:
        return true;
    case LOCK_DEADLINE_IF_NONE:
        return present == 0;
    case LOCK_DEADLINE_IF_SOME:
        return present != 0;
    case LOCK_DEADLINE_IF_LATER:
        return present != 0 && deadline > present;
    case LOCK_DEADLINE_IF_EARLIER:
        return present == 0 || deadline < present;
    case LOCK_DEADLINE_IF_SOONER:
        return present != 0 && deadline < present;
    }
    UNREACHABLE();
}

/* True if something was done. A deadline in the past is as good as the present
 * for the conditions: any that a living key has is later than both. */
bool lock_data_change_deadline(struct lock_machine *machine,
                               const struct lock_deadline *wanted,
                               struct lock_data_key *key)
{
    if (wanted->lifetime == LOCK_LIFE_FOREVER) {
        const bool had_one = key->life != NULL;
        lock_data_limit(machine, key, 0);
        return had_one;
    }
    const time_ms_t deadline =
        lock_data_deadline_of(machine, wanted->lifetime, wanted->time_ms);
    if (!lock_data_deadline_permits(wanted, deadline, key)) {
        return false;
    }
    if (deadline <= lock_clock(machine)) {
        lock_data_remove(machine, key);
    } else {
        lock_data_limit(machine, key, deadline);
    }
    return true;
}

void lock_data_apply_deadline(struct lock_machine *machine,
                              const struct lock_command *command,
                              struct lock_answer *answer)
{
    const struct lock_deadline *wanted = &command->deadline;
    if (lock_data_is_held(machine, &wanted->key, 1, answer)) {
        return;
    }
    struct lock_data_key *key =
        lock_data_touch(machine, wanted->database, wanted->key);
    const bool done =
        key != NULL && lock_data_change_deadline(machine, wanted, key);
    *answer = done ? (struct lock_answer){.result = LOCK_DONE, .count = 1}
                   : (struct lock_answer){.result = LOCK_NOTHING};
}

/* A key that lives for ever has no deadline, not one of 0. */
void lock_data_apply_sweep(struct lock_machine *machine,
                           const struct lock_command *command,
                           struct lock_answer *answer)
{
    const struct lock_sweep *sweep = &command->sweep;
    struct lock_data_key *key =
        lock_data_find(machine, sweep->database, sweep->key);
    *answer = (struct lock_answer){.result = LOCK_NOTHING};
    if (key != NULL && key->life != NULL &&
        key->life->deadline == sweep->deadline &&
        sweep->deadline <= lock_clock(machine)) {
        lock_data_remove(machine, key);
        machine->swept++;
        *answer = (struct lock_answer){.result = LOCK_DONE, .count = 1};
    }
}

/* ---- what they share ---- */

bool lock_data_is_held(const struct lock_machine *machine,
                       const struct bytes *keys, size_t keys_count,
                       struct lock_answer *answer)
{
    for (size_t i = 0; i < keys_count; i++) {
        if (lock_table_is_held(machine, keys[i])) {
            *answer = (struct lock_answer){.result = LOCK_WRONG_TYPE};
            return true;
        }
    }
    return false;
}

/* The bytes stay where they are when the value is replaced or removed: see
 * lock_data.c. */
void lock_data_hand_out(const struct lock_data_key *key,
                        struct lock_answer *answer)
{
    answer->has_value = key != NULL;
    answer->value = key != NULL ? lock_data_value(key) : bytes_of(NULL, 0);
}

/* ---- numbers ---- */

static bool lock_data_parse(struct bytes text, int64_t *number)
{
    const bool negative = text.count > 0 && text.data[0] == '-';
    const size_t start = negative ? 1 : 0;
    const uint64_t most = (uint64_t)INT64_MAX + (negative ? 1 : 0);
    uint64_t sum = 0;
    if (text.count == start || text.count > LOCK_DATA_NUMBER_BYTES) {
        return false;
    }
    if (text.data[start] == '0' && text.count > 1) {
        return false;
    }
    for (size_t i = start; i < text.count; i++) {
        const uint8_t digit = (uint8_t)(text.data[i] - '0');
        if (digit > 9 || sum > (most - digit) / 10) {
            return false;
        }
        sum = sum * 10 + digit;
    }
    /* The lowest number has no positive counterpart. */
    *number = !negative                        ? (int64_t)sum
              : sum == (uint64_t)INT64_MAX + 1 ? INT64_MIN
                                               : -(int64_t)sum;
    return true;
}

static struct bytes lock_data_print(int64_t number,
                                    uint8_t room[LOCK_DATA_NUMBER_BYTES])
{
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    size_t start = LOCK_DATA_NUMBER_BYTES;
    do {
        start--;
        room[start] = (uint8_t)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (number < 0) {
        start--;
        room[start] = '-';
    }
    return bytes_of(room + start, LOCK_DATA_NUMBER_BYTES - start);
}
