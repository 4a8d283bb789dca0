#include "py/hints/hints.h"

#include <snug/snug.h>

#include <string.h>

#include "base/utf8.h"
#include "py/hints/hint.h"

/* ---- writing ---- */

static size_t clipped_len(span text, size_t most)
{
    return text.len <= most ? text.len : utf8_floor(text.at, text.len, most);
}

/* A hint is one line. */
static void add_on_line(str *out, const char *text, size_t len)
{
    size_t begin = out->len;
    str_append(out, text, len);
    for (; begin < out->len; begin++)
        if ((unsigned char)out->data[begin] < ' ')
            out->data[begin] = ' ';
}

void hint_add(hint *h, span text)
{
    size_t len = clipped_len(text, HINT_PART_BYTES);
    add_on_line(h->out, text.at, len);
    if (len < text.len)
        str_add(h->out, "...");
}

void hint_add_text(hint *h, const char *text)
{
    str_add(h->out, text);
}

int hint_say(hint *h, const char *sentence)
{
    for (const char *at = sentence; *at; at++) {
        if (at[0] == '$' && at[1] >= '1' && at[1] < '1' + HINT_PARTS)
            hint_add(h, h->parts[*++at - '1']);
        else
            str_append(h->out, at, 1);
    }
    return 1;
}

static const char *constant_name(PyObject *value)
{
    if (value == Py_None)
        return "None";
    if (value == Py_True)
        return "True";
    return value == Py_False ? "False" : NULL;
}

int hint_add_value(hint *h, PyObject *value)
{
    int overflow = 0;

    if (constant_name(value)) {
        hint_add_text(h, constant_name(value));
    } else if (PyLong_CheckExact(value)) {
        long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
        PyErr_Clear();
        if (overflow)
            return 0;
        str_printf(h->out, "%lld", number);
    } else if (PyFloat_CheckExact(value)) {
        char *text =
            PyOS_double_to_string(PyFloat_AS_DOUBLE(value), 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
        hint_add_text(h, text ? text : "a float");
        PyMem_Free(text);
    } else if (PyUnicode_CheckExact(value)) {
        PyObject *holder;
        hint_add_text(h, "'");
        hint_add(h, pytext_of(&holder, value));
        hint_add_text(h, "'");
        Py_XDECREF(holder);
    } else {
        return 0;
    }

    return 1;
}

enum { MOST_NAMES = 12, NAMES_BYTES = 150 };

void hint_add_names(hint *h, const char *const *names, size_t count)
{
    size_t begin = h->out->len, i = 0;

    for (; i < count && i < MOST_NAMES && h->out->len - begin < NAMES_BYTES; i++) {
        hint_add_text(h, i ? ", " : "");
        hint_add(h, (span){ names[i], strlen(names[i]) });
    }

    if (i < count)
        hint_add_text(h, ", ...");
    else if (count)
        hint_add_text(h, ".");
}

/* ---- matching ---- */

/* Each star takes as little as it can; the last one takes the rest, where nothing is behind. */
static int matches(span *parts, span text, const char *pattern)
{
    size_t count = 0;
    for (;;) {
        size_t len = strcspn(pattern, "*");
        if (text.len < len || memcmp(text.at, pattern, len) != 0)
            return 0;
        text = span_from(text, len);
        pattern += len;
        if (!*pattern)
            return text.len == 0;
        pattern++;
        len = strcspn(pattern, "*");
        span part = text;
        if (*pattern) {
            const char *found = memmem(text.at, text.len, pattern, len);
            if (!found)
                return 0;
            /* What ends the pattern ends the text. */
            if (!pattern[len])
                found = text.at + text.len - len;
            part = span_cut(text, (size_t)(found - text.at));
        }
        if (count < HINT_PARTS)
            parts[count++] = part;
        text = span_from(text, part.len);
    }
}

/* Borrowed; NULL where it is not a plain str. */
static PyObject *message_of(PyObject *exc)
{
    PyObject *args = ((PyBaseExceptionObject *)exc)->args, *message = NULL;

    if (PyErr_GivenExceptionMatches(exc, PyExc_SyntaxError))
        message = ((PySyntaxErrorObject *)exc)->msg;
    else if (PyErr_GivenExceptionMatches(exc, PyExc_ImportError))
        message = ((PyImportErrorObject *)exc)->msg;
    else if (args && PyTuple_CheckExact(args) && PyTuple_GET_SIZE(args) > 0)
        message = PyTuple_GET_ITEM(args, 0);

    return message && PyUnicode_CheckExact(message) ? message : NULL;
}

/* Rows of one type stand together. */
static int is_of_row_type(hint *h, PyObject *type)
{
    if (h->type != type) {
        h->type = type;
        h->is_of_type = PyErr_GivenExceptionMatches(h->exc, type);
    }
    return h->is_of_type;
}

static int try_row(hint *h, const hint_row *row)
{
    const span nothing = { "", 0 };

    if (!is_of_row_type(h, *row->type))
        return 0;
    for (int i = 0; i < HINT_PARTS; i++)
        h->parts[i] = nothing;
    if (row->pattern && !matches(h->parts, h->message, row->pattern))
        return 0;
    if (row->make && row->make(h))
        return 1;
    return row->sentence && hint_say(h, row->sentence);
}

int hints_add(str *out, interp *in, PyObject *exc, const source_lines *lines)
{
    str text = { 0 };
    PyObject *holder, *message = Py_XNewRef(message_of(exc));
    hint h = { .out = &text, .in = in, .exc = exc, .lines = lines };

    h.message = pytext_of(&holder, message);
    place_of(&h.place, exc, lines);
    /* What Python suggests itself is not said twice. */
    int is_done = h.message.len && memmem(h.message.at, h.message.len, "Did you mean", 12);
    for (size_t i = 0; i < hint_row_count && !is_done; i++) {
        is_done = try_row(&h, &hint_rows[i]);
        if (!is_done)
            str_clear(&text);
    }

    place_free(&h.place);
    Py_XDECREF(holder);
    Py_XDECREF(message);
    PyErr_Clear();

    span shown = { str_text(&text), text.len };
    int is_clipped = shown.len > HINT_BYTES;
    if (is_clipped)
        shown = span_cut(shown, clipped_len(shown, HINT_BYTES - 3));
    int error = str_append(out, shown.at, shown.len);
    if (!error && is_clipped)
        error = str_add(out, "...");
    str_free(&text);
    return error;
}
