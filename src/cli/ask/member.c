#include "cli/ask/member.h"

#include <snug/snug.h>

#include <stdio.h>
#include <stdlib.h>

#include "cli/terminal/term.h"

str member_text(jsontext_span object, const char *name)
{
    str text = { 0 };
    jsontext_span value = jsontext_member(object, name);
    const int is_there = value.text && !jsontext_is(value, "null");
    if (is_there && jsontext_string(&text, value) == SNUG_EINVAL)
        str_append(&text, value.text, value.len);
    return text;
}

double member_number(jsontext_span object, const char *name)
{
    str text = member_text(object, name);
    double number = text.len > 0 ? strtod(text.data, NULL) : 0;
    str_free(&text);
    return number;
}

int member_put(const char *before, jsontext_span object, const char *name)
{
    str text = member_text(object, name);
    const int is_there = text.len > 0;

    if (is_there) {
        fputs(before, stderr);
        term_put(stderr, text.data, text.len);
    }
    str_free(&text);
    return is_there;
}
