/* resp_split.c - the words of an inline request.
 *
 * A word is copied onto itself, from where it begins: plain stretches as they
 * are, quoted ones without what quotes them. A quote may open in the middle of
 * a word, but the word ends where it closes.
 *
 * To extend: an escape is a case in resp_split_escape().
 */
#include "wire/resp_split.h"

#include "base/ensure.h"

/* Where the next byte of the word is read, and where it goes. */
struct resp_split_word {
    size_t from;
    size_t to;
};

static bool resp_split_plain(struct resp_split *split,
                             struct resp_split_word *word);
static bool resp_split_quoted(struct resp_split *split,
                              struct resp_split_word *word, uint8_t quote);
static bool resp_split_escape(const struct resp_split *split, size_t at,
                              uint8_t *byte, size_t *used);
static bool resp_split_is_space(uint8_t byte);
static int resp_split_hex(uint8_t byte);

struct resp_split resp_split_of(uint8_t *line, size_t count)
{
    return (struct resp_split){.line = line, .count = count};
}

bool resp_split_next(struct resp_split *split, size_t *offset, size_t *count)
{
    while (split->at < split->count &&
           resp_split_is_space(split->line[split->at])) {
        split->at++;
    }
    if (split->at == split->count || split->unbalanced) {
        return false;
    }
    struct resp_split_word word = {.from = split->at, .to = split->at};
    *offset = split->at;
    split->unbalanced = !resp_split_plain(split, &word);
    split->at = word.from;
    *count = word.to - *offset;

    ENSURE(word.to <= word.from);
    return !split->unbalanced;
}

/* Up to a blank, the end of the line, or the end of a quoted stretch. */
static bool resp_split_plain(struct resp_split *split,
                             struct resp_split_word *word)
{
    while (word->from < split->count) {
        const uint8_t byte = split->line[word->from];
        if (byte == ' ' || byte == '\t' || byte == '\r') {
            return true;
        }
        word->from++;
        if (byte == '"' || byte == '\'') {
            return resp_split_quoted(split, word, byte);
        }
        split->line[word->to++] = byte;
    }
    return true;
}

/* Up to the closing quote; false if there is none, or no blank behind it. */
static bool resp_split_quoted(struct resp_split *split,
                              struct resp_split_word *word, uint8_t quote)
{
    while (word->from < split->count) {
        uint8_t byte = split->line[word->from];
        size_t used = 1;
        const size_t next = word->from + 1;
        if (byte == quote) {
            word->from = next;
            return next == split->count ||
                   resp_split_is_space(split->line[next]);
        }
        if (byte == '\\' && quote == '"') {
            if (!resp_split_escape(split, next, &byte, &used)) {
                return false;
            }
        } else if (byte == '\\' && next < split->count &&
                   split->line[next] == '\'') {
            byte = '\'';
            used = 2;
        }
        split->line[word->to++] = byte;
        word->from += used;
    }
    return false;
}

/* What a backslash means whose next byte is at `at`. False if the line ends
 * there, and with it the hope for a closing quote. */
static bool resp_split_escape(const struct resp_split *split, size_t at,
                              uint8_t *byte, size_t *used)
{
    if (at == split->count) {
        return false;
    }
    *byte = split->line[at];
    *used = 2;
    switch (*byte) {
    case 'n':
        *byte = '\n';
        break;
    case 'r':
        *byte = '\r';
        break;
    case 't':
        *byte = '\t';
        break;
    case 'b':
        *byte = '\b';
        break;
    case 'a':
        *byte = '\a';
        break;
    case 'x':
        if (split->count - at > 2) {
            const int high = resp_split_hex(split->line[at + 1]);
            const int low = resp_split_hex(split->line[at + 2]);
            if (high >= 0 && low >= 0) {
                *byte = (uint8_t)(high * 16 + low);
                *used = 4;
            }
        }
        break;
    default:
        break;
    }
    return true;
}

static bool resp_split_is_space(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* The value of a hexadecimal digit, or -1. */
static int resp_split_hex(uint8_t byte)
{
    if (byte >= '0' && byte <= '9') {
        return byte - '0';
    }
    const int lower = byte | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}
