#include "py/report/raise_site.h"

#include <string.h>

#include "base/ascii.h"
#include "py/report/python_frame.h"

/* ---- the frame ---- */

static span numbered_line(const char *text, size_t len, int number)
{
    span rest = { text, len };
    size_t content = 0;
    for (; number > 1 && rest.len > 0; number--)
        rest = span_from(rest, span_line(rest, &content));
    span_line(rest, &content);
    return span_cut(rest, content);
}

static void find_source(place *out, PyTracebackObject *entry, const source_lines *lines)
{
    frame_position at;
    size_t search_bytes = 1 << 20, len = 0;

    frame_position_of(&at, entry, out->code, &search_bytes);
    const char *text = lines->text(lines->payload, out->code->co_filename, &len);
    if (!text || at.line < 1)
        return;

    out->number = (unsigned)at.line;
    out->line = numbered_line(text, len, at.line);
    int is_known = at.line == at.end_line && at.column >= 0 && at.end_column > at.column &&
                   (size_t)at.end_column <= out->line.len;
    if (is_known)
        out->segment = span_from(span_cut(out->line, (size_t)at.end_column), (size_t)at.column);
}

void place_of(place *out, PyObject *exc, const source_lines *lines)
{
    *out = (place){ .line = { "", 0 }, .segment = { "", 0 } };
    PyObject *traceback = ((PyBaseExceptionObject *)exc)->traceback;
    PyTracebackObject *entry = (PyTracebackObject *)traceback;
    if (!entry || !PyTraceBack_Check(traceback))
        return;

    while (entry->tb_next)
        entry = entry->tb_next;
    PyCodeObject *code = PyFrame_GetCode(entry->tb_frame);
    if (!lines->is_cell(lines->payload, code->co_filename)) {
        Py_DECREF(code);
        return;
    }

    out->code = code;
    out->frame = (PyFrameObject *)Py_NewRef((PyObject *)entry->tb_frame);
    out->globals = PyFrame_GetGlobals(out->frame);
    find_source(out, entry, lines);
    PyErr_Clear();
}

void place_free(place *p)
{
    Py_CLEAR(p->frame);
    Py_CLEAR(p->code);
    Py_CLEAR(p->globals);
}

/* ---- names ---- */

size_t place_name_len(span text)
{
    size_t len = 0;
    if (text.len > 0 && is_digit(text.at[0]))
        return 0;
    while (len < text.len && is_name(text.at[len]))
        len++;
    return len;
}

enum { MOST_ITEMS = 100000 };

static int is_key(PyObject *object, span text)
{
    Py_ssize_t len;

    if (!PyUnicode_CheckExact(object))
        return 0;
    if (PyUnicode_IS_COMPACT_ASCII(object) && (size_t)PyUnicode_GET_LENGTH(object) != text.len)
        return 0;

    const char *utf8 = PyUnicode_AsUTF8AndSize(object, &len);
    PyErr_Clear();
    return utf8 && (size_t)len == text.len && memcmp(utf8, text.at, text.len) == 0;
}

PyObject *place_item(PyObject *dict, span key)
{
    PyObject *name, *value;
    Py_ssize_t at = 0, count = 0;
    if (dict && PyDict_Check(dict))
        while (count++ < MOST_ITEMS && PyDict_Next(dict, &at, &name, &value))
            if (is_key(name, key))
                return value;
    return NULL;
}

/* Of a function's frame only: a class body may keep its names in anything. */
static PyObject *local_value(const place *p, span name)
{
    if (!(p->code->co_flags & CO_OPTIMIZED))
        return NULL;
#if PYTHON_FRAME_LOCALS_ARE_A_VIEW
    PyObject *text = PyUnicode_DecodeUTF8(name.at, (Py_ssize_t)name.len, NULL);
    PyObject *value = text ? PyFrame_GetVar(p->frame, text) : NULL;
    Py_XDECREF(text);
#else
    PyObject *locals = PyFrame_GetLocals(p->frame);
    PyObject *value =
        locals && PyDict_CheckExact(locals) ? Py_XNewRef(place_item(locals, name)) : NULL;
    Py_XDECREF(locals);
#endif
    PyErr_Clear();
    return value;
}

PyObject *place_name(const place *p, span name)
{
    if (!p->frame || name.len == 0)
        return NULL;
    PyObject *value = local_value(p, name);
    return value ? value : Py_XNewRef(place_item(p->globals, name));
}

/* ---- expressions ---- */

static PyObject *attribute_value(PyObject *object, span name)
{
    PyObject *dict = NULL;

    if (PyModule_Check(object))
        dict = Py_XNewRef(PyModule_GetDict(object));
    else if (!PyType_Check(object) && Py_TYPE(object)->tp_dictoffset != 0)
        dict = PyObject_GenericGetDict(object, NULL);

    PyErr_Clear();
    PyObject *value = Py_XNewRef(place_item(dict, name));
    Py_XDECREF(dict);
    return value;
}

/* A number without a sign, or -1. */
static Py_ssize_t index_of(span text)
{
    Py_ssize_t n = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (!is_digit(text.at[i]) || n > MOST_ITEMS)
            return -1;
        n = n * 10 + (text.at[i] - '0');
    }
    return text.len > 0 ? n : -1;
}

/* A value in quotes without any escapes in it. */
static int is_quoted(span text)
{
    if (text.len < 2)
        return 0;
    char quote = text.at[0];
    if ((quote != '\'' && quote != '"') || text.at[text.len - 1] != quote)
        return 0;
    return !memchr(text.at, '\\', text.len) && !memchr(text.at + 1, quote, text.len - 2);
}

static PyObject *under_number(PyObject *object, Py_ssize_t index)
{
    if (PyList_CheckExact(object) && index < PyList_GET_SIZE(object))
        return Py_NewRef(PyList_GET_ITEM(object, index));
    if (PyTuple_CheckExact(object) && index < PyTuple_GET_SIZE(object))
        return Py_NewRef(PyTuple_GET_ITEM(object, index));
    return NULL;
}

static PyObject *under_text(PyObject *object, PyObject *key)
{
    Py_ssize_t len;
    const char *text = PyUnicode_AsUTF8AndSize(key, &len);

    PyErr_Clear();
    if (!text)
        return NULL;
    return Py_XNewRef(place_item(object, (span){ text, (size_t)len }));
}

/* What stands under the value of a name: rows[i]. */
static PyObject *under_name(const place *p, PyObject *object, span name)
{
    PyObject *index = place_name(p, name), *item = NULL;

    if (index && PyLong_CheckExact(index)) {
        Py_ssize_t n = PyLong_AsSsize_t(index);
        PyErr_Clear();
        item = n >= 0 ? under_number(object, n) : NULL;
    } else if (index && PyUnicode_CheckExact(index)) {
        item = under_text(object, index);
    }

    Py_XDECREF(index);
    return item;
}

static PyObject *subscript_value(const place *p, PyObject *object, span index)
{
    index = span_strip(index);
    if (is_quoted(index))
        return Py_XNewRef(place_item(object, span_from(span_cut(index, index.len - 1), 1)));
    if (index_of(index) >= 0)
        return under_number(object, index_of(index));
    return place_name_len(index) == index.len ? under_name(p, object, index) : NULL;
}

/* One step behind object, whose reference is taken; *rest is what follows. */
static PyObject *step_into(const place *p, PyObject *object, span *rest)
{
    PyObject *value = NULL;

    if (rest->at[0] == '.') {
        span name = span_from(*rest, 1);
        name = span_cut(name, place_name_len(name));
        value = name.len ? attribute_value(object, name) : NULL;
        *rest = span_from(*rest, 1 + name.len);
    } else if (rest->at[0] == '[') {
        const char *end = memchr(rest->at, ']', rest->len);
        if (end) {
            size_t len = (size_t)(end - rest->at);
            value = subscript_value(p, object, span_from(span_cut(*rest, len), 1));
            *rest = span_from(*rest, len + 1);
        }
    }

    Py_DECREF(object);
    return value;
}

PyObject *place_value(const place *p, span expression)
{
    span rest = span_strip(expression);
    size_t len = place_name_len(rest);
    PyObject *value = len ? place_name(p, span_cut(rest, len)) : NULL;
    rest = span_from(rest, len);
    while (value && rest.len > 0)
        value = step_into(p, value, &rest);
    return value;
}

/* Where the text in quotes at i ends; i itself where none begins. */
static size_t skip_quoted(span text, size_t i)
{
    char quote = text.at[i];
    if (quote != '"' && quote != '\'')
        return i;
    for (i++; i < text.len && text.at[i] != quote; i++)
        i += text.at[i] == '\\';
    return i;
}

int place_cut(span *before, span *within, span expression, char open)
{
    char close = open == '[' ? ']' : ')';
    size_t depth = 0, start = 0;

    if (expression.len < 2 || expression.at[expression.len - 1] != close)
        return 0;
    for (size_t i = 0; i < expression.len; i++) {
        i = skip_quoted(expression, i);
        if (i >= expression.len)
            return 0;
        char c = expression.at[i];
        if (strchr("([{", c) && depth++ == 0)
            start = i;
        if (strchr(")]}", c) && depth-- == 0)
            return 0;
    }

    if (depth != 0 || start == 0 || expression.at[start] != open)
        return 0;
    *before = span_strip(span_cut(expression, start));
    *within = span_from(span_cut(expression, expression.len - 1), start + 1);
    return 1;
}

span place_divisor(span expression)
{
    size_t depth = 0, behind = 0;

    for (size_t i = 0; i < expression.len; i++) {
        i = skip_quoted(expression, i);
        if (i >= expression.len)
            break;
        char c = expression.at[i];
        depth += strchr("([{", c) != NULL;
        if (strchr(")]}", c) && depth-- == 0)
            break;
        if (depth == 0 && (c == '/' || c == '%'))
            behind = i + 1;
    }

    if (behind == 0)
        return (span){ "", 0 };

    /* Of x /= n too. */
    span divisor = span_strip(span_from(expression, behind));
    if (span_begins(divisor, "="))
        divisor = span_strip(span_from(divisor, 1));
    return divisor;
}
