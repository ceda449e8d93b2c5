/* client_reply.c - what a server said: replies, error classes and messages.
 *
 * A key may hold blanks, so a message is read from both ends: its word before
 * the first blank, its token and reason behind the last ones.
 *
 * To add a class: a row in the table of words.
 */
#include "client/client_reply.h"

#include <string.h>

#include "client/client_memory.h"

struct client_reply_word {
    const char *word;
    enum client_answer answer;
};

static const struct client_reply_word client_reply_words[] = {
    {"CLUSTERDOWN", CLIENT_ANSWER_NOT_HERE},
    {"LOADING", CLIENT_ANSWER_NOT_HERE},
    {"TRYAGAIN", CLIENT_ANSWER_LATER},
    {"NOQUEUE", CLIENT_ANSWER_LATER},
    {"MOVED", CLIENT_ANSWER_ELSEWHERE},
    {"UNCERTAIN", CLIENT_ANSWER_UNKNOWN},
    {"NOAUTH", CLIENT_ANSWER_DENIED},
    {"WRONGPASS", CLIENT_ANSWER_DENIED},
    {"NOPERM", CLIENT_ANSWER_DENIED},
    {"FENCED", CLIENT_ANSWER_FENCED},
    {"BADTOKEN", CLIENT_ANSWER_BAD_TOKEN},
};

static bool client_reply_is_text(const redisReply *reply);
static bool client_reply_number(const char *text, size_t count,
                                uint64_t *number);
static bool client_reply_starts(const char *text, size_t count,
                                const char *word);
static bool client_reply_fill(struct hf_reply *copy, const redisReply *reply);

enum client_answer client_reply_class(const redisReply *reply)
{
    if (reply->type != REDIS_REPLY_ERROR) {
        return CLIENT_ANSWER_DONE;
    }
    for (size_t i = 0;
         i < sizeof(client_reply_words) / sizeof(client_reply_words[0]); i++) {
        if (client_reply_starts(reply->str, reply->len,
                                client_reply_words[i].word)) {
            return client_reply_words[i].answer;
        }
    }
    return CLIENT_ANSWER_ERROR;
}

enum hf_status client_reply_status(enum client_answer answer)
{
    switch (answer) {
    case CLIENT_ANSWER_DONE:
        return HF_OK;
    case CLIENT_ANSWER_LATER:
    case CLIENT_ANSWER_NOT_HERE:
    case CLIENT_ANSWER_ELSEWHERE:
        return HF_NO_LEADER;
    case CLIENT_ANSWER_UNKNOWN:
        return HF_UNCERTAIN;
    case CLIENT_ANSWER_DENIED:
        return HF_DENIED;
    case CLIENT_ANSWER_FENCED:
        return HF_FENCED;
    case CLIENT_ANSWER_BAD_TOKEN:
        return HF_BAD_TOKEN;
    case CLIENT_ANSWER_ERROR:
        return HF_REFUSED;
    }
    return HF_REFUSED;
}

/* "MOVED slot host:port" */
bool client_reply_moved(const redisReply *reply, struct client_node *node)
{
    if (reply->type != REDIS_REPLY_ERROR) {
        return false;
    }
    const char *text = reply->str;
    const size_t count = reply->len;
    const char *last = memrchr(text, ' ', count);
    if (last == NULL || !client_reply_starts(text, count, "MOVED")) {
        return false;
    }
    last++;
    return client_nodes_read(node, last, count - (size_t)(last - text));
}

uint64_t client_reply_grant(const redisReply *reply, const char **signature)
{
    *signature = "";
    if (reply->type == REDIS_REPLY_INTEGER) {
        return reply->integer > 0 ? (uint64_t)reply->integer : 0;
    }
    const redisReply *token = client_reply_find(reply, "token");
    if (token == NULL || token->type != REDIS_REPLY_INTEGER ||
        token->integer <= 0) {
        return 0;
    }
    const redisReply *text = client_reply_find(reply, "signature");
    if (text != NULL && client_reply_is_text(text)) {
        *signature = text->str;
    }
    return (uint64_t)token->integer;
}

const redisReply *client_reply_find(const redisReply *map, const char *name)
{
    if (map == NULL || map->type != REDIS_REPLY_ARRAY) {
        return NULL;
    }
    for (size_t i = 0; i + 1 < map->elements; i += 2) {
        const redisReply *key = map->element[i];
        if (client_reply_is_text(key) && strcmp(key->str, name) == 0) {
            return map->element[i + 1];
        }
    }
    return NULL;
}

struct client_message client_reply_message(const redisReply *reply)
{
    static const struct {
        const char *word;
        enum client_message_kind kind;
        bool has_token;
        bool has_reason;
    } rows[] = {
        {"lock-revoke", CLIENT_MESSAGE_REVOKE, true, false},
        {"lock-retry", CLIENT_MESSAGE_RETRY, false, false},
        {"lock-granted", CLIENT_MESSAGE_GRANTED, true, false},
        {"lock-refused", CLIENT_MESSAGE_REFUSED, false, false},
        {"lock-lost", CLIENT_MESSAGE_LOST, true, true},
    };
    struct client_message message = {CLIENT_MESSAGE_OTHER, "", 0, 0};
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 3 ||
        !client_reply_is_text(reply->element[0]) ||
        strcmp(reply->element[0]->str, "message") != 0 ||
        !client_reply_is_text(reply->element[2])) {
        return message;
    }
    const char *text = reply->element[2]->str;
    const size_t count = reply->element[2]->len;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const size_t word_count = strlen(rows[i].word);
        if (!client_reply_starts(text, count, rows[i].word) ||
            count == word_count) {
            continue;
        }
        const char *key = text + word_count + 1;
        size_t key_bytes = count - word_count - 1;
        if (rows[i].has_reason) {
            const char *blank = memrchr(key, ' ', key_bytes);
            key_bytes = blank != NULL ? (size_t)(blank - key) : 0;
        }
        if (rows[i].has_token) {
            const char *blank = memrchr(key, ' ', key_bytes);
            if (blank == NULL ||
                !client_reply_number(blank + 1,
                                     key_bytes - (size_t)(blank + 1 - key),
                                     &message.token)) {
                return message;
            }
            key_bytes = (size_t)(blank - key);
        }
        message.kind = rows[i].kind;
        message.key = key;
        message.key_bytes = key_bytes;
        return message;
    }
    return message;
}

/* ---- replies for the caller ---- */

struct hf_reply *client_reply_copy(const redisReply *reply)
{
    struct hf_reply *copy = client_memory_new(1, sizeof(*copy));
    if (copy != NULL && !client_reply_fill(copy, reply)) {
        hf_reply_free(copy);
        return NULL;
    }
    return copy;
}

const struct hf_reply *hf_reply_field(const struct hf_reply *reply,
                                      const char *name)
{
    if (reply == NULL || reply->kind != HF_REPLY_ARRAY) {
        return NULL;
    }
    for (size_t i = 0; i + 1 < reply->items_count; i += 2) {
        const struct hf_reply *key = reply->items[i];
        if (key->kind == HF_REPLY_TEXT && strcmp(key->text, name) == 0) {
            return reply->items[i + 1];
        }
    }
    return NULL;
}

int64_t hf_reply_integer(const struct hf_reply *reply, const char *name,
                         int64_t otherwise)
{
    const struct hf_reply *field = hf_reply_field(reply, name);
    return field != NULL && field->kind == HF_REPLY_INTEGER ? field->integer
                                                            : otherwise;
}

const char *hf_reply_text(const struct hf_reply *reply, const char *name,
                          const char *otherwise)
{
    const struct hf_reply *field = hf_reply_field(reply, name);
    return field != NULL && field->kind == HF_REPLY_TEXT ? field->text
                                                         : otherwise;
}

void hf_reply_free(struct hf_reply *reply)
{
    if (reply == NULL) {
        return;
    }
    for (size_t i = 0; i < reply->items_count; i++) {
        hf_reply_free(reply->items[i]);
    }
    client_memory_free(reply->items);
    void *text = (void *)(uintptr_t)reply->text; /* ours, though they may not
                                                    write to it */
    client_memory_free(text);
    client_memory_free(reply);
}

/* Everything that has elements is an array, everything that has text is a text:
 * later versions of hiredis know more types, but RESP2 has only these. Depth is
 * bounded by hiredis. */
static bool client_reply_fill(struct hf_reply *copy, const redisReply *reply)
{
    copy->integer = reply->integer;
    switch (reply->type) {
    case REDIS_REPLY_NIL:
        copy->kind = HF_REPLY_NULL;
        return true;
    case REDIS_REPLY_INTEGER:
        copy->kind = HF_REPLY_INTEGER;
        return true;
    case REDIS_REPLY_ARRAY:
        copy->kind = HF_REPLY_ARRAY;
        break;
    default:
        copy->kind =
            reply->type == REDIS_REPLY_ERROR ? HF_REPLY_ERROR : HF_REPLY_TEXT;
        copy->text = client_memory_bytes(reply->str, reply->len);
        copy->text_bytes = copy->text != NULL ? (size_t)reply->len : 0;
        return copy->text != NULL;
    }
    copy->items =
        client_memory_new(reply->elements + 1, sizeof(copy->items[0]));
    if (copy->items == NULL) {
        return false;
    }
    for (size_t i = 0; i < reply->elements; i++) {
        copy->items[i] = client_reply_copy(reply->element[i]);
        if (copy->items[i] == NULL) {
            return false;
        }
        copy->items_count++;
    }
    return true;
}

/* ---- small ---- */

static bool client_reply_is_text(const redisReply *reply)
{
    return (reply->type == REDIS_REPLY_STRING ||
            reply->type == REDIS_REPLY_STATUS) &&
           reply->str != NULL;
}

static bool client_reply_number(const char *text, size_t count,
                                uint64_t *number)
{
    uint64_t value = 0;
    if (count == 0 || count > 18) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    *number = value;
    return true;
}

/* Whether the first word is this one. */
static bool client_reply_starts(const char *text, size_t count,
                                const char *word)
{
    const size_t word_count = strlen(word);
    return count >= word_count && memcmp(text, word, word_count) == 0 &&
           (count == word_count || text[word_count] == ' ');
}
