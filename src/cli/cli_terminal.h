/* cli_terminal.h - a terminal as a screen, given back as it was found. */
#ifndef HOLDFAST_CLI_TERMINAL_H
#define HOLDFAST_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

#include "base/buffer.h"

struct cli_terminal {
    struct termios before;
    bool has_keys; /* standard input is the terminal too */
};

/* Columns of standard output; 100 if it is no terminal. */
size_t cli_terminal_width(void);
size_t cli_terminal_height(void);

/* Is standard output a terminal that can be a screen? */
bool cli_terminal_is_screen(void);

/* The other screen, without a cursor; and back. */
void cli_terminal_open(struct cli_terminal *terminal);
void cli_terminal_close(struct cli_terminal *terminal);

/* Lines in the place of those that were shown. False if they cannot be
 * written. */
bool cli_terminal_show(struct buffer *lines);

#endif
