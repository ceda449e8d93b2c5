/* scenario_script.c - one command line of a scenario script, read as words.
 *
 * A line is copied, cut at spaces, and read from left to right; whatever does
 * not fit ends the program with the place of the mistake. Exit codes: 1 for a
 * promise that was broken, 2 for a script that cannot be understood.
 *
 * To extend: a new kind of word gets a reader here, so that its complaint
 * reads like the others.
 */
#include "scenario/scenario_script.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void scenario_script_cut_words(struct scenario_command *command)
{
    char *at = command->copy;
    for (;;) {
        while (*at == ' ') {
            *at++ = '\0';
        }
        if (*at == '\0') {
            return;
        }
        if (command->words_count == SCENARIO_WORDS_MAX) {
            scenario_script_bad(command, "too many words");
        }
        const char end = *at == '"' ? '"' : ' ';
        if (end == '"') {
            at++;
        }
        command->words[command->words_count++] = at;
        while (*at != '\0' && *at != end) {
            at++;
        }
        if (end == '"') {
            if (*at == '\0') {
                scenario_script_bad(command, "a quote is not closed");
            }
            *at++ = '\0';
        }
    }
}

void scenario_script_parse(struct scenario_command *command, const char *file,
                           size_t line, const char *text)
{
    memset(command, 0, sizeof *command);
    command->file = file;
    command->line = line;
    if (strlen(text) >= SCENARIO_LINE_MAX) {
        scenario_script_bad(command, "the line is too long");
    }
    memcpy(command->text, text, strlen(text) + 1);
    memcpy(command->copy, text, strlen(text) + 1);
    scenario_script_cut_words(command);
}

static void scenario_script_complain(const struct scenario_command *command,
                                     const char *kind, const char *format,
                                     va_list list)
{
    fflush(stdout);
    fprintf(stderr, "%s:%zu: %s: ", command->file, command->line, kind);
    vfprintf(stderr, format, list);
    fprintf(stderr, "\n    %s\n", command->text);
}

_Noreturn void scenario_script_bad(const struct scenario_command *command,
                                   const char *format, ...)
{
    va_list list;
    va_start(list, format);
    scenario_script_complain(command, "bad script", format, list);
    va_end(list);
    exit(2);
}

_Noreturn void scenario_script_failed(const struct scenario_command *command,
                                      const char *format, ...)
{
    va_list list;
    va_start(list, format);
    scenario_script_complain(command, "FAILED", format, list);
    va_end(list);
    exit(1);
}

bool scenario_script_more(const struct scenario_command *command)
{
    return command->next < command->words_count;
}

const char *scenario_script_peek(const struct scenario_command *command)
{
    return scenario_script_more(command) ? command->words[command->next] : NULL;
}

bool scenario_script_accept(struct scenario_command *command, const char *word)
{
    const char *next = scenario_script_peek(command);
    if (next == NULL || strcmp(next, word) != 0) {
        return false;
    }
    command->next++;
    return true;
}

const char *scenario_script_word(struct scenario_command *command,
                                 const char *what)
{
    const char *word = scenario_script_peek(command);
    if (word == NULL) {
        scenario_script_bad(command, "%s is missing", what);
    }
    command->next++;
    return word;
}

/* Read digits at *at and move it behind them; false if there are none. */
static bool scenario_script_digits(const char **at, uint64_t *value)
{
    if (!isdigit((unsigned char)**at)) {
        return false;
    }
    *value = 0;
    while (isdigit((unsigned char)**at)) {
        *value = *value * 10 + (uint64_t)(**at - '0');
        (*at)++;
    }
    return true;
}

uint64_t scenario_script_number(struct scenario_command *command,
                                const char *what)
{
    const char *word = scenario_script_word(command, what);
    const char *at = word;
    uint64_t value;
    if (!scenario_script_digits(&at, &value) || *at != '\0') {
        scenario_script_bad(command, "%s should be a number, not '%s'", what,
                            word);
    }
    return value;
}

raft_id_t scenario_script_id(struct scenario_command *command)
{
    const uint64_t id = scenario_script_number(command, "a server");
    if (id == 0 || id > SCENARIO_ID_MAX) {
        scenario_script_bad(command, "servers are 1 to %d", SCENARIO_ID_MAX);
    }
    return id;
}

bool scenario_script_number_follows(const struct scenario_command *command)
{
    const char *word = scenario_script_peek(command);
    return word != NULL && isdigit((unsigned char)*word) &&
           strchr(word, '>') == NULL;
}

scenario_ids_t scenario_script_ids(struct scenario_command *command)
{
    scenario_ids_t ids = 0;
    do {
        ids |= (scenario_ids_t)1 << scenario_script_id(command);
    } while (scenario_script_number_follows(command));
    return ids;
}

struct scenario_place scenario_script_place(struct scenario_command *command)
{
    const char *word = scenario_script_word(command, "a place like 3/t2");
    const char *at = word;
    struct scenario_place place;
    if (!scenario_script_digits(&at, &place.index) ||
        strncmp(at, "/t", 2) != 0) {
        scenario_script_bad(command, "'%s' is not a place like 3/t2", word);
    }
    at += 2;
    if (!scenario_script_digits(&at, &place.term) || *at != '\0') {
        scenario_script_bad(command, "'%s' is not a place like 3/t2", word);
    }
    return place;
}

raft_term_t scenario_script_term(struct scenario_command *command)
{
    const char *word = scenario_script_word(command, "a term like t2");
    const char *at = word + 1;
    raft_term_t term;
    if (word[0] != 't' || !scenario_script_digits(&at, &term) || *at != '\0') {
        scenario_script_bad(command, "'%s' is not a term like t2", word);
    }
    return term;
}

bool scenario_script_link_follows(const struct scenario_command *command)
{
    const char *word = scenario_script_peek(command);
    return word != NULL && strstr(word, "->") != NULL;
}

/* One end of a link: a server or a star. */
static raft_id_t
scenario_script_link_end(const struct scenario_command *command,
                         const char **at)
{
    uint64_t id = 0;
    if (**at == '*') {
        (*at)++;
    } else if (!scenario_script_digits(at, &id) || id == 0 ||
               id > SCENARIO_ID_MAX) {
        scenario_script_bad(command, "a link is FROM->TO, of servers or *");
    }
    return id;
}

void scenario_script_link(struct scenario_command *command, raft_id_t *from,
                          raft_id_t *to)
{
    const char *at = scenario_script_word(command, "a link FROM->TO");
    *from = scenario_script_link_end(command, &at);
    if (strncmp(at, "->", 2) != 0) {
        scenario_script_bad(command, "a link is FROM->TO, of servers or *");
    }
    at += 2;
    *to = scenario_script_link_end(command, &at);
    if (*at != '\0') {
        scenario_script_bad(command, "a link is FROM->TO, of servers or *");
    }
}

void scenario_script_end(const struct scenario_command *command)
{
    if (scenario_script_more(command)) {
        scenario_script_bad(command, "'%s' is not understood here",
                            scenario_script_peek(command));
    }
}
