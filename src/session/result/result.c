#include "session/result/result.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "calls/ledger.h"
#include "session/result/encode.h"

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
