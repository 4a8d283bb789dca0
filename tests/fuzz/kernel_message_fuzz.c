/* A message for a kernel, a frame a line, is refused with a reason, or what it says is text and
 * JSON within its frames. The same bytes as a connection file are refused with a reason, or name
 * five addresses. */
#include "fuzz.h"

#include <snug/snug.h>

#include "base/error.h"
#include "base/utf8.h"
#include "cli/kernel/connection.h"
#include "cli/kernel/message.h"

enum { MOST_FRAMES = 64 };

static int is_utf8(const char *text, size_t len)
{
    size_t at;
    return utf8_check(text, len, &at) == UTF8_FINE;
}

static int is_within(jsontext_span span, input line)
{
    return span.text >= line.at && span.text + span.len <= line.at + line.left;
}

static void check_members(const kernel_message *m)
{
    str text = { 0 };
    if (kernel_message_text(&text, m, "code") == SNUG_OK)
        HOLDS(is_utf8(str_text(&text), text.len));
    else
        HOLDS(strstr(error_message(), "\"code\" must be a string"));
    str_free(&text);
    int flag = kernel_message_flag(m, "silent", 7);
    HOLDS(flag == 0 || flag == 1 || flag == 7);
    (void)kernel_message_number(m, "cursor_pos", -1);
}

static void check_message(const kernel_message *m, input line)
{
    size_t at;
    HOLDS(m->identity_count < MOST_FRAMES);
    HOLDS(is_within(m->header, line) && is_within(m->content, line));
    HOLDS(!jsontext_check(m->header.text, m->header.len, &at));
    HOLDS(!jsontext_check(m->content.text, m->content.len, &at));
    HOLDS(is_utf8(str_text(&m->type), m->type.len));
    check_members(m);
}

static void read_message(input line)
{
    static const str none;
    kernel_part frames[MOST_FRAMES];
    size_t count = 0;
    signer *s;
    kernel_message m;

    for (input left = line; left.left > 0 && count < MOST_FRAMES; count++) {
        input frame = take_until(&left, "\n");
        frames[count] = (kernel_part){ frame.at, frame.left };
    }
    HOLDS(signer_open(&s, &none, &none) == SNUG_OK);
    if (kernel_message_read(&m, s, frames, count) == SNUG_OK)
        check_message(&m, line);
    else
        HOLDS(*error_message() && is_utf8(error_message(), strlen(error_message())));
    kernel_message_free(&m);
    signer_close(s);
}

static void read_connection(input text)
{
    connection c;
    if (connection_parse(&c, "file", text.at, text.left) == SNUG_OK)
        for (int i = 0; i < CHANNELS; i++)
            HOLDS(c.addresses[i].len > strlen("tcp://:1"));
    else
        HOLDS(!strncmp(error_message(), "file: ", 6) || strstr(error_message(), "out of memory"));
    connection_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input text = input_of(data, size);
    read_message(text);
    read_connection(text);
    return 0;
}
