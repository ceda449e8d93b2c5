/* raft_trace.c - hands lines of narration to the shell. */
#include "raft/raft_trace.h"

#include <stdarg.h>
#include <stdio.h>

#define RAFT_TRACE_BYTES 256

void raft_trace(const struct raft *raft, const char *format, ...)
{
    const struct raft_tracer *tracer = &raft->tracer;
    if (tracer->line == NULL || (tracer->wanted != NULL && !*tracer->wanted)) {
        return;
    }
    char text[RAFT_TRACE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    tracer->line(tracer->context, text);
}
