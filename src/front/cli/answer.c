#include "front/cli/answer.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/utf8.h"
#include "front/cli/splice.h"
#include "wire/json.h"

static bool write_all(const char *text, size_t len)
{
    while (len > 0) {
        ssize_t written = write(STDOUT_FILENO, text, len);
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            text += written;
            len -= (size_t)written;
        }
    }
    return true;
}

static void write_line(answers *a, str *line)
{
    bool is_whole = !str_add(line, "\n");
    pthread_mutex_lock(&a->lock);
    if (!a->is_broken && !(is_whole && write_all(line->data, line->len))) {
        a->is_broken = true;
        signals_ask(a->signals, SIGPIPE);
    }
    pthread_mutex_unlock(&a->lock);
}

void answer_json(answers *a, const request *r, const char *json, size_t len)
{
    const splice_member id = { "id", r->id, NULL };
    str line = { 0 };
    if (json && !splice_members(&line, json, len, &id, 1))
        write_line(a, &line);
    else
        answer_error(a, r, SNUG_ENOMEM, "out of memory for the answer");
    str_free(&line);
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
static cJSON *begin(const request *r, const char *schema)
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
static void end(answers *a, cJSON *object, int error)
{
    static const char last_words[] =
        "{\"schema\":\"snug.error/1\",\"error\":{\"name\":\"SNUG_ENOMEM\",\"value\":\"out of "
        "memory\"}}";
    char *text = object && !error ? json_text(object) : NULL;
    str line = { 0 };
    if (!str_add(&line, text ? text : last_words))
        write_line(a, &line);
    str_free(&line);
    free(text);
    cJSON_Delete(object);
}

void answer_completion(answers *a, const request *r, const snug_completion *completion)
{
    cJSON *object = begin(r, "snug.completion/1");
    cJSON *matches = object ? json_add_array(object, "matches") : NULL;
    int error = matches ? SNUG_OK : SNUG_ENOMEM;
    for (size_t i = 0; i < snug_completion_count(completion) && !error; i++)
        error = json_add_text(matches, NULL, snug_completion_text(completion, i));
    if (!error)
        error = json_add_number(object, "start",
                                (double)utf8_length(r->code, snug_completion_start(completion)));
    end(a, object, error);
}

static int add_data(cJSON *object, const char *data, size_t len)
{
    size_t fault;
    str text = { 0 };
    if (utf8_check(data, len, &fault) == UTF8_FINE)
        return json_add_text_len(object, "data", data, len);
    int error = base64_append(&text, data, len);
    if (!error)
        error = json_add_text(object, "data_base64", str_text(&text));
    str_free(&text);
    return error;
}

void answer_file(answers *a, const request *r, const snug_file *file)
{
    size_t len;
    const char *data = snug_file_data(file, &len);
    cJSON *object = begin(r, "snug.file/1");
    int error = !object || json_add_text(object, "path", r->path) ||
                json_add_text(object, "mime", snug_file_mime(file)) ||
                json_add_number(object, "bytes", (double)len) || add_data(object, data, len);
    end(a, object, error);
}

static int add_entry(cJSON *files, const snug_entry *entry)
{
    cJSON *item = json_add_object(files, NULL);
    return !item || json_add_text(item, "path", entry->path) ||
           json_add_text(item, "kind", snug_entry_kind_name(entry->kind)) ||
           json_add_number(item, "bytes", (double)entry->bytes) ||
           json_add_number(item, "modified", (double)(entry->modified_ns / 1000) / 1e6);
}

void answer_listing(answers *a, const request *r, const snug_listing *listing)
{
    cJSON *object = begin(r, "snug.files/1");
    cJSON *files = object ? json_add_array(object, "files") : NULL;
    int error = !files;
    for (size_t i = 0; i < snug_listing_count(listing) && !error; i++)
        error = add_entry(files, snug_listing_entry(listing, i));
    if (!error)
        error = json_add_bool(object, "is_whole", snug_listing_is_whole(listing));
    end(a, object, error);
}

void answer_path(answers *a, const request *r, const char *schema)
{
    cJSON *object = begin(r, schema);
    end(a, object, object ? json_add_text(object, "path", r->path) : SNUG_OK);
}

void answer_fact(answers *a, const request *r, const char *schema, const char *name, bool value)
{
    cJSON *object = begin(r, schema);
    end(a, object, object && name ? json_add_bool(object, name, value) : SNUG_OK);
}

void answer_error(answers *a, const request *r, int error, const char *message)
{
    cJSON *object = begin(r, "snug.error/1");
    cJSON *details = object ? json_add_object(object, "error") : NULL;
    int failed = SNUG_ENOMEM;
    if (details && !(failed = json_add_text(details, "name", snug_error_name(error))))
        failed = json_add_text(details, "value", message);
    end(a, object, failed);
}
