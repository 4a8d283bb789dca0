#include "py/report/sourcetext.h"

#include <string.h>

#include "base/utf8.h"

static const uint64_t MAX_READ_BYTES = UINT64_C(16) << 20;

void sourcetext_init(sourcetext *s, const source_lines *lines)
{
    *s = (sourcetext){ .lines = lines };
}

void sourcetext_free(sourcetext *s)
{
    Py_CLEAR(s->filename);
}

static void load_source(sourcetext *s, PyObject *filename)
{
    size_t len = 0;
    const char *text = NULL;

    if (s->lines && s->lines->text)
        text = s->lines->text(s->lines->payload, filename, &len);
    Py_INCREF(filename);
    Py_XSETREF(s->filename, filename);
    s->text = text ? (span){ text, len } : (span){ "", 0 };

    /* The mark before the first line is not part of it. */
    if (span_begins(s->text, "\xef\xbb\xbf"))
        s->text = span_from(s->text, 3);
    s->at = 0;
    s->line = 1;
}

/* The length of the line at s->at, without its end, whose length goes to *end_len. */
static size_t line_len(const sourcetext *s, size_t *end_len)
{
    span rest = span_from(s->text, s->at);
    const char *end = memchr(rest.at, '\n', rest.len);
    size_t len = end ? (size_t)(end - rest.at) : rest.len;
    const char *cr = memchr(rest.at, '\r', len);

    *end_len = end != NULL;
    if (cr) {
        len = (size_t)(cr - rest.at);
        *end_len = 1 + (end == cr + 1);
    }

    return len;
}

span sourcetext_line(sourcetext *s, PyObject *filename, int line)
{
    size_t end_len;
    span none = { NULL, 0 };

    if (s->filename != filename)
        load_source(s, filename);
    if (line < s->line) {
        s->at = 0;
        s->line = 1;
    }

    while (s->line < line && s->at < s->text.len && s->read_bytes < MAX_READ_BYTES) {
        size_t len = line_len(s, &end_len) + end_len;
        s->at += len;
        s->line++;
        /* Searching costs less than what is done with a line. */
        s->read_bytes += len / 8 + 4;
    }

    if (line < 1 || s->line != line || s->at >= s->text.len || s->read_bytes >= MAX_READ_BYTES)
        return none;
    span found = span_cut(span_from(s->text, s->at), line_len(s, &end_len));
    s->read_bytes += found.len + 16;

    /* Files of other encodings are read as they are. */
    size_t fault;
    return utf8_check(found.at, found.len, &fault) == UTF8_FINE ? found : none;
}
