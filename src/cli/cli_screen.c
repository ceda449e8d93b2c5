/* cli_screen.c - compose what people see, from samples and nothing else.
 *
 * Tables are drawn cell by cell: a struct cli_screen_column says how wide each
 * is, and the one that has width 0 takes what the others leave. On a screen
 * that is too narrow for them, those on the right are cut off.
 */
#include "cli/cli_screen.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "cli/cli_text.h"
#include "cli/cli_units.h"

#define COLUMNS_MAX 9
#define KEY_LEAST 12 /* columns that a key gets on the narrowest screen */

struct cli_screen_column {
    const char *title;
    size_t width; /* 0: what is left */
    bool to_the_right;
};

struct cli_screen_table {
    struct buffer *out;
    const struct cli_screen *screen;
    const struct cli_screen_column *columns;
    size_t columns_count;
    size_t place; /* of the next cell */
    size_t used;  /* columns of the screen, in this line */
};

/* ---- tables ---- */

static size_t cli_screen_wide(const struct cli_screen_table *table)
{
    size_t fixed = table->columns_count - 1;
    for (size_t i = 0; i < table->columns_count; i++) {
        fixed += table->columns[i].width;
    }
    return table->screen->width > fixed + KEY_LEAST
               ? table->screen->width - fixed
               : KEY_LEAST;
}

/* The cell at the present place, without the end of a line. */
static void cli_screen_draw(struct cli_screen_table *table, struct bytes text)
{
    const struct cli_screen_column *column = &table->columns[table->place];
    const size_t room = table->screen->width - table->used;
    ENSURE(table->place < table->columns_count);
    size_t width = column->width > 0 ? column->width : cli_screen_wide(table);
    width = width < room ? width : room;
    cli_text_cell(table->out, text, width, column->to_the_right);
    table->used += width;
    table->place++;
    if (table->place < table->columns_count && width < room) {
        buffer_u8(table->out, ' ');
        table->used++;
    }
}

static void cli_screen_cell(struct cli_screen_table *table, struct bytes text)
{
    cli_screen_draw(table, text);
    if (table->place == table->columns_count) {
        buffer_u8(table->out, '\n');
        table->place = 0;
        table->used = 0;
    }
}

static void cli_screen_cell_text(struct cli_screen_table *table,
                                 const char *text)
{
    cli_screen_cell(table, bytes_of_text(text));
}

typedef void cli_screen_print_fn(struct buffer *out, uint64_t value);

static void cli_screen_cell_by(struct cli_screen_table *table, uint64_t value,
                               cli_screen_print_fn *print)
{
    struct buffer text = {NULL, 0, 0};
    print(&text, value);
    cli_screen_cell(table, buffer_view(&text));
    buffer_close(&text);
}

static void cli_screen_cell_time(struct cli_screen_table *table, int64_t ms)
{
    struct buffer text = {NULL, 0, 0};
    if (ms >= 0) {
        cli_units_print_time(&text, ms);
    } else {
        cli_text_print(&text, "-");
    }
    cli_screen_cell(table, buffer_view(&text));
    buffer_close(&text);
}

static void cli_screen_number(struct buffer *out, uint64_t value)
{
    cli_text_print(out, "%" PRIu64, value);
}

static struct cli_screen_table
cli_screen_begin(struct buffer *out, const struct cli_screen *screen,
                 const struct cli_screen_column *columns, size_t columns_count)
{
    struct cli_screen_table table = {out, screen, columns, columns_count, 0, 0};
    ENSURE(columns_count <= COLUMNS_MAX);
    cli_text_print(out, "%s", screen->is_terminal ? "\x1b[7m" : "");
    for (size_t i = 0; i < columns_count; i++) {
        cli_screen_draw(&table, bytes_of_text(columns[i].title));
    }
    cli_text_print(out, "%s\n", screen->is_terminal ? "\x1b[0m" : "");
    table.place = 0;
    table.used = 0;
    return table;
}

/* ---- members ---- */

static const struct cli_screen_column cli_screen_member_columns[] = {
    {"ID", 3, true},     {"ADDRESS", 0, false}, {"ROLE", 9, false},
    {"TERM", 6, true},   {"APPLIED", 9, true},  {"CONNS", 5, true},
    {"CMDS/S", 6, true}, {"MEM", 5, true},      {"UP", 6, true},
};

static const char *cli_screen_role(const struct cli_member *member)
{
    if (!member->answered) {
        return member->alive ? "no answer" : "down";
    }
    return member->joining ? "joining" : member->role;
}

static uint64_t cli_screen_commands(const struct cli_member *member,
                                    const struct cli_sample *now,
                                    const struct cli_sample *before)
{
    const int64_t ms = before != NULL ? now->at_ms - before->at_ms : 0;
    for (size_t i = 0; ms > 0 && i < before->members_count; i++) {
        const struct cli_member *old_one = &before->members[i];
        if (old_one->id == member->id && old_one->answered &&
            member->commands > old_one->commands) {
            return (member->commands - old_one->commands) * 1000 / (uint64_t)ms;
        }
    }
    return 0;
}

void cli_screen_members(struct buffer *out, const struct cli_screen *screen,
                        const struct cli_sample *now,
                        const struct cli_sample *before)
{
    struct cli_screen_table table =
        cli_screen_begin(out, screen, cli_screen_member_columns, 9);
    for (size_t i = 0; i < now->members_count; i++) {
        const struct cli_member *member = &now->members[i];
        cli_screen_cell_by(&table, member->id, cli_screen_number);
        cli_screen_cell_text(&table, member->address);
        cli_screen_cell_text(&table, cli_screen_role(member));
        if (!member->answered) {
            while (table.place != 0) {
                cli_screen_cell_text(&table, "-");
            }
            continue;
        }
        cli_screen_cell_by(&table, member->term, cli_screen_number);
        cli_screen_cell_by(&table, member->applied, cli_screen_number);
        cli_screen_cell_by(&table, member->clients, cli_units_print_count);
        if (before != NULL) {
            cli_screen_cell_by(&table, cli_screen_commands(member, now, before),
                               cli_units_print_count);
        } else {
            cli_screen_cell_text(&table, "-");
        }
        cli_screen_cell_by(&table, member->memory_bytes, cli_units_print_bytes);
        cli_screen_cell_time(&table, (int64_t)member->up_s * 1000);
    }
}

/* ---- locks ---- */

static const struct cli_screen_column cli_screen_lock_columns[] = {
    {"LOCK", 0, false},   {"MODE", 9, false}, {"HOLDER", 20, false},
    {"TOKEN", 10, true},  {"HELD", 6, true},  {"LEFT", 6, true},
    {"WAITING", 7, true},
};

static void cli_screen_holder(struct cli_screen_table *table,
                              const struct cli_lock *lock)
{
    struct buffer text = {NULL, 0, 0};
    if (lock->holders_count > 0) {
        buffer_append(&text, buffer_view(&lock->holders[0].owner));
    }
    if (lock->holders_count > 1) {
        cli_text_print(&text, " +%zu", lock->holders_count - 1);
    }
    cli_screen_cell(table, buffer_view(&text));
    buffer_close(&text);
}

void cli_screen_locks(struct buffer *out, const struct cli_screen *screen,
                      const struct cli_sample *now)
{
    struct cli_screen_table table =
        cli_screen_begin(out, screen, cli_screen_lock_columns, 7);
    for (size_t i = 0; i < now->locks_count && i < screen->rows_max; i++) {
        const struct cli_lock *lock = &now->locks[i];
        cli_screen_cell(&table, buffer_view(&lock->key));
        cli_screen_cell_text(&table, lock->mode);
        cli_screen_holder(&table, lock);
        cli_screen_cell_by(
            &table,
            lock->holders_count > 0 ? (uint64_t)lock->holders[0].token : 0,
            cli_screen_number);
        cli_screen_cell_time(&table, cli_lock_held_ms(lock));
        cli_screen_cell_time(
            &table, lock->holders_count > 0 ? lock->holders[0].left_ms : -1);
        cli_screen_cell_by(&table, (uint64_t)lock->waiting,
                           cli_units_print_count);
    }
}

void cli_screen_lock(struct buffer *out, const struct cli_lock *lock)
{
    cli_text_safe(out, buffer_view(&lock->key));
    cli_text_print(out, ": %s", lock->mode);
    if (lock->waiting > 0) {
        cli_text_print(out, ", %" PRId64 " waiting", lock->waiting);
    }
    cli_text_print(out, "\n");
    for (size_t i = 0; i < lock->holders_count; i++) {
        const struct cli_holder *holder = &lock->holders[i];
        cli_text_print(out, "  held by ");
        cli_text_safe(out, buffer_view(&holder->owner));
        cli_text_print(out, " for ");
        cli_units_print_time(out, holder->held_ms);
        cli_text_print(out, ", token %" PRId64 ", ", holder->token);
        cli_units_print_time(out, holder->left_ms);
        cli_text_print(out, " left\n");
    }
    for (size_t i = 0; i < lock->waiters_count; i++) {
        const struct cli_waiter *waiter = &lock->waiters[i];
        cli_text_print(out, "  %zu. ", i + 1);
        cli_text_safe(out, buffer_view(&waiter->owner));
        cli_text_print(out, " waits for ");
        cli_units_print_time(out, waiter->waited_ms);
        cli_text_print(out, "%s\n", waiter->shared ? ", to share" : "");
    }
}

/* ---- top ---- */

typedef int64_t cli_screen_measure_fn(const struct cli_lock *lock);

static int64_t cli_screen_waiting(const struct cli_lock *lock)
{
    return lock->waiting > 0 ? lock->waiting : -1;
}

/* The locks with the highest measure first; those below 0 are left out. */
static size_t cli_screen_rank(const struct cli_sample *now,
                              cli_screen_measure_fn *measure,
                              const struct cli_lock **ranked, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < now->locks_count; i++) {
        const struct cli_lock *lock = &now->locks[i];
        const int64_t value = measure(lock);
        size_t at = count;
        while (at > 0 && measure(ranked[at - 1]) < value) {
            at--;
        }
        if (value < 0 || at == most) {
            continue;
        }
        count += count < most ? 1 : 0;
        memmove(&ranked[at + 1], &ranked[at],
                (count - 1 - at) * sizeof(struct cli_lock *));
        ranked[at] = lock;
    }
    return count;
}

struct cli_screen_list {
    cli_screen_measure_fn *measure;
    struct cli_screen_column columns[4];
    bool shows_waiter; /* else the holder */
    bool is_time;
};

static const struct cli_screen_list cli_screen_lists[] = {
    {cli_screen_waiting,
     {{"MOST WANTED", 0, false},
      {"HOLDER", 28, false},
      {"HELD", 7, true},
      {"WAITING", 7, true}},
     false,
     false},
    {cli_lock_waited_ms,
     {{"LONGEST WAIT", 0, false},
      {"FIRST IN THE QUEUE", 28, false},
      {"HELD", 7, true},
      {"WAITED", 7, true}},
     true,
     true},
    {cli_lock_held_ms,
     {{"LONGEST HOLD", 0, false},
      {"HOLDER", 28, false},
      {"LEFT", 7, true},
      {"HELD", 7, true}},
     false,
     true},
};
#define LISTS_COUNT (sizeof(cli_screen_lists) / sizeof(cli_screen_lists[0]))

static void cli_screen_list(struct buffer *out, const struct cli_screen *screen,
                            const struct cli_screen_list *list,
                            const struct cli_sample *now, size_t rows)
{
    struct cli_screen_table table =
        cli_screen_begin(out, screen, list->columns, 4);
    const struct cli_lock **ranked =
        memory_new(rows + 1, sizeof(struct cli_lock *));
    const size_t count = cli_screen_rank(now, list->measure, ranked, rows);
    for (size_t i = 0; i < count; i++) {
        const struct cli_lock *lock = ranked[i];
        cli_screen_cell(&table, buffer_view(&lock->key));
        if (list->shows_waiter) {
            cli_screen_cell(&table, buffer_view(&lock->waiters[0].owner));
        } else {
            cli_screen_holder(&table, lock);
        }
        if (list->measure == cli_lock_held_ms) {
            cli_screen_cell_time(&table, lock->holders[0].left_ms);
        } else {
            cli_screen_cell_time(&table, cli_lock_held_ms(lock));
        }
        if (list->is_time) {
            cli_screen_cell_time(&table, list->measure(lock));
        } else {
            cli_screen_cell_by(&table, (uint64_t)lock->waiting,
                               cli_units_print_count);
        }
    }
    memory_free(ranked);
}

void cli_screen_line(struct buffer *out, const struct cli_screen *screen,
                     struct bytes text)
{
    if (cli_text_columns(text) > screen->width) {
        cli_text_cell(out, text, screen->width, false);
    } else {
        cli_text_safe(out, text);
    }
    buffer_u8(out, '\n');
}

static void cli_screen_head(struct buffer *out, const struct cli_screen *screen,
                            const struct cli_sample *now)
{
    struct buffer line = {NULL, 0, 0};
    cli_text_print(&line, "holdfast %s  cluster %.8s  ", now->time_text,
                   now->cluster_id);
    if (now->leader != 0) {
        cli_text_print(&line, "leader %" PRIu64 "  ", now->leader);
    } else {
        cli_text_print(&line, "NO LEADER  ");
    }
    cli_text_print(&line, "term %" PRIu64, now->term);
    if (now->locks_count < now->locks_held) {
        cli_text_print(&line, "  looked at %zu of %" PRIu64 " locks",
                       now->locks_count, now->locks_held);
    }
    cli_screen_line(out, screen, buffer_view(&line));
    buffer_close(&line);
}

static void cli_screen_totals(struct buffer *out,
                              const struct cli_screen *screen,
                              const struct cli_sample *now,
                              const struct cli_sample *before)
{
    const struct cli_rates rates = cli_sample_rates(now, before);
    struct buffer line = {NULL, 0, 0};
    cli_text_print(&line,
                   "now     %" PRIu64 " locks  %" PRIu64 " grants  %" PRIu64
                   " waiting  %" PRIu64 " owners",
                   now->locks_held, now->grants, now->waiters, now->owners);
    cli_screen_line(out, screen, buffer_view(&line));
    buffer_clear(&line);
    if (before != NULL) {
        cli_text_print(&line,
                       "a second  %" PRIu64 " commands  %" PRIu64
                       " grants  %" PRIu64 " hand-overs  %" PRIu64
                       " expiries  %" PRIu64 " log entries",
                       rates.commands, rates.grants, rates.handovers,
                       rates.expired, rates.entries);
    } else {
        cli_text_print(&line,
                       "in all  %" PRIu64 " hand-overs  %" PRIu64
                       " expiries  last token %" PRIu64,
                       now->handovers, now->expired, now->last_token);
    }
    cli_screen_line(out, screen, buffer_view(&line));
    buffer_close(&line);
}

void cli_screen_top(struct buffer *out, const struct cli_screen *screen,
                    const struct cli_sample *now,
                    const struct cli_sample *before)
{
    /* Three lines of head, the members with their heading, and an empty line
     * and a heading before each list. */
    const size_t used = 3 + 1 + 1 + now->members_count + LISTS_COUNT * 2;
    size_t rows = screen->rows_max;
    if (screen->height > 0) {
        const size_t room =
            screen->height > used ? (screen->height - used) / LISTS_COUNT : 0;
        rows = room < rows ? room : rows;
        rows = rows > 0 ? rows : 1;
    }
    cli_screen_head(out, screen, now);
    cli_screen_totals(out, screen, now, before);
    buffer_u8(out, '\n');
    cli_screen_members(out, screen, now, before);
    for (size_t i = 0; i < LISTS_COUNT; i++) {
        buffer_u8(out, '\n');
        cli_screen_list(out, screen, &cli_screen_lists[i], now, rows);
    }
}
