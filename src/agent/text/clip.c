#include "agent/text/clip.h"

#include <snug/snug.h>

#include "base/utf8.h"

int clip_append(str *out, const char *text, size_t len, size_t most, int is_end_important)
{
    if (len <= most)
        return str_append(out, text, len);
    size_t head = utf8_floor(text, len, is_end_important ? most / 4 : most / 4 * 3);
    size_t tail = utf8_ceil(text, len, len - (most - head));
    str_append(out, text, head);
    str_printf(out, "\n... %zu bytes left out ...\n", tail - head);
    return str_append(out, text + tail, len - tail);
}

size_t clip_line(char *text, size_t len)
{
    size_t out = 0;

    utf8_mend(text, len);
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        int is_late = c == 0xc2 && i + 1 < len && (unsigned char)text[i + 1] < 0xa0;
        i += (size_t)is_late; /* U+0080 to U+009F */
        if (c > ' ' && c != 0x7f && !is_late)
            text[out++] = (char)c;
        else if (out > 0 && text[out - 1] != ' ')
            text[out++] = ' ';
    }

    while (out > 0 && text[out - 1] == ' ')
        out--;
    return out;
}
