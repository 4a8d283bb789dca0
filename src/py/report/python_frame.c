#include "py/report/python_frame.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/utf8.h"
#include "py/report/carets.h"

/* Since 3.13 all lines of an instruction are shown, cut in the middle, with carets
 * under each; before, the first line only. */
#define SHOWS_ALL_LINES PYTHON_REPORTS_IN_PYTHON

enum { CODE_UNIT_BYTES = 2 };

void frame_position_of(frame_position *out, PyTracebackObject *entry, PyCodeObject *code,
                       size_t *search_bytes)
{
    const frame_position unknown = { -1, -1, -1, -1 };

    *out = unknown;
    /* The guest can make a traceback with any number here. */
    int is_in_code = entry->tb_lasti >= 0 && entry->tb_lasti < Py_SIZE(code) * CODE_UNIT_BYTES;
    if (is_in_code && (size_t)entry->tb_lasti < *search_bytes) {
        *search_bytes -= (size_t)entry->tb_lasti;
        if (!PyCode_Addr2Location(code, entry->tb_lasti, &out->line, &out->column, &out->end_line,
                                  &out->end_column))
            *out = unknown;
    }

    if (out->line < 0)
        out->line = entry->tb_lineno;
    if (out->line < 0 && entry->tb_lasti < 0)
        out->line = code->co_firstlineno;
}

static int append_span(str *out, span text)
{
    return str_append(out, text.at, text.len);
}

static int append_repeated(str *out, char c, size_t count)
{
    int error = str_reserve(out, count);
    if (error || !count)
        return error;
    memset(out->data + out->len, c, count);
    out->len += count;
    out->data[out->len] = '\0';
    return SNUG_OK;
}

/* The byte of the line that a column stands for, for which Python counts characters:
 * behind one that the column splits, as columns of attributes with wide names do. */
static size_t byte_at(span line, int column)
{
    return utf8_ceil(line.at, line.len, span_cut(line, (size_t)column).len);
}

static int append_header(str *out, PyCodeObject *code, int line)
{
    int error;

    if ((error = str_add(out, "  File \"")))
        return error;
#if PYTHON_REPORTS_IN_PYTHON
    /* The names that the interactive prompt gives to what is typed. */
    PyObject *holder;
    span name = pytext_of(&holder, code->co_filename);
    int is_stdin = span_begins(name, "<stdin>-");
    Py_XDECREF(holder);
    if (is_stdin)
        error = str_add(out, "<stdin>");
    else
        error = pytext_append(out, code->co_filename, FRAME_NAME_BYTES);
#else
    error = pytext_append(out, code->co_filename, FRAME_NAME_BYTES);
#endif
    if (error)
        return error;

    /* A line that is not known is -1 before 3.12. */
    if (line < 0 && PYTHON_LINE_CAN_BE_NONE)
        error = str_add(out, "\", line None, in ");
    else
        error = str_printf(out, "\", line %d, in ", line);

    if (error || (error = pytext_append(out, code->co_name, FRAME_NAME_BYTES)))
        return error;
    return str_append(out, "\n", 1);
}

#if !SHOWS_ALL_LINES

/* Lengths are of characters; the line's end counts as one, as in linecache. */
static int append_carets(str *out, span line, span stripped, const frame_position *at)
{
    size_t shown = utf8_length(stripped.at, stripped.len);
    size_t removed = utf8_length(line.at, line.len) + 1 - shown;
    size_t from = byte_at(line, at->column), to = byte_at(line, at->end_column);
    size_t start = utf8_length(line.at, from) + 1, end = utf8_length(line.at, to) + 1;
    size_t left = 0, right = 0;
    segment_kind kind = SEGMENT_OTHER;

    if (at->line != at->end_line) {
        end = removed + shown;
    } else if (from < to) {
        anchors found;
        span segment = span_from(span_cut(line, to), from);
        kind = anchors_find(&found, segment);
        if (kind == SEGMENT_OPERATION || kind == SEGMENT_SUBSCRIPT) {
            left = utf8_length(segment.at, found.left);
            right = utf8_length(segment.at, span_cut(segment, found.right).len);
        }
    }

    if (end < start)
        end = start;
    if (end - start >= shown && right <= left)
        return SNUG_OK;

    /* ^ from left up to right, around them ~; all of it ^ where there are no such two. */
    size_t len = end - start;
    if (right <= left) {
        left = 0;
        right = len;
    }

    size_t indent = 4 + (start > removed ? start - removed : 0);
    size_t rest = len > right ? len - right : 0;
    int error;
    if ((error = append_repeated(out, ' ', indent)) || (error = append_repeated(out, '~', left)) ||
        (error = append_repeated(out, '^', right - left)) ||
        (error = append_repeated(out, '~', rest)))
        return error;

    return str_append(out, "\n", 1);
}

int frame_format(str *out, sourcetext *source, PyCodeObject *code, const frame_position *at)
{
    int error = append_header(out, code, at->line);
    if (error)
        return error;

    span line = sourcetext_line(source, code->co_filename, at->line);
    span stripped = span_strip(line);
    if (!stripped.len)
        return SNUG_OK;
    if ((error = append_repeated(out, ' ', 4)) || (error = append_span(out, stripped)) ||
        (error = str_append(out, "\n", 1)))
        return error;

    if (at->column < 0 || at->end_column < 0)
        return SNUG_OK;
    return append_carets(out, line, stripped, at);
}

#else

/* ---- lines ---- */

typedef struct span_list {
    span *items;
    size_t count, cap;
} span_list;

static int keep_line(span_list *list, span item)
{
    if (array_reserve(&list->items, &list->cap, list->count + 1, sizeof *list->items))
        return SNUG_ENOMEM;
    list->items[list->count++] = item;
    return SNUG_OK;
}

/* At most max lines. */
static int split_lines(span_list *out, span text, size_t max)
{
    size_t content;

    while (text.len && out->count < max) {
        size_t len = span_line(text, &content);
        int error = keep_line(out, span_cut(text, content));
        if (error)
            return error;
        text = span_from(text, len);
    }

    return SNUG_OK;
}

static size_t indentation_len(span line)
{
    size_t len = 0;
    while (len < line.len && is_blank(line.at[len]))
        len++;
    return len;
}

/* The text up to the next '\n', which *rest begins after. */
static span cut_line(span *rest)
{
    const char *end = rest->len ? memchr(rest->at, '\n', rest->len) : NULL;
    span line = span_cut(*rest, end ? (size_t)(end - rest->at) : rest->len);
    *rest = span_from(*rest, line.len + 1);
    return line;
}

/* What textwrap.dedent takes off each line. */
static span margin_of(span text)
{
    span margin = { NULL, 0 };

    while (text.len) {
        span line = cut_line(&text);
        size_t len = indentation_len(line), same = 0;
        if (len == line.len)
            continue;
        if (!margin.at)
            margin = span_cut(line, len);
        while (same < len && same < margin.len && line.at[same] == margin.at[same])
            same++;
        margin.len = same;
    }

    return margin;
}

/* textwrap.dedent: appends text, of which each line ends in '\n'. */
static int dedent_text(str *out, span text)
{
    span margin = margin_of(text);
    int error = str_reserve(out, text.len);

    while (!error && text.len) {
        span line = cut_line(&text);
        if (indentation_len(line) == line.len)
            line.len = 0;
        else
            line = span_from(line, margin.len);
        if (!(error = append_span(out, line)))
            error = str_append(out, "\n", 1);
    }

    return error;
}

/* textwrap.indent by four, of empty lines too. */
static int indent_text(str *out, span text)
{
    size_t content;
    int error = SNUG_OK;

    while (!error && text.len) {
        size_t len = span_line(text, &content);
        if (!(error = append_repeated(out, ' ', 4)))
            error = str_append(out, text.at, len);
        text = span_from(text, len);
    }

    return error;
}

/* ---- what is shown ---- */

/* The lines of an instruction, dedented, and where in the first and the last of them
 * it begins and ends. Bytes, unless a name says columns. */
typedef struct excerpt {
    span_list lines;
    size_t start, end;
    size_t start_columns, end_columns;
    int has_anchors;
    size_t left_line, right_line;
    size_t left_columns, right_columns;
    int has_carets;
} excerpt;

static span last_line(const excerpt *e)
{
    return e->lines.items[e->lines.count - 1];
}

/* The instruction's own text; backed by out if it has more lines than one. */
static int segment_of(span *segment, str *out, const excerpt *e)
{
    int error = SNUG_OK;

    if (e->lines.count == 1) {
        *segment = span_from(span_cut(e->lines.items[0], e->end), e->start);
        return SNUG_OK;
    }

    for (size_t i = 0; !error && i < e->lines.count; i++)
        if (!i || !(error = str_append(out, "\n", 1)))
            error = append_span(out, e->lines.items[i]);

    *segment = span_from((span){ str_text(out), out->len - (last_line(e).len - e->end) }, e->start);
    return error;
}

/* The line of the segment that offset is in, and the column there of the excerpt. */
static void find_place(const excerpt *e, span segment, size_t offset, size_t *line, size_t *columns)
{
    size_t begin = 0;

    *line = 0;
    for (size_t i = 0; i < offset; i++) {
        if (segment.at[i] == '\n') {
            ++*line;
            begin = i + 1;
        }
    }

    offset += *line ? 0 : e->start;
    *columns = span_width(span_cut(e->lines.items[*line], offset - begin));
}

/* `name = call(...)` and `return name(...)` say nothing that the line does not.
 * traceback.py compares offsets of bytes with those of characters here. */
static int is_plain_call(const excerpt *e, segment_kind kind)
{
    span before = span_cut(e->lines.items[0], e->start);
    span after = span_from(last_line(e), e->end);

    if (kind != SEGMENT_CALL && kind != SEGMENT_CALL_OF_NAME)
        return 0;
    int statement = anchors_statement(before, after);
    if (!statement || (statement != '=' && kind != SEGMENT_CALL_OF_NAME))
        return 0;
    return span_is_ascii(before) && span_is_ascii(span_cut(last_line(e), e->end));
}

/* Nothing but comments: no statement, for traceback.py. */
static int is_comment(const excerpt *e)
{
    for (size_t i = 0; i < e->lines.count; i++) {
        span line = span_lstrip(e->lines.items[i]);
        if (line.len && line.at[0] != '#')
            return 0;
    }
    return 1;
}

/* Carets under all that the lines have would say nothing. */
static int needs_carets(const excerpt *e, segment_kind kind)
{
    if (is_comment(e) || is_plain_call(e, kind))
        return 0;
    if (e->has_anchors)
        return 1;
    return span_lstrip(span_cut(e->lines.items[0], e->start)).len > 0 ||
           span_rstrip(span_from(last_line(e), e->end)).len > 0;
}

static int judge_excerpt(excerpt *e)
{
    str joined = { 0 };
    span segment;
    anchors found;
    int error = segment_of(&segment, &joined, e);

    if (!error) {
        segment_kind kind = anchors_find(&found, segment);
        e->has_anchors = kind != SEGMENT_OTHER;
        if (e->has_anchors) {
            find_place(e, segment, found.left, &e->left_line, &e->left_columns);
            find_place(e, segment, found.right, &e->right_line, &e->right_columns);
        }
        e->has_carets = needs_carets(e, kind);
    }

    str_free(&joined);
    return error;
}

static size_t clamp(size_t low, size_t value, size_t high)
{
    if (value < low)
        return low;
    return value > high ? high : value;
}

/* Where a place of another line lies, as seen from this one: past its end, or before it begins. */
static size_t column_on(size_t line, size_t place_line, size_t columns)
{
    if (line < place_line)
        return SIZE_MAX;
    return line > place_line ? 0 : columns;
}

static int show_carets(str *out, const excerpt *e, size_t line)
{
    span text = e->lines.items[line];
    size_t begin = utf8_length(text.at, text.len - span_lstrip(text).len);
    size_t end = line + 1 == e->lines.count ? e->end_columns : span_width(text);

    if (!line && e->start_columns > begin)
        begin = e->start_columns;
    begin = clamp(0, begin, end);

    /* ^ from left up to right, around them ~; without anchors all of it ^. */
    size_t left = begin, right = end;
    if (e->has_anchors) {
        left = clamp(begin, column_on(line, e->left_line, e->left_columns), end);
        right = clamp(left, column_on(line, e->right_line, e->right_columns), end);
    }

    int error;
    if ((error = append_repeated(out, ' ', begin)) ||
        (error = append_repeated(out, '~', left - begin)) ||
        (error = append_repeated(out, '^', right - left)) ||
        (error = append_repeated(out, '~', end - right)))
        return error;

    return str_append(out, "\n", 1);
}

static int show_line(str *out, const excerpt *e, size_t line)
{
    int error;
    if ((error = append_span(out, e->lines.items[line])) || (error = str_append(out, "\n", 1)) ||
        !e->has_carets)
        return error;
    return show_carets(out, e, line);
}

/* The lines worth showing: the first, the last, and those around the anchors; sorted. */
static size_t significant(size_t *out, const excerpt *e)
{
    size_t wanted[8] = { 0, e->lines.count - 1 }, count = 2, kept = 0;

    if (e->has_anchors)
        for (size_t i = 0; i < 3; i++) {
            /* Before the first line wraps around, and is past the last. */
            wanted[count++] = e->left_line + i - 1;
            wanted[count++] = e->right_line + i - 1;
        }

    for (size_t i = 0; i < count; i++) {
        size_t j = kept;
        if (wanted[i] >= e->lines.count)
            continue;
        while (j > 0 && out[j - 1] > wanted[i])
            j--;
        if (j > 0 && out[j - 1] == wanted[i])
            continue;
        memmove(out + j + 1, out + j, (kept - j) * sizeof *out);
        out[j] = wanted[i];
        kept++;
    }

    return kept;
}

static int show_lines(str *out, const excerpt *e)
{
    size_t lines[8], count = significant(lines, e);
    str shown = { 0 }, dedented = { 0 };
    int error = SNUG_OK;

    for (size_t i = 0; !error && i < count; i++) {
        size_t between = i ? lines[i] - lines[i - 1] - 1 : 0;
        if (between == 1)
            error = show_line(&shown, e, lines[i] - 1);
        else if (between > 1)
            error = str_printf(&shown, "...<%zu lines>...\n", between);
        if (!error)
            error = show_line(&shown, e, lines[i]);
    }

    if (!error && !(error = dedent_text(&dedented, (span){ str_text(&shown), shown.len })))
        error = indent_text(out, (span){ str_text(&dedented), dedented.len });
    str_free(&shown);
    str_free(&dedented);
    return error;
}

/* text: the lines of the instruction as they are, stripped on the right, each with
 * '\n'; count of them. */
static int show_excerpt(str *out, span text, size_t count, const frame_position *at)
{
    str dedented = { 0 };
    span_list whole = { 0 };
    excerpt e = { 0 };
    int error = dedent_text(&dedented, text);
    if (error || !span_strip((span){ str_text(&dedented), dedented.len }).len)
        goto done;

    if (at->column < 0 || at->end_column < 0) {
        span rest = text, line = span_strip(cut_line(&rest));
        error = indent_text(out, line);
        if (!error)
            error = str_append(out, "\n", 1);
        goto done;
    }

    if ((error = split_lines(&whole, text, count)) ||
        (error = split_lines(&e.lines, (span){ str_text(&dedented), dedented.len }, count)))
        goto done;

    /* Both have count lines: the text has at least as many for splitlines. */
    size_t removed = whole.items[0].len - e.lines.items[0].len;
    e.start = byte_at(whole.items[0], at->column);
    e.end = byte_at(whole.items[count - 1], at->end_column);
    e.start = e.start > removed ? e.start - removed : 0;
    e.end = span_cut(last_line(&e), e.end > removed ? e.end - removed : 0).len;
    e.start_columns = span_width(span_cut(e.lines.items[0], e.start));
    e.end_columns = span_width(span_cut(last_line(&e), e.end));
    if (!(error = judge_excerpt(&e)))
        error = show_lines(out, &e);

done:
    free(whole.items);
    free(e.lines.items);
    str_free(&dedented);
    return error;
}

int frame_format(str *out, sourcetext *source, PyCodeObject *code, const frame_position *at)
{
    str text = { 0 };
    size_t count = 0;
    int error = append_header(out, code, at->line);
    int end_line = at->end_line < 0 ? at->line : at->end_line;

    /* The line before a module's first one is number 0. */
    size_t lines = at->line >= 0 && end_line >= at->line ? (size_t)(end_line - at->line) + 1 : 0;

    for (; !error && count < lines; count++) {
        span found = sourcetext_line(source, code->co_filename, at->line + (int)count);
        /* Past the end of the text every line is empty, however many there are said to be. */
        if (!found.at && count)
            break;
        found = span_rstrip(found);
        if (!(error = str_append(&text, found.at, found.len)))
            error = str_append(&text, "\n", 1);
    }

    if (!error && count)
        error = show_excerpt(out, (span){ str_text(&text), text.len }, count, at);
    str_free(&text);
    return error;
}

#endif
