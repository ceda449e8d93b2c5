/* server_files.c - how many files may be open, and for what.
 *
 * Every connection is a file. A client that finds none left is refused; a disk
 * that finds none left ends the process. So the files of the disk and of the
 * other nodes are set aside, and clients have what is left of the machine's
 * limit, which is raised as far as that lets us. A service manager may forbid
 * to raise it and has to set it then, as holdfastd.service does.
 */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "server/server.h"

/* Listeners and connections of other nodes, LevelDB's log, manifest and the
 * tables that it is writing, the mark, the log file, the loop's own: some 120,
 * and a few to spare for who is only told that he is one too many. */
#define SERVER_FILES_KEPT 160

/* Tables of LevelDB that it would keep open. With fewer it works all the same
 * and opens them again and again. */
#define SERVER_FILES_TABLES 1000

/* What is said of connections that find no file comes this often. */
#define SERVER_FILES_SAY_US 1000000

static uint64_t server_files_raise(uint64_t wanted);

bool server_files_open(struct server *server)
{
    struct server_options *options = &server->options;
    const uint64_t least = SERVER_FILES_KEPT + STORE_TABLES_MIN;
    const uint64_t limit = server_files_raise(
        SERVER_FILES_KEPT + SERVER_FILES_TABLES + options->maxclients);
    if (limit <= least) {
        server_log(
            &server->log, SERVER_LOG_WARNING,
            "the limit of open files is %llu: raise it (ulimit -n), %llu "
            "are for the disk and the other nodes",
            (unsigned long long)limit, (unsigned long long)least);
        return false;
    }
    const uint64_t clients = options->maxclients < limit - least
                                 ? options->maxclients
                                 : limit - least;
    size_t tables = limit - SERVER_FILES_KEPT - clients;
    tables = tables < SERVER_FILES_TABLES ? tables : SERVER_FILES_TABLES;
    store_keep_tables(tables);
    server->files_kept = SERVER_FILES_KEPT + tables;
    if (clients < options->maxclients) {
        server_log(&server->log, SERVER_LOG_WARNING,
                   "maxclients is %llu and not %llu: the limit of open files "
                   "is %llu (ulimit -n), and %llu are for the disk and the "
                   "other nodes",
                   (unsigned long long)clients,
                   (unsigned long long)options->maxclients,
                   (unsigned long long)limit, (unsigned long long)least);
        options->maxclients = clients;
    }
    return true;
}

uint64_t server_files_clients(const struct server *server, uint64_t wanted)
{
    const uint64_t limit = server_files_raise(server->files_kept + wanted);
    const uint64_t room =
        limit > server->files_kept ? limit - server->files_kept : 1;
    return wanted < room ? wanted : room;
}

/* Raise the limit to so many files, or as far as we may; what it is then. */
static uint64_t server_files_raise(uint64_t wanted)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return wanted; /* nobody knows better */
    }
    if (limit.rlim_cur < wanted) {
        struct rlimit more = limit;
        more.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
        if (setrlimit(RLIMIT_NOFILE, &more) == 0) {
            return more.rlim_cur;
        }
    }
    return limit.rlim_cur;
}

void server_files_trouble(void *context, int error)
{
    struct server *server = context;
    const uint64_t now_us = server_now_us();
    if (server->files_said_us != 0 &&
        now_us - server->files_said_us < SERVER_FILES_SAY_US) {
        return;
    }
    server->files_said_us = now_us;
    server_log(&server->log, SERVER_LOG_WARNING,
               "connections wait for a moment: they cannot be taken: %s",
               strerror(error));
}
