#include "cli/run/typed_program.h"

#include <snug/snug.h>

#include <string.h>

#include "base/ascii.h"

/* ---- lines ---- */

typedef struct line {
    const char *text;
    size_t len;
} line;

static line trimmed(line l)
{
    while (l.len > 0 && is_space(*l.text)) {
        l.text++;
        l.len--;
    }
    while (l.len > 0 && is_space(l.text[l.len - 1]))
        l.len--;
    return l;
}

/* "%time f()". "% 3" is the rest of an expression. */
static int is_percent(line l)
{
    return l.len > 1 && *l.text == '%' && (is_name_start(l.text[1]) || l.text[1] == '%');
}

/* "name.other?", "?name" */
static int is_question(line l)
{
    if (l.len == 0 || (*l.text != '?' && l.text[l.len - 1] != '?'))
        return 0;
    for (size_t i = 0; i < l.len; i++)
        if (!is_name(l.text[i]) && !strchr(".?", l.text[i]))
            return 0;
    return 1;
}

static int is_magic(line l)
{
    return is_percent(l) || is_question(l) || (l.len > 0 && *l.text == '!');
}

/* Of "a, b = %time f()", where "%" stands; 0: it is none. */
static size_t assigned_magic(line l)
{
    const char *equals = memchr(l.text, '=', l.len);
    size_t at = equals ? (size_t)(equals - l.text) : l.len;

    for (size_t i = 0; i < at; i++)
        if (!is_name(l.text[i]) && !strchr("., ", l.text[i]))
            return 0;
    do
        at++;
    while (at < l.len && is_blank(l.text[at]));
    return at < l.len && is_percent((line){ l.text + at, l.len - at }) ? at : 0;
}

static int add_line(typed_program *p, const char *text, size_t len)
{
    const line own = trimmed((line){ text, len });
    const size_t blanks = own.len > 0 ? (size_t)(own.text - text) : 0, value = assigned_magic(own);
    const int is_other = is_magic(own) || memchr(text, '\0', len);
    int error = str_printf(&p->text, "%*s", (int)p->indentation, "");

    if (!error)
        error = str_append(&p->text, text, is_other ? blanks : value > 0 ? blanks + value : len);
    if (!error && (is_other || value > 0))
        error = str_add(&p->text, is_other ? "pass" : "_");
    return error ? error : str_add(&p->text, "\n");
}

/* ---- cells ---- */

/* %%bash, %%writefile: the rest of the cell need not be Python. */
static int is_foreign(const cell *one)
{
    static const char *const python[] = { "%%time", "%%timeit", "%%capture" };
    const size_t word = strcspn(one->source, " \t\r\n");

    for (size_t i = 0; i < sizeof python / sizeof *python; i++)
        if (strlen(python[i]) == word && !strncmp(one->source, python[i], word))
            return 0;
    return !strncmp(one->source, "%%", 2);
}

static int add_cell(typed_program *p, const cell *one)
{
    const char *at = one->source, *end = at + one->len;
    const int skips = is_foreign(one);
    int error = SNUG_OK;

    while (at < end && !error) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        const size_t len = (size_t)((feed ? feed : end) - at);
        error = skips ? add_line(p, "!", 1) : add_line(p, at, len);
        at = feed ? feed + 1 : end;
    }
    return error;
}

int typed_program_write(typed_program *p, const char *head, const cell_list *cells, int is_function)
{
    static const char function[] = "\nasync def _cells() -> None:";
    int error = str_printf(&p->text, "%s%s\n", head, is_function ? function : "");

    p->first_line = is_function ? 3 : 2;
    p->indentation = is_function ? 1 : 0;
    for (size_t i = 0; i < cells->count && !error; i++)
        error = add_cell(p, &cells->items[i]);
    return error ? error : str_printf(&p->text, "%*spass\n", (int)p->indentation, "");
}

static int has_word(line l, const char *name, size_t len)
{
    for (size_t i = 0; i + len <= l.len; i++)
        if (!memcmp(l.text + i, name, len) && (i == 0 || !is_name(l.text[i - 1])) &&
            (i + len == l.len || !is_name(l.text[i + len])))
            return 1;
    return 0;
}

int typed_program_has_global(const typed_program *p, const char *name, size_t len)
{
    static const char word[] = "global ";

    for (const char *at = str_text(&p->text); *at;) {
        const size_t all = strcspn(at, "\n");
        const line l = trimmed((line){ at, all });
        if (l.len > sizeof word && !memcmp(l.text, word, sizeof word - 1) && has_word(l, name, len))
            return 1;
        at += all + (at[all] == '\n');
    }
    return 0;
}
