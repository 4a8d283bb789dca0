#include "py/core/pytext.h"

#include <snug/snug.h>

#include <string.h>

#include "base/utf8.h"

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

/* How long the character is that begins with that byte; 1 where none does. */
static size_t bytes_of_character(unsigned char lead)
{
    if (lead < 0xc0)
        return 1;
    if (lead < 0xe0)
        return 2;
    if (lead < 0xf0)
        return 3;
    return 4;
}

Py_UCS4 span_first(span text, size_t *step)
{
    unsigned char lead = (unsigned char)text.at[0];

    *step = 1;
    if (lead < 0x80)
        return lead;

    size_t len = bytes_of_character(lead);
    if (len == 1 || len > text.len)
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

/* East_Asian_Width W and F of Unicode 15.1, the unassigned ones of CJK blocks too. */
static const struct {
    Py_UCS4 first, last;
} wide[] = {
    { 0x1100, 0x115f },   { 0x231a, 0x231b },   { 0x2329, 0x232a },   { 0x23e9, 0x23ec },
    { 0x23f0, 0x23f0 },   { 0x23f3, 0x23f3 },   { 0x25fd, 0x25fe },   { 0x2614, 0x2615 },
    { 0x2648, 0x2653 },   { 0x267f, 0x267f },   { 0x2693, 0x2693 },   { 0x26a1, 0x26a1 },
    { 0x26aa, 0x26ab },   { 0x26bd, 0x26be },   { 0x26c4, 0x26c5 },   { 0x26ce, 0x26ce },
    { 0x26d4, 0x26d4 },   { 0x26ea, 0x26ea },   { 0x26f2, 0x26f3 },   { 0x26f5, 0x26f5 },
    { 0x26fa, 0x26fa },   { 0x26fd, 0x26fd },   { 0x2705, 0x2705 },   { 0x270a, 0x270b },
    { 0x2728, 0x2728 },   { 0x274c, 0x274c },   { 0x274e, 0x274e },   { 0x2753, 0x2755 },
    { 0x2757, 0x2757 },   { 0x2795, 0x2797 },   { 0x27b0, 0x27b0 },   { 0x27bf, 0x27bf },
    { 0x2b1b, 0x2b1c },   { 0x2b50, 0x2b50 },   { 0x2b55, 0x2b55 },   { 0x2e80, 0x2e99 },
    { 0x2e9b, 0x2ef3 },   { 0x2f00, 0x2fd5 },   { 0x2ff0, 0x303e },   { 0x3041, 0x3096 },
    { 0x3099, 0x30ff },   { 0x3105, 0x312f },   { 0x3131, 0x318e },   { 0x3190, 0x31e3 },
    { 0x31ef, 0x321e },   { 0x3220, 0x3247 },   { 0x3250, 0x4dbf },   { 0x4e00, 0xa48c },
    { 0xa490, 0xa4c6 },   { 0xa960, 0xa97c },   { 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },
    { 0xfe10, 0xfe19 },   { 0xfe30, 0xfe52 },   { 0xfe54, 0xfe66 },   { 0xfe68, 0xfe6b },
    { 0xff01, 0xff60 },   { 0xffe0, 0xffe6 },   { 0x16fe0, 0x16fe4 }, { 0x16ff0, 0x16ff1 },
    { 0x17000, 0x187f7 }, { 0x18800, 0x18cd5 }, { 0x18d00, 0x18d08 }, { 0x1aff0, 0x1aff3 },
    { 0x1aff5, 0x1affb }, { 0x1affd, 0x1affe }, { 0x1b000, 0x1b122 }, { 0x1b132, 0x1b132 },
    { 0x1b150, 0x1b152 }, { 0x1b155, 0x1b155 }, { 0x1b164, 0x1b167 }, { 0x1b170, 0x1b2fb },
    { 0x1f004, 0x1f004 }, { 0x1f0cf, 0x1f0cf }, { 0x1f18e, 0x1f18e }, { 0x1f191, 0x1f19a },
    { 0x1f200, 0x1f202 }, { 0x1f210, 0x1f23b }, { 0x1f240, 0x1f248 }, { 0x1f250, 0x1f251 },
    { 0x1f260, 0x1f265 }, { 0x1f300, 0x1f320 }, { 0x1f32d, 0x1f335 }, { 0x1f337, 0x1f37c },
    { 0x1f37e, 0x1f393 }, { 0x1f3a0, 0x1f3ca }, { 0x1f3cf, 0x1f3d3 }, { 0x1f3e0, 0x1f3f0 },
    { 0x1f3f4, 0x1f3f4 }, { 0x1f3f8, 0x1f43e }, { 0x1f440, 0x1f440 }, { 0x1f442, 0x1f4fc },
    { 0x1f4ff, 0x1f53d }, { 0x1f54b, 0x1f54e }, { 0x1f550, 0x1f567 }, { 0x1f57a, 0x1f57a },
    { 0x1f595, 0x1f596 }, { 0x1f5a4, 0x1f5a4 }, { 0x1f5fb, 0x1f64f }, { 0x1f680, 0x1f6c5 },
    { 0x1f6cc, 0x1f6cc }, { 0x1f6d0, 0x1f6d2 }, { 0x1f6d5, 0x1f6d7 }, { 0x1f6dc, 0x1f6df },
    { 0x1f6eb, 0x1f6ec }, { 0x1f6f4, 0x1f6fc }, { 0x1f7e0, 0x1f7eb }, { 0x1f7f0, 0x1f7f0 },
    { 0x1f90c, 0x1f93a }, { 0x1f93c, 0x1f945 }, { 0x1f947, 0x1f9ff }, { 0x1fa70, 0x1fa7c },
    { 0x1fa80, 0x1fa88 }, { 0x1fa90, 0x1fabd }, { 0x1fabf, 0x1fac5 }, { 0x1face, 0x1fadb },
    { 0x1fae0, 0x1fae8 }, { 0x1faf0, 0x1faf8 }, { 0x20000, 0x2fffd }, { 0x30000, 0x3fffd },
};

static int is_wide(Py_UCS4 c)
{
    size_t low = 0, high = sizeof wide / sizeof *wide;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (c > wide[middle].last)
            low = middle + 1;
        else
            high = middle;
    }

    return low < sizeof wide / sizeof *wide && c >= wide[low].first;
}

size_t span_width(span text)
{
    size_t width = 0, step;

    if (span_is_ascii(text))
        return text.len;
    for (; text.len; text = span_from(text, step)) {
        Py_UCS4 c = span_first(text, &step);
        width += 1;
        if (c >= wide[0].first && is_wide(c))
            width += 1;
    }

    return width;
}
