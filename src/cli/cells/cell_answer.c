#include "cli/cells/cell_answer.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/file.h"
#include "base/jsontext.h"
#include "base/utf8.h"
#include "cli/terminal/clean.h"
#include "wire/json.h"

/* Lines that somebody reads at a terminal: JSON escapes less than that takes. */
static int write_cleaned(const char *text, size_t len)
{
    clean c = { .held_len = 0 };
    str out = { 0 };
    int error = clean_text(&out, &c, text, len, 0);

    if (!error)
        error = clean_end(&out, &c);
    if (!error)
        error = file_write_all(STDOUT_FILENO, str_text(&out), out.len);
    str_free(&out);
    return error;
}

/* The lock is held. text is of whole characters. */
static void put_bytes(answers *a, const char *text, size_t len)
{
    int failed;

    if (a->is_broken)
        return;
    if (isatty(STDOUT_FILENO))
        failed = write_cleaned(text, len);
    else
        failed = file_write_all(STDOUT_FILENO, text, len);

    if (!failed)
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
    int failed = !json || str_add(&head, "{");

    if (!failed && r->id)
        failed = str_printf(&head, "\"id\":%s,", r->id);
    if (!failed)
        failed = str_append(&head, json + 1, copied);

    if (failed) {
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
    int failed = json_add_text(object, "schema", schema);

    if (r->session)
        failed |= json_add_text(object, "session", r->session);
    if (r->id)
        failed |= json_add_raw(object, "id", r->id);
    if (!failed)
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
    cJSON *matches = json_add_array(object, "matches");
    size_t count = snug_completion_match_count(completion);
    size_t start = utf8_length(r->code, snug_completion_start(completion));
    int failed = !matches;

    for (size_t i = 0; i < count; i++)
        failed |= json_add_text(matches, NULL, snug_completion_match(completion, i));
    failed |= json_add_number(object, "start", (double)start);
    end_answer(a, object, failed);
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

/* How much of data goes into the next piece. */
static size_t piece_len(const char *data, size_t len, int as_text)
{
    if (len <= DATA_PIECE)
        return len;
    if (!as_text)
        return DATA_PIECE;
    return utf8_floor(data, len, DATA_PIECE);
}

/* The lock is held. piece has room for one. */
static void put_data(answers *a, str *piece, const char *data, size_t len)
{
    int as_text = is_plain_text(data, len);
    const char *name = as_text ? ",\"data\":\"" : ",\"data_base64\":\"";

    put_bytes(a, name, strlen(name));
    while (len > 0) {
        size_t some = piece_len(data, len, as_text);
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
    int failed = json_add_text(object, "path", r->path);

    failed |= json_add_text(object, "mime", snug_file_mime(file));
    failed |= json_add_number(object, "bytes", (double)len);
    char *head = open_object_text(object, failed);

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
    double modified = (double)(entry->modified_ns / 1000) / 1e6;
    int failed = json_add_text(item, "path", entry->path);

    failed |= json_add_text(item, "kind", snug_entry_kind_name(entry->kind));
    failed |= json_add_number(item, "bytes", (double)entry->bytes);
    failed |= json_add_number(item, "modified", modified);

    char *text = failed ? NULL : json_text(item);
    failed = !text || str_add(files, text);
    free(text);
    cJSON_Delete(item);
    return failed;
}

void answer_listing(answers *a, const request *r, const snug_listing *listing)
{
    char *head = open_object_text(begin_answer(r, "snug.files/1"), SNUG_OK);
    size_t count = snug_listing_entry_count(listing);
    const char *is_whole = snug_listing_is_whole(listing) ? "true" : "false";
    str line = { 0 };
    int failed = !head || str_printf(&line, "%s,\"files\":[", head);

    for (size_t i = 0; i < count && !failed; i++) {
        if (i > 0)
            failed = str_add(&line, ",");
        if (!failed)
            failed = add_listing_entry(&line, snug_listing_entry(listing, i));
    }

    if (!failed)
        failed = str_printf(&line, "],\"is_whole\":%s}", is_whole);
    if (failed)
        end_answer(a, NULL, SNUG_ENOMEM);
    else
        put_answer_line(a, &line);

    str_free(&line);
    free(head);
}

/* ---- others ---- */

void answer_path(answers *a, const request *r, const char *schema)
{
    cJSON *object = begin_answer(r, schema);
    end_answer(a, object, json_add_text(object, "path", r->path));
}

void answer_fact(answers *a, const request *r, const char *schema, const char *name, int value)
{
    cJSON *object = begin_answer(r, schema);
    end_answer(a, object, name ? json_add_bool(object, name, value) : SNUG_OK);
}

void answer_error(answers *a, const request *r, int error, const char *message)
{
    cJSON *object = begin_answer(r, "snug.error/1");
    cJSON *details = json_add_object(object, "error");
    int failed = json_add_text(details, "name", snug_error_name(error));

    failed |= json_add_text(details, "value", message);
    end_answer(a, object, failed);
}
