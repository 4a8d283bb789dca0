#include "agent/text/program.h"

#include <snug/snug.h>

#include <stdint.h>
#include <string.h>

#include "agent/text/blocks.h"
#include "agent/text/line.h"
#include "agent/text/pylex.h"
#include "base/ascii.h"

static int begins_with(const char *text, size_t len, const char *prefix)
{
    size_t width = strlen(prefix);
    return len >= width && memcmp(text, prefix, width) == 0;
}

static int append_line(str *out, const char *text, size_t len)
{
    int error = str_append(out, text, len);
    if (error)
        return error;
    return str_add(out, "\n");
}

/* ---- indentation ---- */

/* What all lines have in front, but for blank ones and those within strings. */
static size_t common_indentation(const char *text, size_t len)
{
    size_t least = SIZE_MAX;
    pylex lex = { 0 };

    for (size_t at = 0; at < len && least > 0;) {
        line l = line_at(text, len, at);
        size_t blanks = line_blanks(&l);
        if (!lex.quote && blanks < l.len && blanks < least)
            least = blanks;
        while (at < l.next)
            at = pylex_step(&lex, text, len, at);
    }

    return least == SIZE_MAX ? 0 : least;
}

static int dedent(str *out, const char *text, size_t len)
{
    size_t indent = common_indentation(text, len);
    int error = SNUG_OK;

    for (size_t at = 0; at < len && !error;) {
        line l = line_at(text, len, at);
        size_t blanks = line_blanks(&l), off = blanks < indent ? blanks : indent;
        error = append_line(out, l.text + off, l.len - off);
        at = l.next;
    }

    return error;
}

/* ---- transcripts ---- */

/* Behind "In [12]: " or "Out[12]: "; 0: the line has none. */
static size_t past_number(const line *l, const char *word)
{
    size_t at = line_blanks(l);
    if (!begins_with(l->text + at, l->len - at, word))
        return 0;

    size_t digits = at += strlen(word);
    while (at < l->len && l->text[at] >= '0' && l->text[at] <= '9')
        at++;
    if (at == digits || !begins_with(l->text + at, l->len - at, "]:"))
        return 0;
    at += 2;
    return at + (at < l->len && l->text[at] == ' ');
}

/* Behind the prompt of Python or IPython; 0: the line has none. */
static size_t past_prompt(const line *l, int is_first)
{
    static const char *const prompts[] = { ">>> ", "... " };
    size_t blanks = line_blanks(l), at;
    if ((at = past_number(l, "In [")))
        return at;

    for (size_t i = 0; i < (is_first ? 1 : 2); i++) {
        if (begins_with(l->text, l->len, prompts[i]))
            return 4;
        if (l->len == 3 && memcmp(l->text, prompts[i], 3) == 0)
            return 3;
    }

    if (!is_first && begins_with(l->text + blanks, l->len - blanks, "...:"))
        return blanks + 4 + (blanks + 4 < l->len && l->text[blanks + 4] == ' ');
    return 0;
}

/* No line of a program begins with a prompt. A transcript's first line does, and its lines without
 * one are output. */
static int remove_prompts(str *out, const char *text, size_t len)
{
    int is_transcript = 0, error = SNUG_OK;

    for (size_t at = 0, first = 1; at < len && !error;) {
        line l = line_at(text, len, at);
        at = l.next;
        if (first && line_blanks(&l) == l.len)
            continue;
        size_t prompt = first || is_transcript ? past_prompt(&l, (int)first) : 0;
        is_transcript |= first && prompt;
        first = 0;
        if (prompt || !is_transcript)
            error = append_line(out, l.text + prompt, l.len - prompt);
    }

    return error;
}

/* ---- HTML ---- */

static const struct {
    const char *reference, *character;
} references[] = {
    { "&lt;", "<" },  { "&gt;", ">" },   { "&amp;", "&" },  { "&quot;", "\"" },
    { "&#39;", "'" }, { "&#x27;", "'" }, { "&apos;", "'" }, { "&#34;", "\"" },
};

static int reference_at(const char *text, size_t len)
{
    for (size_t i = 0; i < sizeof references / sizeof *references; i++)
        if (begins_with(text, len, references[i].reference))
            return (int)i;
    return -1;
}

/* All of it was escaped: none of <, > and & stands as itself, and a reference stands outside of
 * strings and comments. */
static int is_escaped(const char *text, size_t len)
{
    pylex lex = { 0 };
    int is_found = 0;

    for (size_t at = 0; at < len;) {
        int row = text[at] == '&' ? reference_at(text + at, len - at) : -1;
        if (text[at] == '<' || text[at] == '>' || (text[at] == '&' && row < 0))
            return 0;
        is_found |= row >= 0 && pylex_is_code(&lex);
        at = pylex_step(&lex, text, len, at);
    }

    return is_found;
}

/* Whether it binds a name of the references, "lt = ", "import amp", "for gt in": then `a &lt; b`
 * may be Python as it stands, `a & lt; b`. */
static int binds_reference_names(const char *text, size_t len)
{
    static const char *const names[] = { "lt", "gt", "amp", "quot" };

    for (size_t i = 0; i < 4; i++) {
        size_t width = strlen(names[i]);
        for (const char *c = text; (c = memmem(c, len - (size_t)(c - text), names[i], width));
             c++) {
            char before = c > text ? c[-1] : '\n';
            char behind = c + width < text + len ? c[width] : '\n';
            if (strchr(" \t\n,(", before) && strchr(" \t\n,)=:", behind))
                return 1;
        }
    }

    return 0;
}

static int unescape_html(str *out, const char *text, size_t len)
{
    if (!memchr(text, '&', len) || !is_escaped(text, len) || binds_reference_names(text, len))
        return str_append(out, text, len);

    for (size_t at = 0; at < len;) {
        const char *mark = memchr(text + at, '&', len - at);
        if (!mark)
            return str_append(out, text + at, len - at);

        const size_t begin = (size_t)(mark - text);
        if (str_append(out, text + at, begin - at))
            return SNUG_ENOMEM;

        const int row = reference_at(mark, len - begin);
        if (row >= 0 && str_add(out, references[row].character))
            return SNUG_ENOMEM;
        at = begin + (row >= 0 ? strlen(references[row].reference) : 1);
    }

    return SNUG_OK;
}

int program_of(str *out, const char *text, size_t len)
{
    static int (*const passes[])(str *, const char *, size_t) = { pylex_clean, unescape_html,
                                                                  dedent, remove_prompts, dedent };
    str now = { 0 }, next = { 0 };
    int error = str_append(&now, text, len);

    for (size_t i = 0; i < sizeof passes / sizeof *passes && !error; i++) {
        error = passes[i](&next, str_text(&now), now.len);
        str_free(&now);
        now = next;
        next = (str){ 0 };
    }

    if (!error) {
        blocks_trim(&now);
        error = str_add_str(out, &now);
    }

    str_free(&now);
    return error;
}

/* ---- programs in prose ---- */

size_t program_lead(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len && strchr(" \t\n", text[at]) && text[at])
        at++;

    line first = line_at(text, len, at);
    if (first.next == at + first.len)
        return 0;
    while (first.len && strchr(" \t*_", first.text[first.len - 1])) /* "**Code:**" */
        first.len--;

    int is_lead = first.len == 6 && memcmp(first.text, "python", 6) == 0;
    is_lead |=
        first.len && first.text[first.len - 1] == ':' && !pylex_is_python(first.text, first.len);
    return is_lead ? first.next : 0;
}

/* Beginnings that are read to the end of the text in vain: with a bracket that is not closed. */
enum { MOST_VAIN = 4 };

/* What was read up to something that is not Python cannot be a program, from any of its lines. */
size_t program_tail(const char *text, size_t len)
{
    size_t vain = 0;

    for (size_t at = 0, read; at < len && vain < MOST_VAIN;) {
        at = line_at(text, len, at).next;
        if (at >= len || is_blank(text[at]) || text[at] == '\n')
            continue;
        if (pylex_read_python(&read, text + at, len - at))
            return at;
        if (at + read >= len)
            vain++;
        else if (read > 0)
            at += read - 1;
    }

    return 0;
}
