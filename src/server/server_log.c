/* server_log.c - lines for people.
 *
 * A line is put together on the stack and leaves with one write(). If that
 * fails there is nobody to tell, and the server goes on.
 */
#include "server/server_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/ensure.h"
#include "base/memory.h"

static void server_log_use(struct server_log *log, int fd, bool owns_fd);
static size_t server_log_escape_byte(unsigned char byte, char *out);

void server_log_init(struct server_log *log)
{
    *log = (struct server_log){.fd = STDERR_FILENO, .level = SERVER_LOG_NOTICE};
}

void server_log_close(struct server_log *log)
{
    server_log_use(log, STDERR_FILENO, false);
    memory_free(log->path);
    log->path = NULL;
}

bool server_log_open(struct server_log *log, const char *path)
{
    if (path == NULL || path[0] == '\0') {
        server_log_close(log);
        return true;
    }
    const int fd =
        open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0640);
    if (fd < 0) {
        return false;
    }
    char *copy = memory_copy(path, strlen(path) + 1);
    memory_free(log->path);
    log->path = copy;
    if (log->owns_fd && dup3(fd, log->fd, O_CLOEXEC) == log->fd) {
        /* Under the same number, for a thread that writes a line just now. */
        (void)close(fd);
        return true;
    }
    server_log_use(log, fd, true);
    return true;
}

bool server_log_reopen(struct server_log *log)
{
    return log->path == NULL || server_log_open(log, log->path);
}

static void server_log_use(struct server_log *log, int fd, bool owns_fd)
{
    if (log->owns_fd) {
        (void)close(log->fd);
    }
    log->fd = fd;
    log->owns_fd = owns_fd;
}

/* ---- lines ---- */

void server_log(const struct server_log *log, enum server_log_level level,
                const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    server_log_list(log, level, format, arguments);
    va_end(arguments);
}

void server_log_list(const struct server_log *log, enum server_log_level level,
                     const char *format, va_list arguments)
{
    ENSURE(level < SERVER_LOG_NOTHING);

    char text[SERVER_LOG_LINE_BYTES];
    char line[SERVER_LOG_LINE_BYTES];
    char when[40];
    struct timespec now;
    if (level < log->level) {
        return;
    }
    const int kept_errno = errno;
    (void)vsnprintf(text, sizeof(text), format, arguments);
    (void)clock_gettime(CLOCK_REALTIME, &now);
    server_log_time((uint64_t)now.tv_sec * 1000000 +
                        (uint64_t)now.tv_nsec / 1000,
                    when, sizeof(when));
    const int head = snprintf(line, sizeof(line), "%s %s ", when,
                              server_log_level_word(level));
    ENSURE(head > 0 && (size_t)head < sizeof(line) / 2);
    size_t used = (size_t)head;
    const size_t room = sizeof(line) - used - 4; /* "...", and the LF */
    const size_t text_bytes = strlen(text);
    used += server_log_escape(line + used, room, text, text_bytes);
    /* Only a text as long as the room may have lost something. */
    if (used >= sizeof(line) - 9 || text_bytes == sizeof(text) - 1) {
        memcpy(line + used, "...", 3);
        used += 3;
    }
    line[used] = '\n';
    ssize_t written;
    do {
        written = write(log->fd, line, used + 1);
    } while (written < 0 && errno == EINTR);
    errno = kept_errno;
}

const char *server_log_level_word(enum server_log_level level)
{
    static const char *const words[] = {"debug", "verbose", "notice", "warning",
                                        "nothing"};
    ENSURE(level <= SERVER_LOG_NOTHING);
    return words[level];
}

size_t server_log_escape(char *out, size_t room, const char *text, size_t count)
{
    ENSURE(room > 0);

    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        char one[5];
        const size_t one_bytes =
            server_log_escape_byte((unsigned char)text[i], one);
        if (one_bytes >= room - used) {
            break;
        }
        memcpy(out + used, one, one_bytes);
        used += one_bytes;
    }
    out[used] = '\0';
    return used;
}

static size_t server_log_escape_byte(unsigned char byte, char *out)
{
    static const char named[] = "\n\r\t\\";
    static const char names[] = "nrt\\";
    const char *found = byte != 0 ? strchr(named, byte) : NULL;
    if (found != NULL) {
        out[0] = '\\';
        out[1] = names[found - named];
        return 2;
    }
    if (byte < ' ' || byte > '~') {
        (void)snprintf(out, 5, "\\x%02x", (unsigned)byte);
        return 4;
    }
    out[0] = (char)byte;
    return 1;
}

void server_log_time(uint64_t wall_us, char *out, size_t room)
{
    const time_t seconds = (time_t)(wall_us / 1000000);
    const unsigned ms = (unsigned)(wall_us / 1000 % 1000);
    struct tm local;
    char date[32] = "";
    char zone[8] = "";
    if (localtime_r(&seconds, &local) == NULL) {
        (void)snprintf(out, room, "?");
        return;
    }
    (void)strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &local);
    (void)strftime(zone, sizeof(zone), "%z", &local);
    (void)snprintf(out, room, "%s.%03u%.3s:%s", date, ms, zone,
                   strlen(zone) > 3 ? zone + 3 : "00");
}
