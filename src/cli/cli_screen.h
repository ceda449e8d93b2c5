/* cli_screen.h - compose what people see, from samples and nothing else.
 *
 * Text of lines, each at most width columns; bold headings if the terminal
 * knows them.
 */
#ifndef HOLDFAST_CLI_SCREEN_H
#define HOLDFAST_CLI_SCREEN_H

#include "cli/cli_sample.h"

struct cli_screen {
    size_t width;     /* columns */
    size_t height;    /* lines; 0: as many as rows_max asks for */
    size_t rows_max;  /* of each table of locks */
    bool is_terminal; /* headings in reverse video */
};

/* The whole screen of top. before may be NULL: then there are no rates. */
void cli_screen_top(struct buffer *out, const struct cli_screen *screen,
                    const struct cli_sample *now,
                    const struct cli_sample *before);

/* Its parts, as cluster status and status print them. */
void cli_screen_members(struct buffer *out, const struct cli_screen *screen,
                        const struct cli_sample *now,
                        const struct cli_sample *before);
void cli_screen_locks(struct buffer *out, const struct cli_screen *screen,
                      const struct cli_sample *now);

/* A line of any text, cut off at the width. */
void cli_screen_line(struct buffer *out, const struct cli_screen *screen,
                     struct bytes text);

/* One lock with its holders and its queue. */
void cli_screen_lock(struct buffer *out, const struct cli_lock *lock);

#endif
