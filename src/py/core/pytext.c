#include "py/core/pytext.h"

#include <snug/snug.h>

#include <string.h>

#include "base/utf8.h"
#include "base/wide.h"

span pytext_of(PyObject **holder, PyObject *text)
{
    Py_ssize_t len = 0;

    *holder = NULL;
    if (!text || !PyUnicode_Check(text))
        return (span){ "", 0 };

    const char *utf8 = PyUnicode_AsUTF8AndSize(text, &len);
    if (utf8)
        return (span){ utf8, (size_t)len };

    PyErr_Clear();
    /* The encoder does this error handler itself: no codec of the guest's is asked. */
    *holder = PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
    if (*holder && PyBytes_Check(*holder))
        return (span){ PyBytes_AS_STRING(*holder), (size_t)PyBytes_GET_SIZE(*holder) };
    PyErr_Clear();
    return (span){ "", 0 };
}

int pytext_append(str *out, PyObject *text, size_t max_bytes)
{
    PyObject *holder;
    span whole = pytext_of(&holder, text);
    int error;

    if (whole.len <= max_bytes) {
        error = str_append(out, whole.at, whole.len);
    } else {
        error = str_append(out, whole.at, utf8_floor(whole.at, whole.len, max_bytes));
        if (!error)
            error = str_add(out, "...");
    }

    Py_XDECREF(holder);
    return error;
}

Py_UCS4 span_first(span text, size_t *step)
{
    unsigned char lead = (unsigned char)text.at[0];

    *step = 1;
    if (lead < 0x80)
        return lead;

    size_t len = utf8_width(lead);
    if (len == 0 || len > text.len)
        return 0xfffd;

    Py_UCS4 c = lead & (0x7fu >> len);
    for (size_t i = 1; i < len; i++) {
        if (((unsigned char)text.at[i] & 0xc0) != 0x80)
            return 0xfffd;
        c = c << 6 | ((unsigned char)text.at[i] & 0x3f);
    }

    *step = len;
    return c;
}

int span_is_space(Py_UCS4 c)
{
    return Py_UNICODE_ISSPACE(c);
}

int span_is_ascii(span text)
{
    unsigned char bits = 0;
    for (size_t i = 0; i < text.len; i++)
        bits |= (unsigned char)text.at[i];
    return bits < 0x80;
}

int span_is(span text, const char *other)
{
    return text.len == strlen(other) && memcmp(text.at, other, text.len) == 0;
}

int span_begins(span text, const char *with)
{
    size_t len = strlen(with);
    return text.len >= len && memcmp(text.at, with, len) == 0;
}

span span_from(span text, size_t start)
{
    if (start > text.len)
        start = text.len;
    return (span){ text.at + start, text.len - start };
}

span span_cut(span text, size_t len)
{
    return (span){ text.at, len < text.len ? len : text.len };
}

span span_lstrip(span text)
{
    size_t step;
    while (text.len && span_is_space(span_first(text, &step)))
        text = span_from(text, step);
    return text;
}

span span_rstrip(span text)
{
    while (text.len) {
        size_t last = utf8_floor(text.at, text.len, text.len - 1), step;
        if (!span_is_space(span_first(span_from(text, last), &step)))
            break;
        text.len = last;
    }
    return text;
}

span span_strip(span text)
{
    return span_lstrip(span_rstrip(text));
}

static int ends_line(Py_UCS4 c)
{
    return (c >= 0x0a && c <= 0x0d) || (c >= 0x1c && c <= 0x1e) || c == 0x85 || c == 0x2028 ||
           c == 0x2029;
}

size_t span_line(span text, size_t *content)
{
    size_t step;

    for (size_t at = 0; at < text.len; at += step) {
        step = 1;
        if (text.at[at] >= ' ' && text.at[at] < 0x7f) /* nearly all of most texts */
            continue;

        Py_UCS4 c = span_first(span_from(text, at), &step);
        if (!ends_line(c))
            continue;

        *content = at;
        if (c == '\r' && at + 1 < text.len && text.at[at + 1] == '\n')
            step = 2;
        return at + step;
    }

    *content = text.len;
    return text.len;
}

size_t span_width(span text)
{
    size_t width = 0, step;

    if (span_is_ascii(text))
        return text.len;
    for (; text.len; text = span_from(text, step)) {
        Py_UCS4 c = span_first(text, &step);
        width += wide_is(c) ? 2 : 1;
    }

    return width;
}
