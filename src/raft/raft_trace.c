/* raft_trace.c - hands lines of narration to the shell. */
#include "raft/raft_trace.h"

#include <stdarg.h>
#include <stdio.h>

#define RAFT_TRACE_BYTES 256

void raft_trace(const struct raft *raft, const char *format, ...)
{
    if (raft->tracer.line == NULL) {
        return;
    }
    char text[RAFT_TRACE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    raft->tracer.line(raft->tracer.context, text);
}
