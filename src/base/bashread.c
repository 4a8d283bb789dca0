#include "base/bashread.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>

int bashread_write(str *out, const char *script, size_t len)
{
    return str_add(out, "exit 0\n") || str_append(out, script, len) ? SNUG_ENOMEM : SNUG_OK;
}

int bashread_complaint(str *message, unsigned *line, const char *value)
{
    static const char mark[] = "line ";
    const char *fault = strstr(value, "syntax error");

    if (!fault || strncmp(value, mark, sizeof mark - 1) != 0)
        return SNUG_OK;
    const unsigned long number = strtoul(value + sizeof mark - 1, NULL, 10);
    *line = number > 0 ? (unsigned)number - 1 : 0;
    return str_append(message, fault, strcspn(fault, "\n"));
}
