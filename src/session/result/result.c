#include "session/result/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <snug/snug.h>

#include "base/error.h"
#include "calls/ledger.h"
#include "wire/json.h"

/* ---- as JSON ---- */

/* null where there is none. */
static void put_optional(str *out, const char *name, const char *text)
{
    if (text && *text)
        json_put_word(out, name, text);
    else
        json_put_raw(out, name, NULL);
}

static void put_value(str *out, const outcome *o)
{
    if (!o->has_value) {
        json_put_raw(out, "value", NULL);
        return;
    }

    json_open(out, "value", '{');
    json_put_str(out, "text", &o->value);
    json_put_str(out, "type", &o->value_type);
    if (o->value_json.len > 0)
        json_put_raw(out, "json", o->value_json.data);
    json_close(out, '}');
}

static void put_display(str *out, const snug_display *d)
{
    json_open(out, NULL, '{');
    json_put_bool(out, "is_main_result", d->is_main_result);
    json_open(out, "data", '{');
    for (size_t i = 0; i < d->part_count; i++) {
        const snug_mime *part = &d->parts[i];
        if (part->is_json)
            json_put_raw(out, part->type, part->data);
        else
            json_put_text(out, part->type, part->data, part->len);
    }
    json_close(out, '}');
    json_put_raw(out, "metadata", d->metadata_json);
    if (*d->id) {
        json_put_word(out, "display_id", d->id);
        json_put_bool(out, "is_update", d->is_update);
    }

    if (!d->is_main_result) {
        json_open(out, "after", '{');
        json_put_number(out, "stdout", (double)d->stdout_bytes);
        json_put_number(out, "stderr", (double)d->stderr_bytes);
        json_close(out, '}');
    }
    json_close(out, '}');
}

/* Of a list that is not told whole. */
static void put_counts(str *out, const char *name, size_t shown, uint64_t more)
{
    if (more == 0)
        return;
    json_open(out, name, '{');
    json_put_number(out, "total", (double)(shown + more));
    json_put_number(out, "shown", (double)shown);
    json_close(out, '}');
}

static void put_truncated(str *out, const snug_result *result)
{
    static const char *const names[] = { "stdout", "stderr" };
    const outcome *o = &result->outcome;

    json_open(out, "truncated", '{');
    if (result->displays.left_out > 0) {
        json_open(out, "displays", '{');
        json_put_number(out, "left_out", (double)result->displays.left_out);
        json_close(out, '}');
    }

    put_counts(out, "vars_changed", o->change_count, o->more_changes);
    put_counts(out, "artifacts", result->artifact_count, result->more_artifacts);
    for (int i = 0; i < 2; i++) {
        if (!result->is_cut[i])
            continue;
        json_open(out, names[i], '{');
        json_put_number(out, "total_bytes", (double)result->total_bytes[i]);
        json_put_number(out, "shown_bytes", (double)result->kept_bytes[i]);
        put_optional(out, "spill", result->spills[i]);
        json_close(out, '}');
    }
    json_close(out, '}');
}

static void put_error(str *out, const snug_result *result)
{
    const outcome *o = &result->outcome;
    if (!o->category) {
        json_put_raw(out, "error", NULL);
        return;
    }

    json_open(out, "error", '{');
    json_put_word(out, "category", o->category);
    json_put_word(out, "class", o->error_class);
    json_put_str(out, "name", &o->error_name);
    json_put_str(out, "value", &o->error_value);
    json_put_str(out, "traceback", &o->traceback);
    json_open(out, "frames", '[');
    for (size_t i = 0; i < o->frame_count; i++) {
        const outcome_frame *frame = &o->frames[i];
        json_open(out, NULL, '{');
        json_put_str(out, "file", &frame->file);
        json_put_number(out, "line", frame->line);
        json_put_str(out, "function", &frame->function);
        json_put_str(out, "code", &frame->code);
        json_close(out, '}');
    }
    json_close(out, ']');
    put_optional(out, "hint", str_text(&o->hint));
    json_put_bool(out, "retryable", result->state == SNUG_STATE_KEPT);
    json_close(out, '}');
}

static void put_changes(str *out, const outcome *o)
{
    json_open(out, "vars_changed", '[');
    for (size_t i = 0; i < o->change_count; i++) {
        const outcome_change *change = &o->changes[i];
        json_open(out, NULL, '{');
        json_put_text(out, "name", o->change_texts.data + change->name, change->name_len);
        put_optional(out, "type", o->change_texts.data + change->type);
        json_put_word(out, "op", change->op);
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void put_calls_and_artifacts(str *out, const snug_result *result)
{
    json_open(out, "tool_calls", '[');
    for (size_t i = 0; i < result->tool_call_count; i++) {
        const snug_tool_call *call = &result->tool_calls[i];
        json_open(out, NULL, '{');
        json_put_word(out, "name", call->name);
        json_put_word(out, "status", call->status);
        json_put_number(out, "duration_ms", (double)(call->duration_ns / 1000) / 1000.0);
        json_close(out, '}');
    }
    json_close(out, ']');

    json_open(out, "artifacts", '[');
    for (size_t i = 0; i < result->artifact_count; i++) {
        const snug_artifact *artifact = &result->artifacts[i];
        json_open(out, NULL, '{');
        json_put_word(out, "path", artifact->path);
        json_put_word(out, "mime", artifact->mime);
        json_put_number(out, "bytes", (double)artifact->bytes);
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void put_clock(str *out, uint64_t ms)
{
    char text[64], fraction[8] = "";
    struct tm at;
    time_t seconds = (time_t)(ms / 1000);

    if (!gmtime_r(&seconds, &at))
        return;
    if (ms % 1000)
        snprintf(fraction, sizeof fraction, ".%03u", (unsigned)(ms % 1000));
    size_t len = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &at);
    snprintf(text + len, sizeof text - len, "%sZ", fraction);
    json_put_word(out, "clock", text);
}

/* Only where something is: what a run has that is the same each time. */
static void put_fixed(str *out, const fixed_values *values)
{
    char number[32];

    if (!values->clock_ms && !values->has_seed && !values->hash_seed && !*values->zone)
        return;
    json_open(out, "fixed", '{');
    if (values->clock_ms)
        put_clock(out, values->clock_ms);
    snprintf(number, sizeof number, "%llu", (unsigned long long)values->seed);
    if (values->has_seed)
        json_put_raw(out, "seed", number);
    if (values->hash_seed)
        json_put_number(out, "hash_seed", (double)values->hash_seed);
    if (*values->zone)
        json_put_word(out, "zone", values->zone);
    json_close(out, '}');
}

/* The one encoder of snug.result/1: the JSON object, malloc'ed, or NULL. */
static char *result_encode(snug_result *result)
{
    const outcome *o = &result->outcome;
    str out = { 0 };

    if (result_show(result))
        return NULL;
    json_open(&out, NULL, '{');
    json_put_word(&out, "schema", "snug.result/1");
    json_put_word(&out, "session", result->session);
    json_put_number(&out, "execution_count", (double)result->execution_count);
    json_put_word(&out, "status", snug_status_name(o->status));
    json_put_word(&out, "state", snug_state_name(result->state));
    put_value(&out, o);
    json_open(&out, "results", '[');
    for (size_t i = 0; i < result->shown_count; i++)
        put_display(&out, &result->shown[i]);
    json_close(&out, ']');
    json_put_str(&out, "stdout", &result->streams[0]);
    json_put_str(&out, "stderr", &result->streams[1]);
    put_truncated(&out, result);
    put_error(&out, result);
    put_changes(&out, o);
    put_calls_and_artifacts(&out, result);
    json_open(&out, "usage", '{');
    json_put_number(&out, "wall_ms", (double)(result->wall_ns / 1000) / 1000.0);
    json_put_number(&out, "cpu_ms", (double)(result->cpu_ns / 1000) / 1000.0);
    json_put_number(&out, "peak_bytes", (double)result->peak_bytes);
    json_close(&out, '}');
    put_fixed(&out, &result->fixed);
    json_open(&out, "policy", '{');
    json_open(&out, "denied", '[');
    for (size_t i = 0; i < o->denial_count; i++) {
        json_open(&out, NULL, '{');
        json_put_str(&out, "event", &o->denials[i].event);
        json_put_str(&out, "detail", &o->denials[i].detail);
        json_close(&out, '}');
    }
    str_add(&out, "]}}");
    return json_taken(&out);
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

int result_describe(snug_display *out, const display *d)
{
    snug_mime *parts = calloc(d->part_count + 1, sizeof *parts);
    if (!parts)
        return SNUG_ENOMEM;

    for (size_t i = 0; i < d->part_count; i++)
        parts[i] = (snug_mime){ str_text(&d->parts[i].type), str_text(&d->parts[i].data),
                                d->parts[i].data.len, d->parts[i].is_json };

    *out = (snug_display){ .is_update = d->is_update,
                           .id = str_text(&d->id),
                           .stdout_bytes = d->after[0],
                           .stderr_bytes = d->after[1],
                           .parts = parts,
                           .part_count = d->part_count,
                           .metadata_json = d->metadata.len ? str_text(&d->metadata) : "{}" };
    return SNUG_OK;
}

/* The value: its text, and what else it shows. */
static int describe_main(snug_display *out, const snug_result *result)
{
    static const display nothing;
    const display *rich = result->outcome.rich ? result->outcome.rich : &nothing;
    int error = result_describe(out, rich);
    if (error)
        return error;

    snug_mime *parts = (snug_mime *)(uintptr_t)out->parts;
    memmove(parts + 1, parts, out->part_count * sizeof *parts);
    parts[0] =
        (snug_mime){ "text/plain", str_text(&result->outcome.value), result->outcome.value.len, 0 };
    out->part_count++;
    out->is_main_result = 1;
    out->stdout_bytes = result->total_bytes[0];
    out->stderr_bytes = result->total_bytes[1];
    return SNUG_OK;
}

int result_show(snug_result *result)
{
    size_t count = result->displays.count + (size_t)result->outcome.has_value;
    if (result->shown || count == 0)
        return SNUG_OK;

    if (!(result->shown = calloc(count, sizeof *result->shown)))
        return SNUG_ENOMEM;
    int error = SNUG_OK;
    for (size_t i = 0; i < count && !error; i++) {
        if (i < result->displays.count)
            error = result_describe(&result->shown[i], result->displays.items[i]);
        else
            error = describe_main(&result->shown[i], result);
        result->shown_count += !error;
    }

    return error;
}

size_t snug_result_display_count(const snug_result *result)
{
    return result->displays.count + (size_t)result->outcome.has_value;
}

const snug_display *snug_result_display(const snug_result *given, size_t index)
{
    snug_result *result = (snug_result *)(uintptr_t)given; /* they are made once */
    pthread_mutex_lock(&result->lock);
    result_show(result);
    pthread_mutex_unlock(&result->lock);
    return index < result->shown_count ? &result->shown[index] : NULL;
}

uint64_t snug_result_displays_left_out(const snug_result *result)
{
    return result->displays.left_out;
}
