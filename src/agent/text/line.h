/*
 * line.h - the lines of a text, without copying them.
 */
#ifndef SNUG_AGENT_LINE_H
#define SNUG_AGENT_LINE_H

#include <stddef.h>
#include <string.h>

/* A line without its end; next is where the one behind it begins. */
typedef struct line {
    const char *text;
    size_t len, next;
} line;

static inline line line_at(const char *text, size_t len, size_t at)
{
    const char *end = memchr(text + at, '\n', len - at);
    size_t stop = end ? (size_t)(end - text) : len;
    return (line){ text + at, stop - at, end ? stop + 1 : len };
}

/* How many spaces and tabs it begins with. */
static inline size_t line_blanks(const line *l)
{
    size_t at = 0;
    while (at < l->len && (l->text[at] == ' ' || l->text[at] == '\t'))
        at++;
    return at;
}

/* A last line without a line end counts too. */
static inline size_t line_count(const char *text)
{
    size_t count = 0;
    while (*text) {
        text += strcspn(text, "\n");
        text += *text == '\n';
        count++;
    }
    return count;
}

#endif
