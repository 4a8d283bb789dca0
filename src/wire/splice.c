#include "wire/splice.h"

#include <assert.h>
#include <string.h>

#include "base/utf8.h"

#include <snug/snug.h>

static int add_byte(str *out, unsigned char byte)
{
    if (byte == '"' || byte == '\\')
        return str_printf(out, "\\%c", byte);
    return str_printf(out, "\\u%04x", byte);
}

static int quote_text(str *out, const char *text)
{
    size_t len = strlen(text), at = 0;
    int error = str_add(out, "\"");

    while (at < len && !error) {
        /* A run that stands as it is, then one byte that does not. */
        size_t run = at, fault = len;
        if (utf8_check(text + at, len - at, &fault) != UTF8_FINE)
            fault += at;
        while (run < fault && (unsigned char)text[run] >= ' ' && !strchr("\"\\", text[run]))
            run++;
        error = str_append(out, text + at, run - at);
        at = run;
        if (error || at == len)
            break;

        if (at < fault)
            error = add_byte(out, (unsigned char)text[at]);
        else
            error = str_add(out, "\xef\xbf\xbd");
        at++;
    }

    return error ? error : str_add(out, "\"");
}

static int splice_member_in(str *out, const splice_member *member)
{
    int error = quote_text(out, member->name);

    if (!error)
        error = str_add(out, ":");
    if (error)
        return error;

    if (member->json)
        return str_add(out, member->json);
    return quote_text(out, member->text);
}

int splice_members(str *out, const char *object, size_t len, const splice_member *members,
                   size_t count)
{
    assert(len >= 2 && object[0] == '{');
    int error = str_add(out, "{");
    const char *comma = "";
    for (size_t i = 0; i < count && !error; i++) {
        if (!members[i].json && !members[i].text)
            continue;
        error = str_add(out, comma);
        if (!error)
            error = splice_member_in(out, &members[i]);
        comma = ",";
    }

    size_t rest = 1 + strspn(object + 1, " ");
    if (!error && object[rest] != '}')
        error = str_add(out, comma);
    return error ? error : str_append(out, object + rest, len - rest);
}
