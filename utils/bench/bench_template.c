/* bench_template.c - commands with __key__, __owner__, __token__, __data__.
 *
 * A template is split into pieces once: bytes that are the same in each
 * request, with their RESP framing, and words that are not, which are framed
 * when they are known.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* What a part of a word stands for. */
enum bench_slot {
    BENCH_FIXED,
    BENCH_KEY,
    BENCH_OWNER,
    BENCH_TOKEN,
    BENCH_DATA
};

struct bench_part {
    enum bench_slot slot;
    struct bench_text text; /* of BENCH_FIXED */
};

/* A word of parts, or framed bytes that follow each other. */
struct bench_piece {
    struct bench_part *parts;
    size_t parts_count;
    bool framed; /* one part, to be copied as it is */
};

struct bench_template {
    struct bench_piece *pieces;
    size_t pieces_count;
};

static bool bench_template_word(const char **text, struct bench_text *word);
static void bench_template_add(struct bench_template *template,
                               const struct bench_text *word);
static size_t bench_template_slot(const char *text, size_t count,
                                  enum bench_slot *slot);
static struct bench_part *bench_template_part(struct bench_piece *piece,
                                              enum bench_slot slot);
static void bench_template_frame(struct bench_text *out, char kind,
                                 size_t count);
static struct bench_piece *bench_template_piece(struct bench_template *of);
static const char *bench_template_value(const struct bench_part *part,
                                        const struct bench_values *values,
                                        size_t *count);

struct bench_template *bench_template_new(const char *text)
{
    struct bench_template *template = calloc(1, sizeof(*template));
    struct bench_text word = {0};
    size_t words = 0;
    if (template == NULL) {
        abort();
    }
    struct bench_piece *head = bench_template_piece(template);
    head->framed = true;
    (void)bench_template_part(head, BENCH_FIXED);
    while (bench_template_word(&text, &word)) {
        bench_template_add(template, &word);
        words++;
    }
    bench_text_close(&word);
    bench_template_frame(&template->pieces[0].parts[0].text, '*', words);
    if (words == 0 || *text != '\0') {
        bench_template_free(template);
        return NULL;
    }
    return template;
}

void bench_template_free(struct bench_template *template)
{
    for (size_t i = 0; i < template->pieces_count; i++) {
        struct bench_piece *piece = &template->pieces[i];
        for (size_t j = 0; j < piece->parts_count; j++) {
            bench_text_close(&piece->parts[j].text);
        }
        free(piece->parts);
    }
    free(template->pieces);
    free(template);
}

void bench_template_write(const struct bench_template *template,
                          const struct bench_values *values,
                          struct bench_text *out)
{
    for (size_t i = 0; i < template->pieces_count; i++) {
        const struct bench_piece *piece = &template->pieces[i];
        size_t total = 0;
        size_t count;
        for (size_t j = 0; j < piece->parts_count && !piece->framed; j++) {
            (void)bench_template_value(&piece->parts[j], values, &count);
            total += count;
        }
        if (!piece->framed) {
            bench_template_frame(out, '$', total);
        }
        for (size_t j = 0; j < piece->parts_count; j++) {
            const char *data =
                bench_template_value(&piece->parts[j], values, &count);
            bench_text_add(out, data, count);
        }
        if (!piece->framed) {
            bench_text_add(out, "\r\n", 2);
        }
    }
}

/* ---- reading ---- */

/* The next word; quotes keep blanks together. At an open quote it stops, and
 * the text is not at its end. */
static bool bench_template_word(const char **text, struct bench_text *word)
{
    const char *at = *text + strspn(*text, " \t");
    word->count = 0;
    *text = at;
    if (*at == '\0') {
        return false;
    }
    while (*at != '\0' && *at != ' ' && *at != '\t') {
        if (*at == '"' || *at == '\'') {
            const char *end = strchr(at + 1, *at);
            if (end == NULL) {
                return false;
            }
            bench_text_add(word, at + 1, (size_t)(end - at - 1));
            at = end + 1;
        } else {
            bench_text_add(word, at, 1);
            at++;
        }
    }
    *text = at;
    return true;
}

static void bench_template_add(struct bench_template *template,
                               const struct bench_text *word)
{
    struct bench_piece piece = {0};
    size_t from = 0;
    bool varies = false;
    for (size_t at = 0; at < word->count;) {
        enum bench_slot slot;
        const size_t used =
            bench_template_slot(word->data + at, word->count - at, &slot);
        at += used > 0 ? used : 1;
        if (used == 0 && at < word->count) {
            continue;
        }
        const size_t end = at - used;
        if (end > from) {
            struct bench_part *part = bench_template_part(&piece, BENCH_FIXED);
            bench_text_add(&part->text, word->data + from, end - from);
        }
        if (used > 0) {
            (void)bench_template_part(&piece, slot);
            varies = true;
        }
        from = at;
    }
    if (!varies) {
        struct bench_piece *last =
            &template->pieces[template->pieces_count - 1];
        if (!last->framed) {
            last = bench_template_piece(template);
            last->framed = true;
            (void)bench_template_part(last, BENCH_FIXED);
        }
        struct bench_text *out = &last->parts[0].text;
        bench_template_frame(out, '$', word->count);
        bench_text_add(out, word->data, word->count);
        bench_text_add(out, "\r\n", 2);
        for (size_t i = 0; i < piece.parts_count; i++) {
            bench_text_close(&piece.parts[i].text);
        }
        free(piece.parts);
        return;
    }
    *bench_template_piece(template) = piece;
}

/* Bytes of the name that the text begins with; 0: none. */
static size_t bench_template_slot(const char *text, size_t count,
                                  enum bench_slot *slot)
{
    static const struct {
        const char *name;
        enum bench_slot slot;
    } names[] = {{"__key__", BENCH_KEY},
                 {"__owner__", BENCH_OWNER},
                 {"__token__", BENCH_TOKEN},
                 {"__data__", BENCH_DATA}};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const size_t bytes = strlen(names[i].name);
        if (bytes <= count && memcmp(text, names[i].name, bytes) == 0) {
            *slot = names[i].slot;
            return bytes;
        }
    }
    return 0;
}

static struct bench_piece *bench_template_piece(struct bench_template *of)
{
    of->pieces =
        realloc(of->pieces, (of->pieces_count + 1) * sizeof(of->pieces[0]));
    if (of->pieces == NULL) {
        abort();
    }
    struct bench_piece *piece = &of->pieces[of->pieces_count];
    *piece = (struct bench_piece){0};
    of->pieces_count++;
    return piece;
}

static struct bench_part *bench_template_part(struct bench_piece *piece,
                                              enum bench_slot slot)
{
    piece->parts = realloc(piece->parts,
                           (piece->parts_count + 1) * sizeof(piece->parts[0]));
    if (piece->parts == NULL) {
        abort();
    }
    struct bench_part *part = &piece->parts[piece->parts_count];
    *part = (struct bench_part){.slot = slot};
    piece->parts_count++;
    return part;
}

static void bench_template_frame(struct bench_text *out, char kind,
                                 size_t count)
{
    char digits[24];
    char *at = digits + sizeof(digits);
    *--at = '\n';
    *--at = '\r';
    /* The head of an array is put before what is there already. */
    size_t rest = count;
    do {
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    *--at = kind;
    const size_t bytes = (size_t)(digits + sizeof(digits) - at);
    const size_t before = out->count;
    bench_text_add(out, at, bytes);
    if (kind == '*') {
        memmove(out->data + bytes, out->data, before);
        memcpy(out->data, at, bytes);
    }
}

static const char *bench_template_value(const struct bench_part *part,
                                        const struct bench_values *values,
                                        size_t *count)
{
    switch (part->slot) {
    case BENCH_KEY:
        *count = values->key_count;
        return values->key;
    case BENCH_OWNER:
        *count = values->owner_count;
        return values->owner;
    case BENCH_TOKEN:
        *count = values->token_count;
        return values->token;
    case BENCH_DATA:
        *count = values->data_count;
        return values->data;
    default:
        *count = part->text.count;
        return part->text.data;
    }
}

/* ---- texts ---- */

void bench_text_add(struct bench_text *text, const void *data, size_t count)
{
    if (text->count + count > text->capacity) {
        text->capacity = (text->count + count) * 2 + 64;
        text->data = realloc(text->data, text->capacity);
        if (text->data == NULL) {
            abort();
        }
    }
    if (count > 0) {
        memcpy(text->data + text->count, data, count);
    }
    text->count += count;
}

void bench_text_close(struct bench_text *text)
{
    free(text->data);
    *text = (struct bench_text){0};
}
