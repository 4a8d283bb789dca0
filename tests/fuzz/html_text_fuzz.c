/* Any bytes become lines of UTF-8 without control characters, in bounds; a table's are no wider
 * than asked for, as far as its columns permit. */
#include "fuzz.h"

#include "base/utf8.h"
#include "cli/display/html_text.h"

static void check_line(const char *line, size_t len)
{
    for (size_t i = 0; i < len; i++)
        HOLDS((unsigned char)line[i] >= ' ' && line[i] != 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = input_of(data, size);
    size_t width = take_byte(&in), fault;
    char *html = copy_of(in.at, in.left);
    str out = { 0 };

    HOLDS(html_text(&out, html, in.left, width) == 0);
    HOLDS(utf8_check(str_text(&out), out.len, &fault) == UTF8_FINE);
    HOLDS(out.len == 0 || out.data[out.len - 1] == '\n');
    HOLDS(out.len <= (1 << 20) + 64 * in.left);
    for (input all = { str_text(&out), out.len }; all.left > 0;) {
        input line = take_until(&all, "\n");
        check_line(line.at, line.left);
    }

    str_free(&out);
    free(html);
    return 0;
}
