/* scenario_script.h - one command line of a scenario script, read as words.
 *
 * Every reader below takes the next word and complains, with file and line,
 * if it is missing or is not what was asked for: verbs need no error paths.
 */
#ifndef HOLDFAST_SCENARIO_SCRIPT_H
#define HOLDFAST_SCENARIO_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "raft/raft_types.h"

#define SCENARIO_WORDS_MAX 64
#define SCENARIO_LINE_MAX 512

/* Servers of a script are numbered 1 to this. */
#define SCENARIO_ID_MAX 16

/* A set of servers: bit n stands for server n. */
typedef uint32_t scenario_ids_t;

struct scenario_command {
    const char *file;
    size_t line;
    char text[SCENARIO_LINE_MAX]; /* as written */
    char copy[SCENARIO_LINE_MAX]; /* cut into words */
    const char *words[SCENARIO_WORDS_MAX];
    size_t words_count;
    size_t next; /* word to be read next */
};

/* A position in a log, written 3/t2: index 3, of term 2. */
struct scenario_place {
    raft_index_t index;
    raft_term_t term;
};

/* Cut a line into words. A quoted word may hold spaces. */
void scenario_script_parse(struct scenario_command *command, const char *file,
                           size_t line, const char *text);

/* Say what is wrong with the script, at its file and line, and exit with 2. */
_Noreturn void scenario_script_bad(const struct scenario_command *command,
                                   const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Say which promise was broken, at file and line, and exit with 1. */
_Noreturn void scenario_script_failed(const struct scenario_command *command,
                                      const char *format, ...)
    __attribute__((format(printf, 2, 3)));

bool scenario_script_more(const struct scenario_command *command);

/* The next word without taking it, or NULL. */
const char *scenario_script_peek(const struct scenario_command *command);

/* Take the next word if it is this one. */
bool scenario_script_accept(struct scenario_command *command, const char *word);

const char *scenario_script_word(struct scenario_command *command,
                                 const char *what);
uint64_t scenario_script_number(struct scenario_command *command,
                                const char *what);
raft_id_t scenario_script_id(struct scenario_command *command);

/* True if the next word starts with a digit. */
bool scenario_script_number_follows(const struct scenario_command *command);

/* One id or more, up to the first word that is no number. */
scenario_ids_t scenario_script_ids(struct scenario_command *command);

struct scenario_place scenario_script_place(struct scenario_command *command);

/* A word tTERM, as in the entries of a forged append. */
raft_term_t scenario_script_term(struct scenario_command *command);

/* True if the next word is a link, FROM->TO. */
bool scenario_script_link_follows(const struct scenario_command *command);

/* A link: FROM->TO, where * is everybody and reads as 0. */
void scenario_script_link(struct scenario_command *command, raft_id_t *from,
                          raft_id_t *to);

/* Everything was read. */
void scenario_script_end(const struct scenario_command *command);

static inline bool scenario_script_ids_has(scenario_ids_t ids, raft_id_t id)
{
    return (ids >> id & 1U) != 0;
}

#endif
