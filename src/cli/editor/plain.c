#include "cli/editor/plain.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "cli/editor/pasted.h"

/* CONSOLE_KEY: *line is one, without its end. */
static console_event read_line_of(console *c, str *line)
{
    str_clear(line);
    for (;;) {
        unsigned char byte;
        console_event event = console_next_byte(c, &byte);
        if (event == CONSOLE_RESIZE || event == CONSOLE_RESUME)
            continue;
        if (event != CONSOLE_KEY || byte == '\n')
            return event;
        if (line->len < BUFFER_MOST_BYTES && str_append(line, (const char *)&byte, 1))
            return CONSOLE_END;
    }
}

static int is_blank_line(const char *line)
{
    return !line[strspn(line, " \t\r\f")];
}

/* A line that is indented waits for an empty one, so that a block can go on; where more has come
 * with it, an empty line ends nothing. */
static int is_over(console *c, const editor_hooks *hooks, const str *text, const char *last,
                   int is_first)
{
    if (is_blank_line(str_text(text)))
        return 1;
    if (is_blank_line(last) && !console_is_idle(c))
        return 0;
    if (hooks->is_whole && !hooks->is_whole(hooks->payload, str_text(text), text->len))
        return 0;
    return is_first || is_blank_line(last) || !is_blank(*last);
}

reader_event plain_read(console *c, const editor_hooks *hooks, const char *label, const char *more,
                        str *text)
{
    str line = { 0 }, clean = { 0 };
    reader_event event = READER_TEXT;

    str_clear(text);
    for (int is_first = 1;; is_first = 0) {
        fputs(is_first ? label : more, stdout);
        fflush(stdout);
        console_event read = read_line_of(c, &line);
        if (read == CONSOLE_CANCEL)
            fputs("\nKeyboardInterrupt\n\n", stdout);
        if (read != CONSOLE_KEY) {
            event = read == CONSOLE_CANCEL ? READER_CANCEL : READER_END;
            break;
        }

        str_clear(&clean);
        if (pasted_clean(&clean, str_text(&line), line.len) || (!is_first && str_add(text, "\n")) ||
            str_append(text, str_text(&clean), clean.len)) {
            event = READER_END;
            break;
        }
        if (is_over(c, hooks, text, str_text(&clean), is_first))
            break;
    }

    str_free(&line);
    str_free(&clean);
    return event;
}
