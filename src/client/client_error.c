/* client_error.c - statuses, their texts, and errors as values.
 *
 * To add a status: a number in holdfast.h, its words below, its place in
 * libholdfast.3.
 */
#include "client/client_error.h"

#include <stdarg.h>
#include <stdio.h>

const char *hf_status_text(enum hf_status status)
{
    switch (status) {
    case HF_OK:
        return "ok";
    case HF_BAD_ARGUMENT:
        return "bad argument";
    case HF_NO_MEMORY:
        return "out of memory";
    case HF_UNREACHABLE:
        return "no node could be reached";
    case HF_NO_LEADER:
        return "the cluster has no leader";
    case HF_TIMEOUT:
        return "the lock was not obtained in time";
    case HF_CANCELLED:
        return "cancelled";
    case HF_LOST:
        return "the lease is lost";
    case HF_UNCERTAIN:
        return "it may or may not have been carried out";
    case HF_REFUSED:
        return "refused by the server";
    case HF_FENCED:
        return "the token is outdated";
    case HF_BAD_TOKEN:
        return "the token is not genuine";
    case HF_DENIED:
        return "access denied";
    case HF_NO_TLS:
        return "built without TLS";
    case HF_SYSTEM:
        return "refused by the operating system";
    }
    return "unknown status";
}

const char *hf_version(void)
{
    return HOLDFAST_VERSION;
}

enum hf_status client_error(struct hf_error *error, enum hf_status status,
                            const char *format, ...)
{
    if (error == NULL) {
        return status;
    }
    error->status = status;
    if (format == NULL) {
        (void)snprintf(error->text, sizeof(error->text), "%s",
                       hf_status_text(status));
        return status;
    }
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(error->text, sizeof(error->text), format, arguments);
    va_end(arguments);
    return status;
}

enum hf_status client_error_none(struct hf_error *error)
{
    if (error != NULL) {
        error->status = HF_OK;
        error->text[0] = '\0';
    }
    return HF_OK;
}
