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

/* Those behind the most are not kept: where one of them is asked for, it is looked for. */
static void note_member(kernel_members *out, const jsontext_token *name, jsontext_span value)
{
    if (out->count < MOST_MEMBERS) {
        out->all[out->count].name = (jsontext_span){ name->text, name->len };
        out->all[out->count].value = value;
    }
    out->count++;
}

/* SNUG_OK, or SNUG_EINVAL with what is wrong with it. */
static int read_object(kernel_members *out, const char *what, kernel_part part)
{
    jsontext j;
    jsontext_token token;
    jsontext_span value;

    out->count = 0;
    if (!jsontext_enter(&j, (jsontext_span){ part.data, part.len }) || j.open[0] != '{')
        return check_object(what, part);
    while (jsontext_item(&j, &token, &value))
        note_member(out, &token, value);
    return jsontext_next(&j, &token) == JSONTEXT_END ? SNUG_OK : check_object(what, part);
}

static jsontext_span find_member(const kernel_members *members, jsontext_span object,
                                 const char *name)
{
    const size_t len = strlen(name);

    if (members->count > MOST_MEMBERS)
        return jsontext_member(object, name);
    for (size_t i = members->count; i-- > 0;)
        if (members->all[i].name.len == len && !memcmp(members->all[i].name.text, name, len))
            return members->all[i].value;
    return (jsontext_span){ NULL, 0 };
}

static int take_header(kernel_message *out, const kernel_members *header)
{
    int error = jsontext_string(&out->type, find_member(header, out->header, "msg_type"));
    if (error == SNUG_EINVAL)
        return error_set(error, "its header has no \"msg_type\"");
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

    kernel_members header;
    int error = read_object(&header, "header", parts[0]);
    if (!error)
        error = check_object("parent header", parts[1]);
    if (!error)
        error = check_object("metadata", parts[2]);
    if (!error)
        error = read_object(&out->members, "content", parts[3]);
    if (error)
        return error;
    out->identities = frames;
    out->identity_count = mark;
    out->header = (jsontext_span){ parts[0].data, parts[0].len };
    out->parent = (jsontext_span){ parts[1].data, parts[1].len };
    out->content = (jsontext_span){ parts[3].data, parts[3].len };
    return take_header(out, &header);
}

void kernel_message_free(kernel_message *m)
{
    str_free(&m->type);
}

jsontext_span kernel_message_member(const kernel_message *m, const char *name)
{
    return find_member(&m->members, m->content, name);
}

int kernel_message_text(str *out, const kernel_message *m, const char *name)
{
    int error = jsontext_string(out, kernel_message_member(m, name));
    if (error == SNUG_EINVAL)
        return error_set(error, "%s: \"%s\" must be a string", str_text(&m->type), name);
    return error ? error_no_memory() : SNUG_OK;
}

int kernel_message_flag(const kernel_message *m, const char *name, int otherwise)
{
    jsontext_span value = kernel_message_member(m, name);
    if (!value.text)
        return otherwise;
    if (jsontext_is(value, "true"))
        return 1;
    return jsontext_is(value, "false") ? 0 : otherwise;
}

long kernel_message_number(const kernel_message *m, const char *name, long otherwise)
{
    jsontext_span value = kernel_message_member(m, name);
    char digits[24], *end;

    if (!value.text || value.len == 0 || value.len >= sizeof digits)
        return otherwise;
    memcpy(digits, value.text, value.len);
    digits[value.len] = '\0';
    errno = 0;
    long number = strtol(digits, &end, 10);
    return *end || errno ? otherwise : number;
}
