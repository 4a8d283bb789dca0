#include "agent/loop/images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/file.h"

/* What all providers take. */
enum { MOST_IMAGE_BYTES = 5000000, MOST_IMAGES = 20 };

/* By the first bytes; NULL: it is none of these. */
static const char *type_of(const char *data, size_t len)
{
    static const struct {
        const char *type, *begin;
        size_t len;
    } kinds[] = {
        { "image/png", "\x89PNG\r\n\x1a\n", 8 },
        { "image/jpeg", "\xff\xd8\xff", 3 },
        { "image/gif", "GIF87a", 6 },
        { "image/gif", "GIF89a", 6 },
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (len >= kinds[i].len && memcmp(data, kinds[i].begin, kinds[i].len) == 0)
            return kinds[i].type;
    if (len >= 12 && memcmp(data, "RIFF", 4) == 0 && memcmp(data + 8, "WEBP", 4) == 0)
        return "image/webp";
    return NULL;
}

static int add_image(run *r, const char *name, const char *data, size_t len)
{
    const char *type = type_of(data, len);

    if (len > MOST_IMAGE_BYTES)
        return error_set(SNUG_EINVAL, "image %s has %zu bytes, more than the %d that models take",
                         name, len, MOST_IMAGE_BYTES);
    if (!type)
        return error_set(SNUG_EINVAL, "image %s is not a PNG, JPEG, GIF or WebP", name);

    model_image *image = &r->images[r->image_count++];
    image->type = type;
    if (base64_append(&image->base64, data, len))
        return error_no_memory();
    return SNUG_OK;
}

static int read_image(run *r, size_t at)
{
    const snug_agent_image *given = &r->options->images[at];
    char number[32];
    str data = { 0 };

    if (!given->path) {
        snprintf(number, sizeof number, "%zu", at + 1);
        return add_image(r, number, given->data, given->len);
    }

    int error = file_read(&data, given->path, MOST_IMAGE_BYTES);
    if (!error)
        error = add_image(r, given->path, str_text(&data), data.len);
    str_free(&data);
    return error;
}

int images_read(run *r)
{
    const size_t count = r->options->image_count;
    int error = SNUG_OK;

    if (count == 0)
        return SNUG_OK;
    if (count > MOST_IMAGES)
        return error_set(SNUG_EINVAL, "%zu images are more than the %d of a question", count,
                         MOST_IMAGES);

    r->images = calloc(count, sizeof *r->images);
    if (!r->images)
        return error_no_memory();
    for (size_t i = 0; !error && i < count; i++)
        error = read_image(r, i);
    return error;
}
