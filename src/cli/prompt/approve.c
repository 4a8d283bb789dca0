#include "cli/prompt/approve.h"

#include <string.h>

#include "base/ascii.h"
#include "base/jsontext.h"
#include "base/utf8.h"
#include "cli/prompt/read_line.h"
#include "cli/prompt/show_cell.h"
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

/* As a terminal may have it, on one line. */
static int write_question(str *out, const snug_call *call)
{
    str text = { 0 };
    clean c = { 0 };
    int error = write_call(&text, call);

    for (size_t i = 0; !error && i < text.len; i++)
        if (text.data[i] == '\n' || text.data[i] == '\r')
            text.data[i] = ' ';
    if (!error)
        error = str_add(out, "Call ");
    if (!error)
        error = clean_text(out, &c, str_text(&text), text.len, 0);
    if (!error)
        error = clean_end(out, &c);
    str_free(&text);
    return error ? error : str_add(out, "? [y]es, [a]lways, [n]o: ");
}

/* Anything but a clear yes is none. */
static snug_approval answer_of(const char *line)
{
    static const struct {
        const char *word;
        snug_approval answer;
    } words[] = { { "y", SNUG_APPROVAL_ONCE },
                  { "yes", SNUG_APPROVAL_ONCE },
                  { "a", SNUG_APPROVAL_ALWAYS },
                  { "always", SNUG_APPROVAL_ALWAYS } };
    char word[16] = "";

    line += strspn(line, " \t");
    const size_t len = strcspn(line, " \t\r");
    for (size_t i = 0; i < len && i < sizeof word - 1; i++)
        word[i] = to_lower(line[i]);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i].word))
            return words[i].answer;
    return SNUG_APPROVAL_REFUSE;
}

void approve_call(void *payload, snug_call *call)
{
    show *s = payload;
    str question = { 0 }, line = { 0 };
    snug_approval answer = SNUG_APPROVAL_REFUSE;

    if (write_question(&question, call) == SNUG_OK &&
        read_line_ask(s, call, str_text(&question), &line))
        answer = answer_of(str_text(&line));
    snug_call_approve(call, answer,
                      answer == SNUG_APPROVAL_REFUSE ? "the person at the terminal refused it"
                                                     : NULL);
    str_free(&question);
    str_free(&line);
}
