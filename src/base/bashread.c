#include "base/bashread.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>

/* What ends the script on stdin: no line of it. */
static int find_delimiter(str *out, const char *script, size_t len)
{
    int error = str_add(out, "SNUG_PROGRAM");

    while (!error && len > 0 && memmem(script, len, out->data, out->len))
        error = str_add(out, "_");
    return error;
}

/* extglob: what a session may have turned on changes what can be read. */
int bashread_write(str *out, const char *script, size_t len)
{
    str delimiter = { 0 };
    int error = find_delimiter(&delimiter, script, len);

    if (!error)
        error =
            str_printf(out, "/bin/bash --noprofile --norc -n -O extglob <<'%s'\n", delimiter.data);
    if (!error)
        error = str_append(out, script, len);
    if (!error)
        error = str_printf(out, "\n%s\n", delimiter.data);
    str_free(&delimiter);
    return error;
}

/* "/bin/bash: line 3: syntax error near unexpected token `fi'" */
int bashread_complaint(str *message, unsigned *line, const char *said)
{
    static const char mark[] = ": line ";
    const char *number = strstr(said, mark), *fault = strstr(said, "syntax error");
    char *end;

    if (!number || !fault || fault < number)
        return SNUG_OK;
    *line = (unsigned)strtoul(number + sizeof mark - 1, &end, 10);
    return str_append(message, fault, strcspn(fault, "\n"));
}
