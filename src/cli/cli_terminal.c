/* cli_terminal.c - a terminal as a screen, given back as it was found.
 *
 * The few sequences used here are understood by every terminal of the last
 * decades, so there is no terminfo.
 */
#include "cli/cli_terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli_text.h"

#define SCREEN_ON "\x1b[?1049h\x1b[?25l"
#define SCREEN_OFF "\x1b[?25h\x1b[?1049l"
#define HOME "\x1b[H"
#define REST_OF_LINE "\x1b[K"
#define REST_OF_SCREEN "\x1b[J"

size_t cli_terminal_width(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0
               ? size.ws_col
               : 100;
}

size_t cli_terminal_height(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0
               ? size.ws_row
               : 24;
}

bool cli_terminal_is_screen(void)
{
    const char *kind = getenv("TERM");
    return isatty(STDOUT_FILENO) && kind != NULL && strcmp(kind, "dumb") != 0;
}

void cli_terminal_open(struct cli_terminal *terminal)
{
    *terminal = (struct cli_terminal){.has_keys = isatty(STDIN_FILENO)};
    if (terminal->has_keys && tcgetattr(STDIN_FILENO, &terminal->before) == 0) {
        struct termios keys = terminal->before;
        keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &keys);
    } else {
        terminal->has_keys = false;
    }
    (void)fputs(SCREEN_ON, stdout);
    (void)fflush(stdout);
}

void cli_terminal_close(struct cli_terminal *terminal)
{
    if (terminal->has_keys) {
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &terminal->before);
    }
    (void)fputs(SCREEN_OFF, stdout);
    (void)fflush(stdout);
}

/* Written over what is there rather than on an empty screen: no flicker. */
bool cli_terminal_show(struct buffer *lines)
{
    struct buffer out = {NULL, 0, 0};
    struct bytes rest = buffer_view(lines);
    size_t room = cli_terminal_height();
    cli_text_print(&out, HOME);
    while (rest.count > 0 && room > 0) {
        const uint8_t *newline = memchr(rest.data, '\n', rest.count);
        const size_t line =
            newline != NULL ? (size_t)(newline - rest.data) : rest.count;
        const size_t used = newline != NULL ? line + 1 : line;
        buffer_append(&out, bytes_of(rest.data, line));
        room--;
        cli_text_print(&out, REST_OF_LINE "%s", room > 0 ? "\r\n" : "");
        rest = bytes_of(rest.data + used, rest.count - used);
    }
    cli_text_print(&out, REST_OF_SCREEN);
    const bool written = cli_text_flush(&out);
    buffer_clear(lines);
    buffer_close(&out);
    return written;
}
