#include "session/result/encode_display.h"

#include <stdlib.h>
#include <string.h>

#include "session/result/result.h"

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
