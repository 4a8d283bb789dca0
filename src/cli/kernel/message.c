#include "cli/kernel/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

#include "base/error.h"

/* Where the mark is; count: it is nowhere. */
static size_t find_mark(const kernel_part *frames, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (frames[i].len == sizeof MESSAGE_MARK - 1 &&
            !memcmp(frames[i].data, MESSAGE_MARK, sizeof MESSAGE_MARK - 1))
            return i;
    return count;
}

static int check_object(const char *what, kernel_part part)
{
    size_t at = 0, start = 0;
    const char *fault = jsontext_check(part.data, part.len, &at);
    if (fault)
        return error_set(SNUG_EINVAL, "its %s is not JSON: %s at byte %zu", what, fault, at + 1);

    while (start < part.len && strchr(" \t\r\n", part.data[start]))
        start++;
    if (part.data[start] != '{')
        return error_set(SNUG_EINVAL, "its %s is not a JSON object", what);
    return SNUG_OK;
}

static int check_objects(const kernel_part parts[SIGNED_PARTS])
{
    static const char *const names[SIGNED_PARTS] = { "header", "parent header", "metadata",
                                                     "content" };
    int error = SNUG_OK;

    for (int i = 0; i < SIGNED_PARTS && !error; i++)
        error = check_object(names[i], parts[i]);
    return error;
}

static int take_header(kernel_message *out)
{
    int error = jsontext_string(&out->type, jsontext_member(out->header, "msg_type"));
    if (error == SNUG_EINVAL)
        return error_set(error, "its header has no \"msg_type\"");
    if (!error)
        error = jsontext_string(&out->date, jsontext_member(out->header, "date"));
    return error == SNUG_ENOMEM ? error_no_memory() : SNUG_OK;
}

int kernel_message_read(kernel_message *out, signer *s, const kernel_part *frames, size_t count)
{
    *out = (kernel_message){ 0 };
    size_t mark = find_mark(frames, count);
    if (mark == count)
        return error_set(SNUG_EINVAL, "it has no " MESSAGE_MARK);
    if (count - mark < 2 + SIGNED_PARTS)
        return error_set(SNUG_EINVAL, "it has %zu parts after " MESSAGE_MARK ", not %d",
                         count - mark - 1, 1 + SIGNED_PARTS);

    const kernel_part *parts = frames + mark + 2;
    if (!signer_check(s, frames[mark + 1], parts))
        return error_set(SNUG_EINVAL, "its signature is wrong");

    int error = check_objects(parts);
    if (error)
        return error;
    out->identities = frames;
    out->identity_count = mark;
    out->header = (jsontext_span){ parts[0].data, parts[0].len };
    out->parent = (jsontext_span){ parts[1].data, parts[1].len };
    out->content = (jsontext_span){ parts[3].data, parts[3].len };
    return take_header(out);
}

void kernel_message_free(kernel_message *m)
{
    str_free(&m->type);
    str_free(&m->date);
}

int kernel_message_text(str *out, const kernel_message *m, const char *name)
{
    int error = jsontext_string(out, jsontext_member(m->content, name));
    if (error == SNUG_EINVAL)
        return error_set(error, "%s: \"%s\" must be a string", str_text(&m->type), name);
    return error ? error_no_memory() : SNUG_OK;
}

int kernel_message_flag(const kernel_message *m, const char *name, int otherwise)
{
    jsontext_span value = jsontext_member(m->content, name);
    if (!value.text)
        return otherwise;
    if (jsontext_is(value, "true"))
        return 1;
    return jsontext_is(value, "false") ? 0 : otherwise;
}

long kernel_message_number(const kernel_message *m, const char *name, long otherwise)
{
    jsontext_span value = jsontext_member(m->content, name);
    char digits[24], *end;

    if (!value.text || value.len == 0 || value.len >= sizeof digits)
        return otherwise;
    memcpy(digits, value.text, value.len);
    digits[value.len] = '\0';
    errno = 0;
    long number = strtol(digits, &end, 10);
    return *end || errno ? otherwise : number;
}
