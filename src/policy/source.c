#include "policy/source.h"

#include <snug/snug.h>

#include "base/ascii.h"
#include "base/transcript.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char bom[] = "\xef\xbb\xbf";

/* The length of the line at text, without its line end. */
static size_t line_length(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len && text[at] != '\n' && text[at] != '\r')
        at++;
    return at;
}

/* The length of the line end at text: LF, CRLF or CR, as CPython's tokenizer has
 * it; 0 at the end. */
static size_t line_end_length(const char *text, size_t len)
{
    if (!len)
        return 0;
    return len > 1 && text[0] == '\r' && text[1] == '\n' ? 2 : 1;
}

/* Fills in the fault, which is at text[at]; at > len: it has no position. Answers
 * 0, so that a failure is one line. */
__attribute__((format(printf, 5, 6))) static int
set_fault(source_fault *fault, const char *text, size_t len, size_t at, const char *format, ...)
{
    *fault = (source_fault){ 0 };
    va_list args;
    va_start(args, format);
    vsnprintf(fault->message, sizeof fault->message, format, args);
    va_end(args);
    if (at > len)
        return 0;

    for (size_t start = 0;;) {
        size_t end = start + line_length(text + start, len - start);
        fault->line++;
        if (at <= end || end == len) {
            fault->column = (unsigned)utf8_length(text + start, at - start) + 1;
            return 0;
        }
        start = end + line_end_length(text + end, len - end);
    }
}

/* How many blanks the line begins with; it has no line end. */
static size_t count_blanks(const char *line, size_t len)
{
    size_t at = 0;
    while (at < len && is_space(line[at]))
        at++;
    return at;
}

static int is_in_encoding(char c)
{
    return is_word(c) || c == '-' || c == '.';
}

/* Finds the encoding that a line names: in a comment that has the line for itself,
 * "coding", ":" or "=", and the name (PEP 263). Answers the name's length, 0 if
 * there is none. */
static size_t find_cookie(const char **name, const char *line, size_t len)
{
    static const char word[] = "coding";
    size_t at = count_blanks(line, len);
    if (at == len || line[at] != '#')
        return 0;

    const char *end = line + len, *found;
    for (const char *from = line + at; (found = memmem(from, (size_t)(end - from), word, 6));) {
        from = found + 6;
        if (from == end || (*from != ':' && *from != '='))
            continue;
        from++;
        while (from < end && is_blank(*from))
            from++;
        *name = from;
        while (from < end && is_in_encoding(*from))
            from++;
        if (from > *name)
            return (size_t)(from - *name);
    }

    return 0;
}

/* The spellings of CPython's get_normal_name (Parser/tokenizer.c): case and "_" for
 * "-" do not count, and "utf-8-sig" or "utf-8-unix" is UTF-8 too. "utf8" goes by the
 * codec registry there. */
static int is_utf8_name(const char *name, size_t len)
{
    char normal[7] = "";
    size_t kept = len < 6 ? len : 6;

    for (size_t i = 0; i < kept; i++) {
        normal[i] = to_lower(name[i]);
        if (normal[i] == '_')
            normal[i] = '-';
    }

    if (len == 4)
        return !strcmp(normal, "utf8");
    return !strncmp(normal, "utf-8", 5) && (len == 5 || normal[5] == '-');
}

/* Looks for a coding cookie on the first two lines; the second counts only if the
 * first is blank or a comment. Answers 1, or 0 and the fault. */
static int check_cookie(source_fault *fault, const char *text, size_t len)
{
    for (size_t n = 0, start = 0; n < 2; n++) {
        const char *line = text + start, *name = NULL;
        size_t line_len = line_length(line, len - start);
        size_t name_len = find_cookie(&name, line, line_len);
        if (name_len) {
            if (is_utf8_name(name, name_len))
                return 1;
            return set_fault(fault, text, len, (size_t)(name - text),
                             "encoding \"%.*s\" is not supported: a cell is UTF-8",
                             name_len < 60 ? (int)name_len : 60, name);
        }

        size_t at = count_blanks(line, line_len);
        if (at < line_len && line[at] != '#')
            return 1;

        start += line_len;
        start += line_end_length(text + start, len - start);
    }
    return 1;
}

/* The spaces and tabs that the first line begins with that has more than blanks. */
static size_t find_indentation(const char **indent, const char *text, size_t len)
{
    for (size_t start = 0; start < len;) {
        const char *line = text + start;
        size_t line_len = line_length(line, len - start);
        if (count_blanks(line, line_len) < line_len) {
            *indent = line;
            return strspn(line, " \t");
        }
        start += line_len;
        start += line_end_length(text + start, len - start);
    }
    return 0;
}

/* Appends text to out without the indentation of each line that has it. */
static int remove_indentation(str *out, const char *indent, size_t indent_len, const char *text,
                              size_t len)
{
    int error = str_reserve(out, len);

    for (size_t start = 0; !error && start < len;) {
        /* A blank line between CR and LF stays: without it they are one line end. */
        int joins = start && text[start - 1] == '\r' && len - start > indent_len &&
                    text[start + indent_len] == '\n';
        if (!joins && len - start >= indent_len && !memcmp(text + start, indent, indent_len))
            start += indent_len;
        size_t line_len = line_length(text + start, len - start);
        line_len += line_end_length(text + start + line_len, len - start - line_len);
        error = str_append(out, text + start, line_len);
        start += line_len;
    }

    return error;
}

int source_prepare(source_text *out, source_fault *fault, const char *text, size_t len,
                   uint64_t max_bytes)
{
    *out = (source_text){ .text = text, .len = len };
    if (len > max_bytes) {
        set_fault(fault, text, len, SIZE_MAX, "source is %zu bytes long and the limit is %" PRIu64,
                  len, max_bytes);
        fault->is_length = 1;
        return 0;
    }

    size_t skipped = 0, at;
    if (strncmp(text, bom, 3) == 0)
        skipped = 3;
    text += skipped;
    len -= skipped;
    const char *nul = memchr(text, '\0', len);
    if (nul)
        return set_fault(fault, text, len, (size_t)(nul - text),
                         "source code cannot contain null bytes");

    /* Before the UTF-8 check, because it explains why that would fail. */
    if (!check_cookie(fault, text, len))
        return 0;

    switch (utf8_check(text, len, &at)) {
    case UTF8_FINE:
        break;
    case UTF8_INVALID:
        return set_fault(fault, text, len, at, "invalid UTF-8 at byte %zu", skipped + at + 1);
    case UTF8_SURROGATE:
        return set_fault(fault, text, len, at, "half of a surrogate pair at byte %zu",
                         skipped + at + 1);
    }

    out->text = text;
    out->len = len;
    int answer = transcript_read(&out->own, text, len, 1);
    if (answer == 0) {
        const char *indent;
        size_t indent_len = find_indentation(&indent, text, len);
        if (!indent_len)
            return 1;
        answer = remove_indentation(&out->own, indent, indent_len, text, len);
    }
    if (answer < 0)
        return answer;

    out->text = str_text(&out->own);
    out->len = out->own.len;
    return 1;
}

void source_free(source_text *source)
{
    str_free(&source->own);
    *source = (source_text){ 0 };
}

const char *source_line(const char *text, size_t len, unsigned n, size_t *line_len)
{
    for (size_t start = 0; n && start < len; n--) {
        size_t found = line_length(text + start, len - start);
        if (n == 1) {
            *line_len = found;
            return text + start;
        }
        start += found;
        start += line_end_length(text + start, len - start);
    }
    return NULL;
}
