#include "agent/text/blocks.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "agent/text/line.h"
#include "agent/text/pylex.h"
#include "base/array.h"
#include "base/ascii.h"
#include "base/utf8.h"

static int has_prefix(const char *text, size_t len, const char *prefix)
{
    size_t width = strlen(prefix);
    return len >= width && strncasecmp(text, prefix, width) == 0;
}

void blocks_free(blocks *b)
{
    for (size_t i = 0; i < b->count; i++)
        str_free(&b->items[i].text);
    free(b->items);
    str_free(&b->prose);
    *b = (blocks){ 0 };
}

void blocks_trim(str *text)
{
    size_t begin = 0;

    if (!text->data)
        return;
    while (text->len && strchr(" \t\n", text->data[text->len - 1]) && text->data[text->len - 1])
        text->len--;
    for (size_t at = 0; at < text->len && (is_blank(text->data[at]) || text->data[at] == '\n');
         at++)
        if (text->data[at] == '\n')
            begin = at + 1;

    memmove(text->data, text->data + begin, text->len - begin);
    text->len -= begin;
    text->data[text->len] = '\0';
}

int blocks_normalize(str *out, const char *text, size_t len)
{
    static const char bom[] = "\xef\xbb\xbf";
    size_t begin = out->len, to = begin;

    if (len >= 3 && memcmp(text, bom, 3) == 0) {
        text += 3;
        len -= 3;
    }

    if (str_append(out, text, len) != SNUG_OK)
        return SNUG_ENOMEM;

    utf8_mend(out->data + begin, len);
    for (size_t at = begin; at < out->len; at++) {
        char c = out->data[at];
        if (c == '\r' && at + 1 < out->len && out->data[at + 1] == '\n')
            continue;
        out->data[to++] = c == '\r' ? '\n' : c;
    }

    out->len = to;
    out->data[to] = '\0';
    return SNUG_OK;
}

/* ---- fences ---- */

typedef struct fence {
    char c;
    size_t count;  /* of the characters */
    size_t indent; /* in front of them */
    size_t end;    /* behind them */
} fence;

static size_t run_at(const line *l, size_t at)
{
    size_t end = at;
    while (end < l->len && l->text[end] == l->text[at])
        end++;
    return end - at;
}

/* "- " or "1. " in front of an item of a list. */
static size_t past_bullet(const line *l, size_t at)
{
    size_t end = at;

    while (end < l->len && is_digit(l->text[end]))
        end++;

    const char *signs = end > at ? ".)" : "-*+";
    if (end + 1 >= l->len || !l->text[end] || !strchr(signs, l->text[end]) ||
        !is_blank(l->text[end + 1]))
        return at;

    end++;
    while (end < l->len && is_blank(l->text[end]))
        end++;
    return end;
}

static int fence_at(fence *out, const line *l, int with_bullet)
{
    size_t at = line_blanks(l);

    if (with_bullet)
        at = past_bullet(l, at);
    if (at >= l->len || (l->text[at] != '`' && l->text[at] != '~'))
        return 0;

    *out = (fence){ l->text[at], run_at(l, at), at, at };
    out->end += out->count;
    return out->count >= 3;
}

static int opens_fence(fence *out, const line *l)
{
    return fence_at(out, l, 1) &&
           (out->c == '~' || !memchr(l->text + out->end, '`', l->len - out->end));
}

/* A stop word of the model's may stand behind it: "```<end_code>". */
static int closes_fence(const line *l, const fence *open)
{
    fence f;
    if (!fence_at(&f, l, 0) || f.c != open->c || f.count < open->count)
        return 0;
    size_t at = f.end;
    while (at < l->len && is_blank(l->text[at]))
        at++;
    return at == l->len || l->text[at] == '<';
}

/* ---- thinking ---- */

static const char *const thinking[] = { "think",   "thinking",   "reasoning",
                                        "thought", "scratchpad", "reflection" };

/* The length of the tag at text, with a slash where is_end; its word goes to *word. */
static size_t thinking_tag(const char **word, const char *text, size_t len, int is_end)
{
    size_t at = 1 + (size_t)is_end;
    if (len < 3 || text[0] != '<' || (is_end && text[1] != '/'))
        return 0;

    for (size_t i = 0; i < sizeof thinking / sizeof *thinking; i++) {
        size_t width = strlen(thinking[i]);
        if (has_prefix(text + at, len - at, thinking[i]) && at + width < len &&
            text[at + width] == '>') {
            *word = thinking[i];
            return at + width + 1;
        }
    }

    return 0;
}

/* Behind the end of thinking in the line; 0: there is none. In a fence it begins its line, and the
 * fence was a part of thinking. */
static size_t orphan_end(const line *l, int is_fenced)
{
    const char *word;

    for (size_t at = line_blanks(l), width; at < l->len; at++) {
        if ((width = thinking_tag(&word, l->text + at, l->len - at, 1)) > 0)
            return at + width;
        if (is_fenced)
            return 0;
    }
    return 0;
}

/* Behind the end of thinking that began with that word; 0: it has none. */
static size_t thinking_end(const char *text, size_t len, const char *word)
{
    const char *found;

    for (const char *c = text; (c = memchr(c, '<', len - (size_t)(c - text))); c++) {
        const size_t width = thinking_tag(&found, c, len - (size_t)(c - text), 1);
        if (width > 0 && found == word)
            return (size_t)(c - text) + width;
    }
    return 0;
}

/* It begins a line; without a beginning, all before its end is thinking. */
int blocks_without_thinking(str *out, int *is_whole, const char *text, size_t len)
{
    const size_t begin = out->len;
    int is_fenced = 0;
    fence open = { 0 };

    *is_whole = 1;
    for (size_t at = 0, width; at < len;) {
        const line l = line_at(text, len, at);
        const size_t blanks = line_blanks(&l);
        const char *word;

        width = is_fenced ? 0 : thinking_tag(&word, l.text + blanks, l.len - blanks, 0);
        if (width > 0) {
            at += blanks + width;
            const size_t end = thinking_end(text + at, len - at, word);
            *is_whole = end > 0;
            at = end > 0 ? at + end : len;
            continue;
        }
        if ((width = orphan_end(&l, is_fenced)) > 0) {
            if (out->data)
                out->data[out->len = begin] = '\0';
            is_fenced = 0;
            at += width;
            continue;
        }

        is_fenced = is_fenced ? !closes_fence(&l, &open) : opens_fence(&open, &l);
        str_append(out, l.text, l.next - at);
        at = l.next;
    }
    return str_error(out);
}

/* ---- what a block is ---- */

/* Words behind a fence. Python's may be followed by a version. Others are never code. */
static const struct {
    const char *word;
    block_kind kind;
} marks[] = {
    { "", BLOCK_UNMARKED },          { "code", BLOCK_UNMARKED },   { "python", BLOCK_PYTHON },
    { "py", BLOCK_PYTHON },          { "ipython", BLOCK_PYTHON },  { "python-repl", BLOCK_PYTHON },
    { "python_code", BLOCK_PYTHON }, { "pycon", BLOCK_PYTHON },    { "pytb", BLOCK_OTHER },
    { "tool_code", BLOCK_PYTHON },   { "sagemath", BLOCK_PYTHON }, { "json", BLOCK_JSON },
    { "json5", BLOCK_JSON },         { "jsonc", BLOCK_JSON },      { "tool_call", BLOCK_JSON },
};

static block_kind kind_of_mark(const char *mark)
{
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t width = strlen(marks[i].word);
        if (strncmp(mark, marks[i].word, width) != 0)
            continue;
        const char *rest = mark + width;
        if (marks[i].kind == BLOCK_PYTHON)
            rest += strspn(rest, "0123456789.");
        if (!*rest)
            return marks[i].kind;
    }
    return BLOCK_OTHER;
}

/* The first word behind the fence: of "{.python .numberLines}", "Python title=x", "python:a.py". */
static void read_mark(char *out, size_t size, const char *info, size_t len)
{
    size_t at = 0, count = 0;

    while (at < len && strchr(" \t{.", info[at]) && info[at])
        at++;
    for (; at < len && count + 1 < size; at++) {
        if (!is_word(info[at]) && !strchr("-+.#", info[at]))
            break;
        out[count++] = to_lower(info[at]);
    }

    while (count && out[count - 1] == '.')
        count--;
    out[count] = '\0';
}

/* ---- dividing ---- */

typedef struct divider {
    blocks *out;
    const char *text;
    size_t len, at;
    int looked; /* how often a string was followed in vain */
} divider;

/* A string that has no end makes the rest of the text be read twice. */
enum { MOST_LOOKS = 4 };

/* A new block, or NULL if memory ran out. */
static block *add_block(blocks *b, block_kind kind, const char *mark)
{
    if (array_reserve(&b->items, &b->cap, b->count + 1, sizeof *b->items))
        return NULL;

    block *made = &b->items[b->count++];
    *made = (block){ .kind = kind };
    strncpy(made->mark, mark, sizeof made->mark - 1);
    return made;
}

/* Appends lines of a block without the fence's indentation. */
static int append_lines(str *out, const char *text, size_t len, size_t indent)
{
    for (size_t at = 0; at < len;) {
        line l = line_at(text, len, at);
        size_t blanks = line_blanks(&l), off = blanks < indent ? blanks : indent;
        str_append(out, l.text + off, l.len - off);
        str_add(out, "\n");
        at = l.next;
    }
    return str_error(out);
}

/* Where the block that begins at d->at ends; d->at goes behind it. */
static size_t block_end(divider *d, const fence *open, int is_python, int *is_closed)
{
    const char *text = d->text;
    size_t at = d->at, first = 0, behind_first = 0;
    pylex lex = { 0 };
    fence next;

    *is_closed = 1;
    while (at < d->len) {
        line l = line_at(text, d->len, at);
        int in_string = is_python && lex.is_triple && lex.quote && d->looked < MOST_LOOKS;
        if (closes_fence(&l, open)) {
            if (!in_string) {
                d->at = l.next;
                return at;
            }
            if (!behind_first) {
                first = at;
                behind_first = l.next;
            }
        } else if (!in_string && opens_fence(&next, &l) && next.c == open->c && next.end < l.len &&
                   next.count >= open->count && is_word(l.text[next.end])) {
            d->at = at; /* the next block begins, and this one was left open */
            return at;
        }
        for (size_t c = at; is_python && c < l.next;)
            c = pylex_step(&lex, text, d->len, c);
        at = l.next;
    }

    if (behind_first) {
        d->looked++;
        d->at = behind_first;
        return first;
    }

    *is_closed = 0;
    d->at = d->len;
    return d->len;
}

static int take_fence(divider *d, const line *l, const fence *open)
{
    char mark[sizeof((block *)0)->mark];
    int is_closed;

    read_mark(mark, sizeof mark, l->text + open->end, l->len - open->end);
    d->at = l->next;
    if (strcmp(mark, "markdown") == 0 || strcmp(mark, "md") == 0)
        return SNUG_OK;

    block_kind kind = kind_of_mark(mark);
    size_t begin = d->at;
    size_t end = block_end(d, open, kind == BLOCK_PYTHON || kind == BLOCK_UNMARKED, &is_closed);
    if (d->out->count == BLOCKS_MOST)
        return SNUG_OK;

    block *b = add_block(d->out, kind, mark);
    if (!b)
        return SNUG_ENOMEM;

    b->is_closed = is_closed;
    return append_lines(&b->text, d->text + begin, end - begin, open->indent);
}

/* "```print(1)```" and "```python print(1)```", alone on a line. */
static int take_inline(divider *d, const line *l, int *is_taken)
{
    fence f;
    size_t end = l->len;

    while (end && (is_blank(l->text[end - 1]) || l->text[end - 1] == '`'))
        end--;
    if (!fence_at(&f, l, 0) || f.c != '`' || end <= f.end || end + f.count > l->len ||
        memchr(l->text + f.end, '`', end - f.end))
        return SNUG_OK;

    const char *text = l->text + f.end;
    const int is_marked = has_prefix(text, end - f.end, "python ");
    block *b = add_block(d->out, is_marked ? BLOCK_PYTHON : BLOCK_UNMARKED, "");
    if (!b)
        return SNUG_ENOMEM;

    *is_taken = b->is_closed = 1;
    d->at = l->next;
    text += is_marked ? strlen("python ") : 0;
    return str_append(&b->text, text, (size_t)(l->text + end - text));
}

/* ---- tags ---- */

/* As models of several makers and frameworks put code: CodeAct, smolagents, Qwen, Llama. */
static const struct {
    const char *open, *close;
} tags[] = {
    { "<code", "</code>" },
    { "<python", "</python>" },
    { "<execute", "</execute>" },
    { "<execute_python", "</execute_python>" },
    { "<execute_ipython", "</execute_ipython>" },
    { "<tool_code", "</tool_code>" },
    { "<code_interpreter", "</code_interpreter>" },
    { "<interpreter", "</interpreter>" },
    { "<pre><code", "</code></pre>" },
    { "<parameter=code", "</parameter>" },
    { "<parameter name=\"code\"", "</parameter>" },
    { "<|python_tag|", "<|eom_id|>" },
    { "[PYTHON]", "[/PYTHON]" },
};

/* The row of the tag that the line begins with; *end is behind it. -1: none. */
static int tag_at(const line *l, size_t *end)
{
    size_t at = line_blanks(l);
    if (at == l->len || (l->text[at] != '<' && l->text[at] != '['))
        return -1;

    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        size_t width = strlen(tags[i].open);
        /* In small letters it may be a list of Python's. */
        if (tags[i].open[0] == '[' && l->len - at >= width &&
            memcmp(l->text + at, tags[i].open, width) == 0) {
            *end = at + width;
            return (int)i;
        }
        if (!has_prefix(l->text + at, l->len - at, tags[i].open) || at + width == l->len)
            continue;
        char c = l->text[at + width];
        const char *close = memchr(l->text + at + width, '>', l->len - at - width);
        if (!close || (c != '>' && !is_blank(c)))
            continue;
        *end = (size_t)(close - l->text) + 1;
        return (int)i;
    }

    return -1;
}

static const char *find_close(const char *text, size_t len, const char *tag)
{
    for (const char *c = text; (c = memchr(c, *tag, len - (size_t)(c - text))); c++)
        if (has_prefix(c, len - (size_t)(c - text), tag))
            return c;
    return NULL;
}

static int take_tag(divider *d, const line *l, int *is_taken)
{
    size_t begin;
    int row = tag_at(l, &begin);
    if (row < 0)
        return SNUG_OK;

    begin += (size_t)(l->text - d->text);
    const char *close = find_close(d->text + begin, d->len - begin, tags[row].close);
    size_t end = close ? (size_t)(close - d->text) : d->len;
    size_t next = close ? end + strlen(tags[row].close) : d->len;

    /* A word of prose is put so too: "<code>print</code> writes ...". */
    line rest = line_at(d->text, d->len, next);
    if (close && end < (size_t)(l->text - d->text) + l->len && line_blanks(&rest) < rest.len)
        return SNUG_OK;

    *is_taken = 1;
    d->at = next;
    if (d->out->count == BLOCKS_MOST)
        return SNUG_OK;

    block *b = add_block(d->out, BLOCK_TAG, "");
    if (!b)
        return SNUG_ENOMEM;
    b->is_closed = close != NULL;
    return str_append(&b->text, d->text + begin, end - begin);
}

int blocks_read(blocks *out, const char *text, size_t len)
{
    divider d = { .out = out, .text = text, .len = len };
    int error = SNUG_OK;

    while (d.at < len && !error) {
        line l = line_at(text, len, d.at);
        fence open;
        int is_taken = 0;
        if (opens_fence(&open, &l)) {
            error = take_fence(&d, &l, &open);
            continue;
        }
        if (d.out->count < BLOCKS_MOST && ((error = take_inline(&d, &l, &is_taken)) || is_taken))
            continue;
        if ((error = take_tag(&d, &l, &is_taken)) || is_taken)
            continue;
        str_append(&out->prose, l.text, l.len);
        error = str_add(&out->prose, "\n");
        d.at = l.next;
    }

    return error;
}
