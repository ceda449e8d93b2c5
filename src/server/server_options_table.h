/* server_options_table.h - the rows behind server_options.h.
 *
 * For the files server_options*.c and the tests only.
 */
#ifndef HOLDFAST_SERVER_OPTIONS_TABLE_H
#define HOLDFAST_SERVER_OPTIONS_TABLE_H

#include "base/buffer.h"
#include "server/server_options.h"

/* What the value is, and of which C type its field. */
enum server_option_type {
    SERVER_OPTION_PORT,   /* uint16_t */
    SERVER_OPTION_NUMBER, /* uint64_t */
    SERVER_OPTION_SIGNED, /* int64_t */
    SERVER_OPTION_OCTAL,  /* uint64_t, written in octal */
    SERVER_OPTION_MS,     /* time_ms_t */
    SERVER_OPTION_SIZE,   /* size_t: bytes, also as 64k, 64kb, 1mb, 2gb */
    SERVER_OPTION_YES_NO, /* bool */
    SERVER_OPTION_TEXT,   /* char * */
    SERVER_OPTION_LIST,   /* struct server_texts, separated by blanks */
    SERVER_OPTION_WORD,   /* an enum: one of words[] */
};

enum server_option_change {
    SERVER_OPTION_START,   /* read once */
    SERVER_OPTION_ANYTIME, /* CONFIG SET may change it */
    SERVER_OPTION_FIXED,   /* may be given, but only as it is */
    SERVER_OPTION_LATER,   /* known by name; whatever is given is refused */
};

struct server_option {
    const char *name;
    enum server_option_type type;
    enum server_option_change change;
    size_t offset;            /* of the field in struct server_options */
    int64_t least, most;      /* of numbers; of texts, their bytes */
    const char *initial;      /* read by the same code as any other value */
    const char *shown;        /* instead of initial in --help; may be NULL */
    const char *const *words; /* of SERVER_OPTION_WORD, up to NULL */
    const char *help;         /* one sentence */
    bool elsewhere;           /* not of holdfastd: of programs that name it */
};

extern const struct server_option server_options_table[];
extern const size_t server_options_table_count;

/* By name, letters of either case; NULL: there is none. */
const struct server_option *server_options_table_find(struct bytes name);

/* The default of an option in a program; NULL: the program does not have it. */
const char *server_options_table_initial(const struct server_program *program,
                                         const struct server_option *option);

/* By name, if the program has it. */
const struct server_option *
server_options_table_of(const struct server_program *program,
                        struct bytes name);

/* For a table that is written in C: by the name it surely has. */
const struct server_option *server_options_table_row(const char *name);

/* ---- server_options_value.c ---- */

/* Read a value, and with options to put it into also set it there. NULL, or
 * why not, written into reason or fixed. */
const char *server_options_value_read(const struct server_option *option,
                                      struct bytes value,
                                      struct server_options *into, char *reason,
                                      size_t reason_room);

/* The value as CONFIG GET shows it and read() takes it, as C string; it is
 * appended to out together with its zero. */
void server_options_value_write(const struct server_option *option,
                                const struct server_options *options,
                                struct buffer *out);

/* Free what the field owns. */
void server_options_value_close(const struct server_option *option,
                                struct server_options *options);

/* ---- server_options_members.c ---- */

/* Read a text as of initial-cluster into members and their count, by ascending
 * id. NULL, or why not. */
const char *server_options_members_read(struct server_options *options,
                                        struct bytes text);
void server_options_members_close(struct server_options *options);

/* A member, added at its place; false: there is one with that id. */
bool server_options_members_add(struct server_options *options, uint64_t id,
                                struct bytes host, uint16_t port,
                                uint16_t raft_port);
const struct server_member *
server_options_members_find(const struct server_options *options, uint64_t id);

#endif
