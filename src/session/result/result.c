#include "session/result/result.h"

#include <snug/snug.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "calls/ledger.h"
#include "session/result/encode_display.h"
#include "wire/json.h"

/* ---- encode ---- */

/* Failures add up, so that the encoder reads as the shape it makes. */

static int encode_str(cJSON *object, const char *name, const str *text)
{
    return json_add_lasting(object, name, str_text(text), text->len);
}

/* null where there is none. */
static int encode_optional(cJSON *object, const char *name, const char *text)
{
    if (!text || !*text)
        return json_add_null(object, name);
    return json_add_text(object, name, text);
}

static int encode_value(cJSON *root, const outcome *o)
{
    if (!o->has_value)
        return json_add_null(root, "value");
    cJSON *value = json_add_object(root, "value");
    if (!value)
        return SNUG_ENOMEM;

    int failed = encode_str(value, "text", &o->value) | encode_str(value, "type", &o->value_type);
    if (o->value_json.len > 0)
        failed |= json_add_raw(value, "json", o->value_json.data);
    return failed;
}

static int encode_parts(cJSON *item, const snug_display *d)
{
    cJSON *data = json_add_object(item, "data");
    int failed = !data;

    for (size_t i = 0; !failed && i < d->part_count; i++) {
        const snug_mime *part = &d->parts[i];
        if (part->is_json)
            failed = json_add_lasting_raw(data, part->type, part->data);
        else
            failed = json_add_lasting(data, part->type, part->data, part->len);
    }

    return failed;
}

static int add_display(cJSON *results, const snug_display *d)
{
    cJSON *item = json_add_object(results, NULL);
    int failed = !item || json_add_bool(item, "is_main_result", d->is_main_result) ||
                 encode_parts(item, d) || json_add_lasting_raw(item, "metadata", d->metadata_json);

    if (!failed && *d->id)
        failed = json_add_text(item, "display_id", d->id) ||
                 json_add_bool(item, "is_update", d->is_update);

    if (failed || d->is_main_result)
        return failed;
    cJSON *after = json_add_object(item, "after");
    return !after || json_add_number(after, "stdout", (double)d->stdout_bytes) ||
           json_add_number(after, "stderr", (double)d->stderr_bytes);
}

static int add_results(cJSON *root, snug_result *result)
{
    cJSON *results = json_add_array(root, "results");
    int failed = !results || result_show(result);
    for (size_t i = 0; !failed && i < result->shown_count; i++)
        failed = add_display(results, &result->shown[i]);
    return failed;
}

static int add_changes(cJSON *root, const outcome *o)
{
    cJSON *changes = json_add_array(root, "vars_changed");
    int failed = !changes;

    for (size_t i = 0; !failed && i < o->change_count; i++) {
        const outcome_change *change = &o->changes[i];
        const char *name = o->change_texts.data + change->name;
        const char *type = o->change_texts.data + change->type;
        cJSON *item = json_add_object(changes, NULL);
        failed = !item || json_add_text_len(item, "name", name, change->name_len) ||
                 encode_optional(item, "type", type) || json_add_text(item, "op", change->op);
    }

    return failed;
}

static int add_artifacts(cJSON *root, const snug_result *result)
{
    cJSON *artifacts = json_add_array(root, "artifacts");
    int failed = !artifacts;

    for (size_t i = 0; !failed && i < result->artifact_count; i++) {
        const snug_artifact *artifact = &result->artifacts[i];
        cJSON *item = json_add_object(artifacts, NULL);
        failed = !item || json_add_text(item, "path", artifact->path) ||
                 json_add_text(item, "mime", artifact->mime) ||
                 json_add_number(item, "bytes", (double)artifact->bytes);
    }

    return failed;
}

/* Of a list that is not told whole. */
static int encode_counts(cJSON *truncated, const char *name, size_t shown, uint64_t more)
{
    if (more == 0)
        return SNUG_OK;

    cJSON *counts = json_add_object(truncated, name);
    return !counts || json_add_number(counts, "total", (double)(shown + more)) ||
           json_add_number(counts, "shown", (double)shown);
}

static int encode_left_out(cJSON *truncated, const snug_result *result)
{
    if (snug_result_displays_left_out(result) == 0)
        return SNUG_OK;

    cJSON *displays = json_add_object(truncated, "displays");
    return !displays || json_add_number(displays, "left_out", (double)result->displays.left_out);
}

static int encode_cut(cJSON *truncated, const snug_result *result, int stream)
{
    static const char *const names[] = { "stdout", "stderr" };

    if (!result->is_cut[stream])
        return SNUG_OK;

    cJSON *cut = json_add_object(truncated, names[stream]);
    return !cut || json_add_number(cut, "total_bytes", (double)result->total_bytes[stream]) ||
           json_add_number(cut, "shown_bytes", (double)result->kept_bytes[stream]) ||
           encode_optional(cut, "spill", result->spills[stream]);
}

static int add_truncated(cJSON *root, const snug_result *result)
{
    const outcome *o = &result->outcome;
    cJSON *truncated = json_add_object(root, "truncated");
    if (!truncated)
        return SNUG_ENOMEM;

    int failed = encode_left_out(truncated, result);
    failed |= encode_counts(truncated, "vars_changed", o->change_count, o->more_changes);
    failed |= encode_counts(truncated, "artifacts", result->artifact_count, result->more_artifacts);
    failed |= encode_cut(truncated, result, 0);
    failed |= encode_cut(truncated, result, 1);
    return failed;
}

static int add_frames(cJSON *error, const outcome *o)
{
    cJSON *frames = json_add_array(error, "frames");
    int failed = !frames;

    for (size_t i = 0; !failed && i < o->frame_count; i++) {
        const outcome_frame *frame = &o->frames[i];
        cJSON *item = json_add_object(frames, NULL);
        failed = !item || encode_str(item, "file", &frame->file) ||
                 json_add_number(item, "line", frame->line) ||
                 encode_str(item, "function", &frame->function) ||
                 encode_str(item, "code", &frame->code);
    }

    return failed;
}

static int encode_error(cJSON *root, const snug_result *result)
{
    const outcome *o = &result->outcome;
    if (!o->category)
        return json_add_null(root, "error");

    cJSON *error = json_add_object(root, "error");
    if (!error)
        return SNUG_ENOMEM;

    int failed = json_add_text(error, "category", o->category);
    failed |= json_add_text(error, "class", o->error_class);
    failed |= encode_str(error, "name", &o->error_name);
    failed |= encode_str(error, "value", &o->error_value);
    failed |= encode_str(error, "traceback", &o->traceback);
    failed |= add_frames(error, o);
    if (o->hint.len > 0)
        failed |= encode_str(error, "hint", &o->hint);
    else
        failed |= json_add_null(error, "hint");

    failed |= json_add_bool(error, "retryable", result->state == SNUG_STATE_KEPT);
    return failed;
}

static int add_tool_calls(cJSON *root, const snug_result *result)
{
    cJSON *calls = json_add_array(root, "tool_calls");
    int failed = !calls;

    for (size_t i = 0; !failed && i < result->tool_call_count; i++) {
        const snug_tool_call *call = &result->tool_calls[i];
        cJSON *item = json_add_object(calls, NULL);
        failed = !item || json_add_text(item, "name", call->name) ||
                 json_add_text(item, "status", call->status) ||
                 json_add_number(item, "duration_ms", (double)(call->duration_ns / 1000) / 1000.0);
    }

    return failed;
}

static int encode_usage(cJSON *root, const snug_result *result)
{
    cJSON *usage = json_add_object(root, "usage");
    return !usage || json_add_number(usage, "wall_ms", (double)(result->wall_ns / 1000) / 1000.0) ||
           json_add_number(usage, "cpu_ms", (double)(result->cpu_ns / 1000) / 1000.0) ||
           json_add_number(usage, "peak_bytes", (double)result->peak_bytes);
}

static int add_policy(cJSON *root, const outcome *o)
{
    cJSON *policy = json_add_object(root, "policy");
    if (!policy)
        return SNUG_ENOMEM;

    cJSON *denied = json_add_array(policy, "denied");
    int failed = !denied;

    for (size_t i = 0; !failed && i < o->denial_count; i++) {
        cJSON *item = json_add_object(denied, NULL);
        failed = !item || encode_str(item, "event", &o->denials[i].event) ||
                 encode_str(item, "detail", &o->denials[i].detail);
    }

    return failed;
}

static int encode_clock(cJSON *fixed, uint64_t ms)
{
    char text[64], fraction[8] = "";
    struct tm at;
    time_t seconds = (time_t)(ms / 1000);

    if (!gmtime_r(&seconds, &at))
        return SNUG_ENOMEM;
    if (ms % 1000)
        snprintf(fraction, sizeof fraction, ".%03u", (unsigned)(ms % 1000));
    size_t len = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &at);
    snprintf(text + len, sizeof text - len, "%sZ", fraction);
    return json_add_text(fixed, "clock", text);
}

/* Only where something is: what a run has that is the same each time. */
static int add_fixed(cJSON *root, const fixed_values *values)
{
    char number[32];

    if (!values->clock_ms && !values->has_seed && !values->hash_seed && !*values->zone)
        return SNUG_OK;
    cJSON *fixed = json_add_object(root, "fixed");
    int failed = !fixed;
    if (!failed && values->clock_ms)
        failed = encode_clock(fixed, values->clock_ms);
    snprintf(number, sizeof number, "%llu", (unsigned long long)values->seed);
    if (!failed && values->has_seed)
        failed = json_add_raw(fixed, "seed", number);
    if (!failed && values->hash_seed)
        failed = json_add_number(fixed, "hash_seed", (double)values->hash_seed);
    if (!failed && *values->zone)
        failed = json_add_text(fixed, "zone", values->zone);
    return failed;
}

/* The one encoder of snug.result/1: the JSON object, malloc'ed, or NULL. */
static char *result_encode(snug_result *result)
{
    const outcome *o = &result->outcome;
    cJSON *root = cJSON_CreateObject();
    char *text = NULL;

    if (!root)
        return NULL;

    int failed = json_add_text(root, "schema", "snug.result/1");
    failed |= json_add_text(root, "session", result->session);
    failed |= json_add_number(root, "execution_count", (double)result->execution_count);
    failed |= json_add_text(root, "status", snug_status_name(o->status));
    failed |= json_add_text(root, "state", snug_state_name(result->state));
    failed |= encode_value(root, o);
    failed |= add_results(root, result);
    failed |= encode_str(root, "stdout", &result->streams[0]);
    failed |= encode_str(root, "stderr", &result->streams[1]);
    failed |= add_truncated(root, result);
    failed |= encode_error(root, result);
    failed |= add_changes(root, o);
    failed |= add_tool_calls(root, result);
    failed |= add_artifacts(root, result);
    failed |= encode_usage(root, result);
    failed |= add_fixed(root, &result->fixed);
    failed |= add_policy(root, o);
    if (!failed)
        text = json_text(root);

    cJSON_Delete(root);
    return text;
}

snug_result *result_new(const char *session)
{
    size_t bytes = strlen(session) + 1;
    /* calloc takes no block of the C library's cache. */
    snug_result *result = malloc(sizeof *result + bytes);
    if (!result)
        return NULL;

    memset(result, 0, sizeof *result);
    memcpy(result->session, session, bytes);
    pthread_mutex_init(&result->lock, NULL);
    return result;
}

snug_status snug_result_status(const snug_result *result)
{
    return result->outcome.status;
}

snug_state snug_result_state(const snug_result *result)
{
    return result->state;
}

uint64_t snug_result_execution_count(const snug_result *result)
{
    return result->execution_count;
}

static const str *stream_text_of(const snug_result *result, snug_stream stream)
{
    switch (stream) {
    case SNUG_STREAM_VALUE:
        return &result->outcome.value;
    case SNUG_STREAM_STDOUT:
        return &result->streams[0];
    case SNUG_STREAM_STDERR:
        return &result->streams[1];
    case SNUG_STREAM_TRACEBACK:
        return &result->outcome.traceback;
    }
    return NULL;
}

const char *snug_result_text(const snug_result *result, snug_stream stream, size_t *len)
{
    const str *text = stream_text_of(result, stream);
    if (len)
        *len = text ? text->len : 0;
    return text ? str_text(text) : "";
}

uint64_t snug_result_total_bytes(const snug_result *result, snug_stream stream)
{
    switch (stream) {
    case SNUG_STREAM_STDOUT:
        return result->total_bytes[0];
    case SNUG_STREAM_STDERR:
        return result->total_bytes[1];
    case SNUG_STREAM_VALUE:
    case SNUG_STREAM_TRACEBACK:
        break;
    }

    const str *text = stream_text_of(result, stream);
    return text ? text->len : 0;
}

const char *snug_result_spill(const snug_result *result, snug_stream stream)
{
    int which = stream == SNUG_STREAM_STDERR;
    int is_output = stream == SNUG_STREAM_STDOUT || stream == SNUG_STREAM_STDERR;
    return is_output && *result->spills[which] ? result->spills[which] : NULL;
}

const char *snug_result_value_type(const snug_result *result)
{
    return str_text(&result->outcome.value_type);
}

const char *snug_result_value_json(const snug_result *result)
{
    return result->outcome.value_json.len > 0 ? result->outcome.value_json.data : NULL;
}

const char *snug_result_error_name(const snug_result *result)
{
    return str_text(&result->outcome.error_name);
}

const char *snug_result_error_value(const snug_result *result)
{
    return str_text(&result->outcome.error_value);
}

const char *snug_result_error_category(const snug_result *result)
{
    return result->outcome.category ? result->outcome.category : "";
}

const char *snug_result_error_hint(const snug_result *result)
{
    return str_text(&result->outcome.hint);
}

size_t snug_result_change_count(const snug_result *result)
{
    return result->outcome.change_count;
}

/* What is made at the first call is not a change that anybody sees. */
static snug_result *changeable(const snug_result *result)
{
    return (snug_result *)(uintptr_t)result;
}

static snug_change *describe_changes(const outcome *from)
{
    snug_change *changes = calloc(from->change_count, sizeof *changes);
    const char *texts = from->change_texts.data;
    for (size_t i = 0; changes && i < from->change_count; i++) {
        const outcome_change *change = &from->changes[i];
        changes[i] = (snug_change){ texts + change->name, texts + change->type, change->op };
    }
    return changes;
}

const snug_change *snug_result_change(const snug_result *given, size_t index)
{
    snug_result *result = changeable(given);
    if (index >= result->outcome.change_count)
        return NULL;

    pthread_mutex_lock(&result->lock);
    if (!result->changes)
        result->changes = describe_changes(&result->outcome);
    const snug_change *changes = result->changes;
    pthread_mutex_unlock(&result->lock);
    return changes ? &changes[index] : NULL;
}

size_t snug_result_artifact_count(const snug_result *result)
{
    return result->artifact_count;
}

const snug_artifact *snug_result_artifact(const snug_result *result, size_t index)
{
    return index < result->artifact_count ? &result->artifacts[index] : NULL;
}

uint64_t snug_result_artifacts_left_out(const snug_result *result)
{
    return result->more_artifacts;
}

uint64_t snug_result_wall_ns(const snug_result *result)
{
    return result->wall_ns;
}

uint64_t snug_result_cpu_ns(const snug_result *result)
{
    return result->cpu_ns;
}

uint64_t snug_result_peak_bytes(const snug_result *result)
{
    return result->peak_bytes;
}

int snug_result_rung(const snug_result *result)
{
    return result->rung;
}

size_t snug_result_tool_call_count(const snug_result *result)
{
    return result->tool_call_count;
}

const snug_tool_call *snug_result_tool_call(const snug_result *result, size_t index)
{
    return index < result->tool_call_count ? &result->tool_calls[index] : NULL;
}

const char *snug_result_json(const snug_result *given, size_t *len)
{
    snug_result *result = changeable(given);

    pthread_mutex_lock(&result->lock);
    if (!result->json && (result->json = result_encode(result)))
        result->json_len = strlen(result->json);
    pthread_mutex_unlock(&result->lock);
    if (len)
        *len = result->json_len;
    return result->json;
}

void snug_result_free(snug_result *result)
{
    if (!result)
        return;
    for (size_t i = 0; i < result->shown_count; i++)
        free((void *)(uintptr_t)result->shown[i].parts);
    free(result->shown);
    free(result->changes);
    display_list_free(&result->displays);
    for (size_t i = 0; i < result->artifact_count; i++)
        free((void *)(uintptr_t)result->artifacts[i].path);
    free(result->artifacts);
    outcome_free(&result->outcome);
    str_free(&result->category);
    str_free(&result->error_class);
    str_free(&result->streams[0]);
    str_free(&result->streams[1]);
    ledger_free_copy(result->tool_calls, result->tool_call_count);
    pthread_mutex_destroy(&result->lock);
    free(result->json);
    free(result);
}
