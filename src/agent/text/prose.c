#include "agent/text/prose.h"

#include <string.h>

#include "agent/text/blocks.h"
#include "agent/text/line.h"

void prose_free(prose *p)
{
    str_free(&p->text);
    *p = (prose){ 0 };
}

/* What follows it has not come: "The steps are:", "and then ..." */
static int is_left_open(const str *text)
{
    static const char *const ends[] = { ":", "...", "\xe2\x80\xa6", "," };

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t len = strlen(ends[i]);
        if (text->len >= len && memcmp(text->data + text->len - len, ends[i], len) == 0)
            return 1;
    }

    return 0;
}

/* Whether a fence has no end. */
static int has_open_fence(const str *text)
{
    int is_open = 0;
    line l;

    for (size_t at = 0; at < text->len; at = l.next) {
        l = line_at(text->data, text->len, at);
        const char *begin = l.text + line_blanks(&l);
        if (strncmp(begin, "```", 3) == 0 || strncmp(begin, "~~~", 3) == 0)
            is_open = !is_open;
    }

    return is_open;
}

/* How long "ANSWER:" at its beginning is, with the marks of bold text; 0: it is not there. */
static size_t mark_len(const str *text)
{
    static const char mark[] = "ANSWER";
    const char *begin = str_text(text), *at = begin + strspn(begin, "*_#\" ");

    if (strncmp(at, mark, sizeof mark - 1) != 0)
        return 0;
    at += sizeof mark - 1;
    at += strspn(at, "*_ ");
    if (*at != ':')
        return 0;
    at++;
    at += strspn(at, "*_ \t\r\n");
    return (size_t)(at - begin);
}

static int take_without_mark(str *text, size_t len)
{
    str rest = { 0 };
    int error = str_append(&rest, text->data + len, text->len - len);
    str_free(text);
    *text = rest;
    blocks_trim(text);
    return error;
}

int prose_read(prose *out, const char *text, size_t len)
{
    str plain = { 0 };
    int is_whole = 1;

    *out = (prose){ 0 };
    int error = blocks_normalize(&plain, text, len);
    if (!error)
        error = blocks_without_thinking(&out->text, &is_whole, str_text(&plain), plain.len);
    str_free(&plain);
    if (error) {
        prose_free(out);
        return error;
    }

    blocks_trim(&out->text);
    const size_t mark = mark_len(&out->text);
    if (mark > 0) {
        error = take_without_mark(&out->text, mark);
        out->kind = out->text.len > 0 && !has_open_fence(&out->text) ? PROSE_MARKED : PROSE_NONE;
    } else {
        out->kind = out->text.len > 0 && !is_left_open(&out->text) && !has_open_fence(&out->text)
                        ? PROSE_PLAIN
                        : PROSE_NONE;
    }

    if (error)
        prose_free(out);
    if (out->kind == PROSE_NONE)
        str_clear(&out->text);
    return error;
}
