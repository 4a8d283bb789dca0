#include "agent/clip.h"

#include <snug/snug.h>

#include "base/utf8.h"

int clip_append(str *out, const char *text, size_t len, size_t most, int is_end_important)
{
    if (len <= most)
        return str_append(out, text, len);
    size_t head = utf8_floor(text, len, is_end_important ? most / 4 : most / 4 * 3);
    size_t tail = utf8_ceil(text, len, len - (most - head));
    if (str_append(out, text, head) ||
        str_printf(out, "\n... %zu bytes left out ...\n", tail - head) ||
        str_append(out, text + tail, len - tail))
        return SNUG_ENOMEM;
    return SNUG_OK;
}
