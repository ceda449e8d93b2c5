/* cli_text.h - text for people, composed in a buffer.
 *
 * Keys and names of owners are any bytes. Whatever could move the cursor of a
 * terminal, or is no UTF-8, is shown as \xNN, and a backslash as two, so that
 * what is shown can be told apart.
 */
#ifndef HOLDFAST_CLI_TEXT_H
#define HOLDFAST_CLI_TEXT_H

#include "base/buffer.h"

/* As printf(). */
void cli_text_print(struct buffer *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Bytes that came from outside. */
void cli_text_safe(struct buffer *out, struct bytes bytes);

/* The same in exactly width columns: filled up with blanks, in front of it if
 * to_the_right, or cut off with a '~' at the end. A character counts as one
 * column. */
void cli_text_cell(struct buffer *out, struct bytes bytes, size_t width,
                   bool to_the_right);

/* Columns that cli_text_safe() would need. */
size_t cli_text_columns(struct bytes bytes);

/* The first character: its length, and its number in *code; 0 if the bytes do
 * not begin with one that is valid in UTF-8. */
size_t cli_text_utf8(struct bytes bytes, uint32_t *code);

/* Write it to standard output and forget it. False if that failed. */
bool cli_text_flush(struct buffer *out);

#endif
