#include "cli/editor/pasted.h"

#include <string.h>

#include "base/utf8.h"
#include "cli/terminal/columns.h"

int pasted_clean(str *out, const char *text, size_t len)
{
    static const char unknown[] = "\xef\xbf\xbd";
    int error = 0;

    for (size_t at = 0; at < len && !error;) {
        unsigned char c = (unsigned char)text[at];
        size_t plain = at, fault = 0;
        while (plain < len && (unsigned char)text[plain] >= ' ' && text[plain] != 0x7f &&
               (unsigned char)text[plain] < 0x80)
            plain++;
        if (plain > at) {
            error = str_append(out, text + at, plain - at);
            at = plain;
            continue;
        }

        at++;
        if (c == '\r' || c == '\n') {
            at += c == '\r' && at < len && text[at] == '\n';
            error = str_add(out, "\n");
        } else if (c == '\t') {
            error = str_add(out, "\t");
        } else if (c >= 0x80) {
            size_t width = utf8_width(c);
            at--;
            int is_one =
                width > 1 && width <= len - at && utf8_check(text + at, width, &fault) == UTF8_FINE;
            int is_control = is_one && c == 0xc2 && (unsigned char)text[at + 1] < 0xa0;
            if (!is_one)
                error = str_add(out, unknown);
            else if (!is_control)
                error = str_append(out, text + at, width);
            at += is_one ? width : 1;
        }
    }

    return error;
}
