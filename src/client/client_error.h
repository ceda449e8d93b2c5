/* client_error.h - filling a struct hf_error. */
#ifndef HOLDFAST_CLIENT_ERROR_H
#define HOLDFAST_CLIENT_ERROR_H

#include "client/holdfast.h"

/* Set status and text, unless error is NULL; gives the status back, so that a
 * function can return what it says. format NULL: the words of the status. */
enum hf_status client_error(struct hf_error *error, enum hf_status status,
                            const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* HF_OK and no text. */
enum hf_status client_error_none(struct hf_error *error);

#endif
