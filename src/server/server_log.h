/* server_log.h - lines for people.
 *
 *     2026-11-18T09:30:01.250+01:00 notice node 1 leads in term 7
 *
 * Each line is one write(), so lines of several threads or processes never mix
 * within a line. Bytes that a terminal would act upon are escaped: whatever a
 * client or peer put into a text, it stays one line.
 */
#ifndef HOLDFAST_SERVER_LOG_H
#define HOLDFAST_SERVER_LOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order of the words of the option loglevel. */
enum server_log_level {
    SERVER_LOG_DEBUG,
    SERVER_LOG_VERBOSE,
    SERVER_LOG_NOTICE,
    SERVER_LOG_WARNING,
    SERVER_LOG_NOTHING, /* as a level to keep only: no line has it */
};

/* A longer line is cut, and ends with "...". */
#define SERVER_LOG_LINE_BYTES 2048

struct server_log {
    int fd;
    bool owns_fd;
    enum server_log_level level; /* lines below it are dropped; may be set */
    char *path;                  /* NULL: standard error */
};

/* To standard error, from SERVER_LOG_NOTICE on; may be used at once. */
void server_log_init(struct server_log *log);
void server_log_close(struct server_log *log);

/* Write to this file from now on; "" or NULL is standard error. False: errno
 * says why, and the log goes on where it was. */
bool server_log_open(struct server_log *log, const char *path);

/* Open the same path again, after somebody moved the file away (HUP). False as
 * above. */
bool server_log_reopen(struct server_log *log);

/* One line. May be called from any thread, but not while another opens the
 * first file or closes; opening again does no harm. */
void server_log(const struct server_log *log, enum server_log_level level,
                const char *format, ...) __attribute__((format(printf, 3, 4)));
void server_log_list(const struct server_log *log, enum server_log_level level,
                     const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* "debug", "verbose", "notice", "warning" or "nothing". */
const char *server_log_level_word(enum server_log_level level);

/* Copy a text of count bytes so that it is safe to print: control bytes and
 * what is not ASCII become \n, \r, \t or \xHH, backslash becomes \\. Ends with
 * a zero and is cut to fit; returns the bytes written without it. */
size_t server_log_escape(char *out, size_t room, const char *text,
                         size_t count);

/* Local time in ISO 8601 with milliseconds, from microseconds of the epoch. */
void server_log_time(uint64_t wall_us, char *out, size_t room);

#endif
