#include "cli/cells/cell_answer.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/jsontext.h"
#include "base/utf8.h"
#include "cli/terminal/clean.h"
#include "wire/json.h"

static int write_all(const char *text, size_t len)
{
    while (len > 0) {
        ssize_t written = write(STDOUT_FILENO, text, len);
        if (written < 0 && errno != EINTR)
            return 0;
        if (written > 0) {
            text += written;
            len -= (size_t)written;
        }
    }
    return 1;
}

/* Lines that somebody reads at a terminal: JSON escapes less than that takes. */
static int write_cleaned(const char *text, size_t len)
{
    clean c = { .held_len = 0 };
    str out = { 0 };
    int is_written = !clean_text(&out, &c, text, len, 0) && !clean_end(&out, &c) &&
                     write_all(str_text(&out), out.len);
    str_free(&out);
    return is_written;
}

/* The lock is held. text is of whole characters. */
static void put_bytes(answers *a, const char *text, size_t len)
{
    if (a->is_broken)
        return;
    if (isatty(STDOUT_FILENO) ? write_cleaned(text, len) : write_all(text, len))
        return;
    a->is_broken = 1;
    signals_ask(a->signals, SIGPIPE);
}

static void put_answer_line(answers *a, str *line)
{
    int is_whole = !str_add(line, "\n");
    pthread_mutex_lock(&a->lock);
    if (is_whole)
        put_bytes(a, line->data, line->len);
    pthread_mutex_unlock(&a->lock);
}

/* An answer can be as large as what it tells: only a small one is copied to have the id in it. */
enum { SMALL_ANSWER = 64 * 1024 };

void answer_json(answers *a, const request *r, const char *json, size_t len)
{
    str head = { 0 };
    size_t copied = len < SMALL_ANSWER ? len - 1 : 0;

    if (!json || str_add(&head, "{") || (r->id && str_printf(&head, "\"id\":%s,", r->id)) ||
        str_append(&head, json + 1, copied)) {
        answer_error(a, r, SNUG_ENOMEM, "out of memory for the answer");
    } else if (copied > 0) {
        put_answer_line(a, &head);
    } else {
        pthread_mutex_lock(&a->lock);
        put_bytes(a, head.data, head.len);
        put_bytes(a, json + 1, len - 1);
        put_bytes(a, "\n", 1);
        pthread_mutex_unlock(&a->lock);
    }
    str_free(&head);
}

void answer_result(answers *a, const request *r, snug_result *result)
{
    size_t len = 0;
    const char *json = snug_result_json(result, &len);
    answer_json(a, r, json, len);
}

void answer_saved(answers *a, const request *r, snug_saved *saved)
{
    size_t len = 0;
    const char *json = snug_saved_json(saved, &len);
    answer_json(a, r, json, len);
}

/* An answer with its schema, session and id; NULL if memory ran out. */
static cJSON *begin_answer(const request *r, const char *schema)
{
    cJSON *object = cJSON_CreateObject();
    if (object && !json_add_text(object, "schema", schema) &&
        (!r->session || !json_add_text(object, "session", r->session)) &&
        (!r->id || !json_add_raw(object, "id", r->id)))
        return object;
    cJSON_Delete(object);
    return NULL;
}

/* Takes the object. */
static void end_answer(answers *a, cJSON *object, int error)
{
    static const char last_words[] =
        "{\"schema\":\"snug.error/1\",\"error\":{\"name\":\"SNUG_ENOMEM\",\"value\":\"out of "
        "memory\"}}";
    char *text = object && !error ? json_text(object) : NULL;
    str line = { 0 };

    if (!str_add(&line, text ? text : last_words))
        put_answer_line(a, &line);
    str_free(&line);
    free(text);
    cJSON_Delete(object);
}

void answer_completion(answers *a, const request *r, const snug_completion *completion)
{
    cJSON *object = begin_answer(r, "snug.completion/1");
    cJSON *matches = object ? json_add_array(object, "matches") : NULL;
    int error = matches ? SNUG_OK : SNUG_ENOMEM;

    for (size_t i = 0; i < snug_completion_match_count(completion) && !error; i++)
        error = json_add_text(matches, NULL, snug_completion_match(completion, i));
    if (!error)
        error = json_add_number(object, "start",
                                (double)utf8_length(r->code, snug_completion_start(completion)));
    end_answer(a, object, error);
}

/* ---- files: in pieces, for they can be large ---- */

/* Text as a reader would have it: UTF-8 without NULs, and with few other characters that JSON
 * writes with six. */
static int is_plain_text(const char *data, size_t len)
{
    enum { ONE_IN = 16 };
    size_t fault, controls = 0;
    for (size_t i = 0; i < len; i++)
        controls += (unsigned char)data[i] < ' ' && !strchr("\t\n\r", data[i]);
    return controls <= len / ONE_IN && !memchr(data, '\0', len) &&
           utf8_check(data, len, &fault) == UTF8_FINE;
}

enum { DATA_PIECE = 48 * 1024 /* a multiple of three, for base64 */ };

static void quote_piece(str *out, const char *data, size_t len, int as_text)
{
    str_clear(out);
    if (!as_text) {
        base64_append(out, data, len);
    } else if (jsontext_quote(out, data, len) == SNUG_OK) { /* without the quotes */
        out->len -= 2;
        memmove(out->data, out->data + 1, out->len);
    }
}

/* The lock is held. piece has room for one. */
static void put_data(answers *a, str *piece, const char *data, size_t len)
{
    int as_text = is_plain_text(data, len);
    const char *name = as_text ? ",\"data\":\"" : ",\"data_base64\":\"";

    put_bytes(a, name, strlen(name));
    while (len > 0) {
        size_t some = len <= DATA_PIECE ? len
                      : as_text         ? utf8_floor(data, len, DATA_PIECE)
                                        : DATA_PIECE;
        quote_piece(piece, data, some, as_text);
        put_bytes(a, piece->data, piece->len);
        data += some;
        len -= some;
    }
    put_bytes(a, "\"", 1);
}

/* The object but for its last brace; NULL if memory ran out. Takes the object. */
static char *open_object_text(cJSON *object, int error)
{
    char *text = object && !error ? json_text(object) : NULL;
    if (text)
        text[strlen(text) - 1] = '\0';
    cJSON_Delete(object);
    return text;
}

void answer_file(answers *a, const request *r, const snug_file *file)
{
    size_t len;
    const char *data = snug_file_data(file, &len);
    str piece = { 0 };
    cJSON *object = begin_answer(r, "snug.file/1");
    char *head = open_object_text(object, !object || json_add_text(object, "path", r->path) ||
                                              json_add_text(object, "mime", snug_file_mime(file)) ||
                                              json_add_number(object, "bytes", (double)len));

    if (head && !str_reserve(&piece, 6 * DATA_PIECE + 2)) {
        pthread_mutex_lock(&a->lock);
        put_bytes(a, head, strlen(head));
        put_data(a, &piece, data, len);
        put_bytes(a, "}\n", 2);
        pthread_mutex_unlock(&a->lock);
    } else {
        end_answer(a, NULL, SNUG_ENOMEM);
    }

    str_free(&piece);
    free(head);
}

static int add_listing_entry(str *files, const snug_entry *entry)
{
    cJSON *item = cJSON_CreateObject();
    char *text =
        item && !json_add_text(item, "path", entry->path) &&
                !json_add_text(item, "kind", snug_entry_kind_name(entry->kind)) &&
                !json_add_number(item, "bytes", (double)entry->bytes) &&
                !json_add_number(item, "modified", (double)(entry->modified_ns / 1000) / 1e6)
            ? json_text(item)
            : NULL;
    int error = text ? str_add(files, text) : SNUG_ENOMEM;

    free(text);
    cJSON_Delete(item);
    return error;
}

void answer_listing(answers *a, const request *r, const snug_listing *listing)
{
    cJSON *object = begin_answer(r, "snug.files/1");
    char *head = open_object_text(object, SNUG_OK);
    size_t count = snug_listing_entry_count(listing);
    str line = { 0 };
    int error = !head || str_printf(&line, "%s,\"files\":[", head);

    for (size_t i = 0; i < count && !error; i++)
        error = (i > 0 && str_add(&line, ",")) ||
                add_listing_entry(&line, snug_listing_entry(listing, i));
    error = error || str_printf(&line, "],\"is_whole\":%s}",
                                snug_listing_is_whole(listing) ? "true" : "false");
    if (error)
        end_answer(a, NULL, SNUG_ENOMEM);
    else
        put_answer_line(a, &line);

    str_free(&line);
    free(head);
}

void answer_path(answers *a, const request *r, const char *schema)
{
    cJSON *object = begin_answer(r, schema);
    end_answer(a, object, object ? json_add_text(object, "path", r->path) : SNUG_OK);
}

void answer_fact(answers *a, const request *r, const char *schema, const char *name, int value)
{
    cJSON *object = begin_answer(r, schema);
    end_answer(a, object, object && name ? json_add_bool(object, name, value) : SNUG_OK);
}

void answer_error(answers *a, const request *r, int error, const char *message)
{
    cJSON *object = begin_answer(r, "snug.error/1");
    cJSON *details = object ? json_add_object(object, "error") : NULL;
    int failed = SNUG_ENOMEM;
    if (details && !(failed = json_add_text(details, "name", snug_error_name(error))))
        failed = json_add_text(details, "value", message);
    end_answer(a, object, failed);
}
