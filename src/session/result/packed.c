/*
 * packed.c - limits, spares, displays and results as bytes.
 */
#include "session/result/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/u64.h"
#include "limits/limits.h"
#include "policy/paths.h"

void limits_pack(packer *p, const snug_limits *limits)
{
#define PACK(field, option, unit, value, can_be_none, about) pack_number(p, limits->field);
    LIMITS(PACK)
#undef PACK
}

void limits_pack_resolved(packer *p, const snug_limits *limits)
{
#define PACK(field, option, unit, value, can_be_none, about) \
    pack_number(p, limits->field == 0 && (can_be_none) ? SNUG_NONE : limits->field);
    LIMITS(PACK)
#undef PACK
}

void limits_unpack(unpacker *u, snug_limits *limits)
{
    limits->size = sizeof *limits;
#define UNPACK(field, option, unit, value, can_be_none, about) limits->field = unpack_number(u);
    LIMITS(UNPACK)
#undef UNPACK
}

void pool_pack(packer *p, const snug_pool *pool)
{
    pack_number(p, pool->wanted);
    pack_number(p, pool->ready);
    pack_number(p, pool->ready_half);
    pack_number(p, pool->hits);
    pack_number(p, pool->half_warm);
    pack_number(p, pool->misses);
    pack_number(p, pool->given_back);
}

void pool_unpack(unpacker *u, snug_pool *pool)
{
    pool->wanted = (size_t)unpack_number(u);
    pool->ready = (size_t)unpack_number(u);
    pool->ready_half = (size_t)unpack_number(u);
    pool->hits = unpack_number(u);
    pool->half_warm = unpack_number(u);
    pool->misses = unpack_number(u);
    pool->given_back = unpack_number(u);
}

/* ---- displays ---- */

void display_pack(packer *p, const snug_display *d)
{
    pack_number(p, d->part_count);
    for (size_t i = 0; i < d->part_count; i++) {
        pack_text(p, d->parts[i].type);
        pack_number(p, (uint64_t)d->parts[i].is_json);
        pack_bytes(p, d->parts[i].data, d->parts[i].len);
    }

    pack_bytes(p, d->metadata_json, strlen(d->metadata_json));
    pack_text(p, d->id);
    pack_number(p, (uint64_t)d->is_update);
    pack_number(p, d->stdout_bytes);
    pack_number(p, d->stderr_bytes);
}

static void unpack_part(unpacker *u, display *d)
{
    const char *type = unpack_name(u);
    int is_json = (int)unpack_small(u, 1);
    display_part *part = u->is_bad ? NULL : display_add(d, type);
    if (!part) {
        u->is_bad = 1;
        return;
    }

    part->is_json = is_json;
    if (is_json)
        unpack_json(u, &part->data);
    else
        unpack_str(u, &part->data);
}

/* An honest worker sends no more. */
enum { MOST_PARTS = 32 };

display *display_unpack(unpacker *u, uint64_t *room)
{
    display *d = display_new();
    if (!d) {
        u->is_bad = 1; /* its bytes stay unread, in front of all that follows */
        return NULL;
    }

    size_t parts = unpack_count(u, 4);
    u->is_bad |= parts > MOST_PARTS;
    for (size_t i = 0; i < parts && !u->is_bad; i++)
        unpack_part(u, d);
    unpack_json(u, &d->metadata);
    /* What has none was packed as it is shown, and has to be of the size that the worker counted.
     */
    if (strcmp(str_text(&d->metadata), "{}") == 0)
        str_clear(&d->metadata);
    const char *id = unpack_name(u);
    d->is_update = (int)unpack_small(u, 1);
    d->after[0] = unpack_number(u);
    d->after[1] = unpack_number(u);
    if (!u->is_bad && str_add(&d->id, id) == SNUG_OK && display_bytes(d) <= *room) {
        *room -= display_bytes(d);
        return d;
    }

    u->is_bad = 1;
    display_drop(d);
    return NULL;
}

static void pack_display(packer *p, const display *d)
{
    snug_display shown;
    if (result_describe(&shown, d) != SNUG_OK) {
        p->is_short = 1;
        return;
    }
    display_pack(p, &shown);
    free((void *)(uintptr_t)shown.parts);
}

/* ---- results ---- */

static const char *const ops[] = { "set", "rebound", "deleted" };
static const char *const call_states[] = { "ok",        "error",  "timeout",
                                           "cancelled", "denied", "refused" };

static uint64_t index_of(const char *const *words, size_t count, const char *word)
{
    size_t i = 0;
    while (i < count - 1 && strcmp(words[i], word) != 0)
        i++;
    return i;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void pack_outcome(packer *p, const outcome *o)
{
    pack_number(p, (uint64_t)o->status);
    pack_number(p, (uint64_t)o->has_value);
    pack_str(p, &o->value);
    pack_str(p, &o->value_type);
    pack_str(p, &o->value_json);
    pack_text(p, o->category);
    pack_text(p, o->error_class);
    pack_str(p, &o->error_name);
    pack_str(p, &o->error_value);
    pack_str(p, &o->traceback);
    pack_str(p, &o->hint);
    pack_number(p, o->frame_count);
    for (size_t i = 0; i < o->frame_count; i++) {
        pack_str(p, &o->frames[i].file);
        pack_str(p, &o->frames[i].function);
        pack_str(p, &o->frames[i].code);
        pack_number(p, o->frames[i].line);
    }

    pack_number(p, o->denial_count);
    for (size_t i = 0; i < o->denial_count; i++) {
        pack_str(p, &o->denials[i].event);
        pack_str(p, &o->denials[i].detail);
    }

    pack_number(p, o->change_count);
    for (size_t i = 0; i < o->change_count; i++) {
        const outcome_change *change = &o->changes[i];
        pack_bytes(p, o->change_texts.data + change->name, change->name_len);
        pack_text(p, o->change_texts.data + change->type);
        pack_number(p, index_of(ops, COUNT(ops), change->op));
    }

    pack_number(p, o->more_changes);
    pack_number(p, o->rich != NULL);
    if (o->rich)
        pack_display(p, o->rich);
}

static void pack_lists(packer *p, const snug_result *result)
{
    pack_number(p, result->displays.count);
    for (size_t i = 0; i < result->displays.count; i++)
        pack_display(p, result->displays.items[i]);
    pack_number(p, result->displays.left_out);
    pack_number(p, result->artifact_count);
    for (size_t i = 0; i < result->artifact_count; i++) {
        pack_text(p, result->artifacts[i].path);
        pack_text(p, result->artifacts[i].mime);
        pack_number(p, result->artifacts[i].bytes);
    }

    pack_number(p, result->more_artifacts);
    pack_number(p, result->tool_call_count);
    for (size_t i = 0; i < result->tool_call_count; i++) {
        const snug_tool_call *call = &result->tool_calls[i];
        pack_text(p, call->name);
        pack_number(p, index_of(call_states, COUNT(call_states), call->status));
        pack_number(p, call->start_ns);
        pack_number(p, call->duration_ns);
    }
}

void result_pack(packer *p, const snug_result *result)
{
    pack_outcome(p, &result->outcome);
    pack_number(p, (uint64_t)result->state);
    pack_number(p, result->execution_count);
    for (int i = 0; i < 2; i++) {
        pack_str(p, &result->streams[i]);
        pack_number(p, result->total_bytes[i]);
        pack_number(p, result->kept_bytes[i]);
        pack_number(p, (uint64_t)result->is_cut[i]);
        pack_text(p, result->spills[i]);
    }

    pack_lists(p, result);
    pack_number(p, result->wall_ns);
    pack_number(p, result->cpu_ns);
    pack_number(p, result->peak_bytes);
    pack_number(p, (uint64_t)result->rung);
}

static void unpack_changes(unpacker *u, outcome *o)
{
    size_t count = unpack_count(u, 4);

    if (count > OUTCOME_CHANGES)
        u->is_bad = 1;
    if (count == 0 || u->is_bad)
        return;

    o->changes = calloc(count, sizeof *o->changes);
    u->is_bad |= !o->changes;
    for (size_t i = 0; i < count && !u->is_bad; i++) {
        outcome_change *change = &o->changes[i];
        const char *name = unpack_utf8(u, &change->name_len), *type = unpack_name(u);
        change->op = ops[unpack_small(u, COUNT(ops) - 1)];
        change->name = o->change_texts.len;
        change->type = change->name + change->name_len + 1;
        u->is_bad |= str_append(&o->change_texts, name, change->name_len + 1) ||
                     str_append(&o->change_texts, type, strlen(type) + 1);
    }
    o->change_count = u->is_bad ? 0 : count;
}

/* More than a traceback has. */
enum { MOST_FRAMES = 1000 };

static void unpack_frames(unpacker *u, outcome *o)
{
    size_t count = unpack_count(u, 7);

    if (count > MOST_FRAMES)
        u->is_bad = 1;
    if (u->is_bad)
        return;
    if (count == 0 || !(o->frames = calloc(count, sizeof *o->frames))) {
        u->is_bad |= count > 0;
        return;
    }

    o->frame_count = count;
    for (size_t i = 0; i < count && !u->is_bad; i++) {
        unpack_str(u, &o->frames[i].file);
        unpack_str(u, &o->frames[i].function);
        unpack_str(u, &o->frames[i].code);
        o->frames[i].line = (unsigned)unpack_small(u, UINT32_MAX);
    }
}

static void unpack_denials(unpacker *u, outcome *o)
{
    size_t count = unpack_count(u, 4);

    if (count > OUTCOME_DENIALS)
        u->is_bad = 1;
    if (count == 0 || u->is_bad)
        return;

    o->denials = calloc(count, sizeof *o->denials);
    o->denial_count = o->denials ? count : 0;
    u->is_bad |= !o->denials;
    for (size_t i = 0; i < count && !u->is_bad; i++) {
        unpack_str(u, &o->denials[i].event);
        unpack_str(u, &o->denials[i].detail);
    }
}

/* The displays of a result: the limit is the worker's to keep, and ours. */
typedef struct display_account {
    uint64_t room, limit_bytes;
} display_account;

/* A word that is static where it was packed. */
static const char *unpack_word(unpacker *u, str *held)
{
    const char *word = unpack_text(u);
    if (word && str_add(held, word))
        u->is_bad = 1;
    return word && !u->is_bad ? str_text(held) : NULL;
}

static void unpack_outcome(unpacker *u, snug_result *result, display_account *a)
{
    outcome *o = &result->outcome;

    o->status = (snug_status)unpack_small(u, SNUG_STATUS_STALLED);
    o->has_value = (int)unpack_small(u, 1);
    unpack_str(u, &o->value);
    unpack_str(u, &o->value_type);
    unpack_json(u, &o->value_json);
    o->category = unpack_word(u, &result->category);
    o->error_class = unpack_word(u, &result->error_class);
    u->is_bad |= !o->category != !o->error_class;
    unpack_str(u, &o->error_name);
    unpack_str(u, &o->error_value);
    unpack_str(u, &o->traceback);
    unpack_str(u, &o->hint);
    unpack_frames(u, o);
    unpack_denials(u, o);
    unpack_changes(u, o);
    o->more_changes = (size_t)unpack_number(u);
    if (unpack_small(u, 1))
        o->rich = display_unpack(u, &a->room);
}

static void unpack_displays(unpacker *u, display_list *list, display_account *a)
{
    size_t count = unpack_count(u, 6);

    u->is_bad |= count > a->room / DISPLAY_BYTES;
    if (u->is_bad)
        return;
    if (count > 0 && !(list->items = calloc(count, sizeof(display *)))) {
        u->is_bad = 1;
        return;
    }

    list->cap = count;
    for (size_t i = 0; i < count && !u->is_bad; i++)
        if ((list->items[list->count] = display_unpack(u, &a->room)))
            list->count++;

    list->limit_bytes = a->limit_bytes;
    list->kept_bytes = a->limit_bytes - a->room;
    list->left_out = unpack_number(u);
}

/* Path and type in one piece, which the result frees by its path. */
static char *join_path_and_type(const char *path, const char *mime)
{
    size_t len = strlen(path) + 1;
    char *both = malloc(len + strlen(mime) + 1);
    if (both) {
        strcpy(both, path);
        strcpy(both + len, mime);
    }
    return both;
}

static void unpack_artifacts(unpacker *u, snug_result *result)
{
    size_t count = unpack_count(u, 5);

    if (count > RESULT_ARTIFACTS)
        u->is_bad = 1;
    if (count > 0 && !u->is_bad &&
        !(result->artifacts = calloc(RESULT_ARTIFACTS, sizeof *result->artifacts)))
        u->is_bad = 1;

    for (size_t i = 0; i < count && !u->is_bad; i++) {
        const char *path = unpack_name(u), *mime = unpack_name(u);
        uint64_t bytes = unpack_number(u);
        u->is_bad |= !paths_is_relative_plain(path);
        char *both = u->is_bad ? NULL : join_path_and_type(path, mime);
        if (!both) {
            u->is_bad = 1;
            return;
        }
        result->artifacts[result->artifact_count++] =
            (snug_artifact){ both, both + strlen(both) + 1, bytes };
    }
    result->more_artifacts = unpack_number(u);
}

static void unpack_tool_calls(unpacker *u, snug_result *result)
{
    size_t count = unpack_count(u, 5);

    if (count > DESK_ENTRIES + DESK_DENIED_ENTRIES)
        u->is_bad = 1;
    if (count > 0 && !u->is_bad &&
        !(result->tool_calls = calloc(count, sizeof *result->tool_calls)))
        u->is_bad = 1;

    for (size_t i = 0; i < count && !u->is_bad; i++) {
        char *name = strdup(unpack_name(u));
        const char *state = call_states[unpack_small(u, COUNT(call_states) - 1)];
        uint64_t start = unpack_number(u), duration = unpack_number(u);
        if (!name) {
            u->is_bad = 1;
            return;
        }
        result->tool_calls[result->tool_call_count++] =
            (snug_tool_call){ name, state, start, duration };
    }
}

static void unpack_streams(unpacker *u, snug_result *result)
{
    for (int i = 0; i < 2; i++) {
        unpack_str(u, &result->streams[i]);
        result->total_bytes[i] = unpack_number(u);
        result->kept_bytes[i] = unpack_number(u);
        result->is_cut[i] = (int)unpack_small(u, 1);
        const char *name = unpack_name(u);
        if (strlen(name) >= sizeof result->spills[i] || (*name && !paths_is_relative_plain(name)) ||
            strchr(name, '/'))
            u->is_bad = 1;
        else
            strcpy(result->spills[i], name);
    }
}

enum { MOST_RUNG = 4 };

/* What a traceback, its frames, notes of denials and tool calls have at most, and then some. */
#define MOST_OF_THE_REST (UINT64_C(8) << 20)

/* What a cut stream or a clipped value says of what is left out. */
enum { CUT_BYTES = 256 };

uint64_t result_most_bytes(const snug_limits *limits)
{
    uint64_t streams = u64_sum(limits->output_bytes, limits->output_bytes);
    uint64_t values = u64_sum(limits->value_bytes, limits->value_bytes);
    return u64_sum(
        u64_sum(u64_sum(streams, values), u64_sum(limits->display_bytes, limits->list_bytes)),
        MOST_OF_THE_REST);
}

static int is_within(const str *text, uint64_t limit_bytes)
{
    return text->len <= limit_bytes || text->len - limit_bytes <= CUT_BYTES;
}

static int keeps_limits(const snug_result *result, const snug_limits *limits)
{
    return is_within(&result->outcome.value, limits->value_bytes) &&
           is_within(&result->outcome.value_json, limits->value_bytes) &&
           is_within(&result->streams[0], limits->output_bytes) &&
           is_within(&result->streams[1], limits->output_bytes) &&
           is_within(&result->outcome.change_texts, limits->list_bytes);
}

int result_unpack(snug_result **out, unpacker *u, const char *session, const snug_limits *limits)
{
    display_account a = { limits->display_bytes, limits->display_bytes };
    snug_result *result = result_new(session);
    if (!result)
        return SNUG_ENOMEM;

    unpack_outcome(u, result, &a);
    result->state = (snug_state)unpack_small(u, SNUG_STATE_LOST);
    result->execution_count = unpack_number(u);
    unpack_streams(u, result);
    unpack_displays(u, &result->displays, &a);
    unpack_artifacts(u, result);
    unpack_tool_calls(u, result);
    result->wall_ns = unpack_number(u);
    result->cpu_ns = unpack_number(u);
    result->peak_bytes = unpack_number(u);
    result->rung = (int)unpack_small(u, MOST_RUNG);
    u->is_bad |= u->left > 0 || !keeps_limits(result, limits);
    if (!u->is_bad) {
        *out = result;
        return SNUG_OK;
    }

    snug_result_free(result);
    return SNUG_EINVAL;
}
