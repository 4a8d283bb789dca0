#include "session/result/encode.h"

#include <stdio.h>
#include <time.h>

#include "session/result/encode_display.h"
#include "session/result/result.h"
#include "wire/json.h"

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

char *result_encode(snug_result *result)
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
