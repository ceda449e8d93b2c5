/* cli_children.c - which processes are the children of another one. */
#include "cli/cli_children.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pid_t cli_children_parent(int proc_fd, const char *name);

void cli_children_find(struct cli_children *found, pid_t parent,
                       const struct cli_children *but)
{
    DIR *proc = opendir("/proc");
    const struct dirent *entry;
    found->count = 0;
    if (proc == NULL) {
        return;
    }
    while ((entry = readdir(proc)) != NULL) {
        const char *name = entry->d_name;
        if (name[0] < '1' || name[0] > '9' ||
            cli_children_parent(dirfd(proc), name) != parent) {
            continue;
        }
        const pid_t pid = (pid_t)strtol(name, NULL, 10);
        if (but == NULL || !cli_children_has(but, pid)) {
            cli_children_add(found, pid);
        }
    }
    (void)closedir(proc);
}

/* 0 if it is gone, or dead and not yet waited for. */
static pid_t cli_children_parent(int proc_fd, const char *name)
{
    char path[64];
    char text[512];
    (void)snprintf(path, sizeof(path), "%.20s/stat", name);
    const int fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    const ssize_t count = read(fd, text, sizeof(text) - 1);
    (void)close(fd);
    text[count > 0 ? count : 0] = '\0';
    /* "pid (any bytes) state parent ..." */
    const char *at = strrchr(text, ')');
    if (at == NULL || strlen(at) < 4 || at[2] == 'Z' || at[2] == 'X') {
        return 0;
    }
    return (pid_t)strtol(at + 4, NULL, 10);
}

bool cli_children_has(const struct cli_children *children, pid_t pid)
{
    for (size_t i = 0; i < children->count; i++) {
        if (children->pids[i] == pid) {
            return true;
        }
    }
    return false;
}

void cli_children_add(struct cli_children *children, pid_t pid)
{
    if (children->count < CLI_CHILDREN_MAX) {
        children->pids[children->count++] = pid;
    }
}
