#include "cli/tools/call_text.h"

#include <string.h>

#include "base/ascii.h"
#include "base/jsontext.h"
#include "base/utf8.h"
#include "cli/terminal/clean.h"

enum { MOST_SHOWN = 2000 };

/* A name that Python takes stands as it is. Any other one is quoted: it is the program's, and could
 * read as the end of the call. */
static int write_name(str *out, const jsontext_token *name)
{
    str text = { 0 };
    int error = jsontext_token_string(&text, name), is_plain = text.len > 0;

    for (size_t i = 0; i < text.len; i++)
        is_plain &= is_word(text.data[i]) != 0;
    if (!error)
        error = is_plain ? str_add_str(out, &text) : jsontext_quote(out, str_text(&text), text.len);
    str_free(&text);
    return error;
}

/* "files.write(path=\"a\", text=\"...\")": values as JSON, cut with what is left out said. */
static int write_call(str *out, const snug_call *call)
{
    const char *arguments = snug_call_arguments(call);
    jsontext j;
    jsontext_token name;
    jsontext_span value;
    size_t count = 0;
    int error = str_printf(out, "%s(", snug_call_name(call));

    if (jsontext_enter(&j, (jsontext_span){ arguments, strlen(arguments) }))
        while (!error && jsontext_item(&j, &name, &value)) {
            error = str_printf(out, "%s", count++ > 0 ? ", " : "");
            if (!error)
                error = write_name(out, &name);
            if (!error)
                error = str_add(out, "=");
            if (!error)
                error = str_append(out, value.text, value.len);
        }
    if (!error)
        error = str_add(out, ")");
    if (error || out->len <= MOST_SHOWN)
        return error;

    const size_t kept = utf8_floor(out->data, out->len, MOST_SHOWN), left = out->len - kept;
    out->data[kept] = '\0';
    out->len = kept;
    return str_printf(out, "... (%zu more bytes)", left);
}

int call_text_write(str *out, const snug_call *call)
{
    str text = { 0 };
    clean c = { 0 };
    int error = write_call(&text, call);

    for (size_t i = 0; !error && i < text.len; i++)
        if (text.data[i] == '\n' || text.data[i] == '\r')
            text.data[i] = ' ';
    if (!error)
        error = clean_text(out, &c, str_text(&text), text.len, 0);
    if (!error)
        error = clean_end(out, &c);
    str_free(&text);
    return error;
}
