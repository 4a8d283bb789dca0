#include "wire/splice.h"

#include <assert.h>
#include <string.h>

#include "base/jsontext.h"

#include <snug/snug.h>

static int append_member(str *out, const splice_member *member)
{
    int error = jsontext_quote(out, member->name, strlen(member->name));

    if (!error)
        error = str_add(out, ":");
    if (error)
        return error;

    if (member->json)
        return str_add(out, member->json);
    return jsontext_quote(out, member->text, strlen(member->text));
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
            error = append_member(out, &members[i]);
        comma = ",";
    }

    size_t rest = 1 + strspn(object + 1, " ");
    if (!error && object[rest] != '}')
        error = str_add(out, comma);
    return error ? error : str_append(out, object + rest, len - rest);
}
