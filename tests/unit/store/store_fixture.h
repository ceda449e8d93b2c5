/* store_fixture.h - a store in a folder of its own, and what happens to it.
 *
 * Every test program has a folder under $TMPDIR or /tmp, which goes when the
 * program ends; every test gets a fresh data directory in it. The node of the
 * tests is node 2 of cluster "0123456789abcdef".
 *
 * Commands set data keys, so that a machine can be told from another.
 */
#ifndef HOLDFAST_TESTS_STORE_FIXTURE_H
#define HOLDFAST_TESTS_STORE_FIXTURE_H

#include <sys/types.h>

#include "lib/check_runner.h"
#include "store/store.h"

#define FIXTURE_CLUSTER "0123456789abcdef"

/* The data directory, the store if it is open, what was found in it, and why
 * it was refused. */
extern char data_path[256];
extern struct store *store;
extern struct store_recovered found;
extern struct store_options options;
extern char reason[STORE_REASON_BYTES];

/* The clock that the store is told. */
extern time_ms_t fixture_now;

/* What was reported: how many, and the last number or index. */
extern uint64_t written_count;
extern uint64_t written_number;
extern raft_index_t checkpointed_index;

/* main() of a test program: folder, suite, folder gone. */
int fixture_main(Suite *suite);

/* Before and after each test: a fresh directory that is created and open; all
 * closed, and no memory left. */
void fixture_setup(void);
void fixture_teardown(void);
/* As the first, but nothing is made yet. */
void fixture_setup_empty(void);

/* ---- opening and closing ---- */

enum store_result open_store(void);
void open_found(void);   /* must succeed */
void create_found(void); /* must be fresh */
void close_store(void);
void reopen(void);
/* The store must be refused with this result and these words in the reason. */
void assert_refused(enum store_result result, const char *words);

/* ---- writing ---- */

/* The number of the next write, and of the last one. */
uint64_t last_number(void);

/* An entry that sets key "k<index>" to text. The payload is valid for the next
 * few calls only. */
struct raft_entry entry_of(raft_term_t term, const char *text);
struct raft_entry entry_noop(raft_term_t term);

/* Hand over; nothing is waited for. */
void write_promise(raft_term_t term, raft_id_t vote);
void write_entry(raft_index_t index, raft_term_t term, const char *text);
void write_entries(raft_index_t first, raft_term_t term, size_t count);
void write_nothing(void);
void write_install(raft_index_t index, raft_term_t term,
                   const struct lock_machine *machine);
/* Apply commands up to index to found.machine, and hand over. */
void checkpoint(raft_index_t index, raft_index_t boundary,
                raft_term_t boundary_term);

/* Collect until everything that was handed over is reported. */
void wait_all(void);
/* Collect once, if there is something within so many ms. */
void collect_once(int timeout_ms);

/* ---- machines ---- */

struct lock_machine *machine_with(const char *key, const char *value);
void machine_set(struct lock_machine *machine, uint64_t index, const char *key,
                 const char *value);
void assert_same_machine(const struct lock_machine *a,
                         const struct lock_machine *b);

/* ---- looking ---- */

/* "1:text 2:text ..." of the entries found, by their terms. */
const char *log_text(void);

/* ---- breaking ---- */

/* The directory as it would be after a kill: the store stays as it is in a
 * child that runs work() and ends without a clean-up. */
void kill_after(void (*work)(void));

/* Change what is under a key behind the store's back: flip a bit of the last
 * byte of the value, or delete it. */
void damage_key(struct bytes key);
void delete_key(struct bytes key);
void put_key(struct bytes key, struct bytes value);

/* The newest log file of LevelDB in data_path, and its length. */
void newest_log(char *name, size_t room, off_t *bytes);
void flip_byte(const char *name, off_t offset);
void copy_directory(const char *from, const char *to);
void remove_directory(const char *path);

#endif
