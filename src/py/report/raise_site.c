#include "py/report/raise_site.h"

#include <string.h>

#include "py/report/python_frame.h"

/* ---- the frame ---- */

static span line_of(const char *text, size_t len, int number)
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
    out->line = line_of(text, len, at.line);
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

static int is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

size_t place_name_len(span text)
{
    size_t len = 0;
    while (len < text.len && is_word(text.at[len]))
        len++;
    return len > 0 && text.at[0] >= '0' && text.at[0] <= '9' ? 0 : len;
}

enum { MOST_ITEMS = 100000 };

static int is_text(PyObject *object, span text)
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
            if (is_text(name, key))
                return value;
    return NULL;
}

/* Of a function's frame only: a class body may keep its names in anything. */
static PyObject *local(const place *p, span name)
{
    if (!(p->code->co_flags & CO_OPTIMIZED))
        return NULL;
#if PY_VERSION_HEX >= 0x030d0000
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
    PyObject *value = local(p, name);
    return value ? value : Py_XNewRef(place_item(p->globals, name));
}

/* ---- expressions ---- */

static PyObject *attribute(PyObject *object, span name)
{
    PyObject *dict = PyModule_Check(object)                ? Py_XNewRef(PyModule_GetDict(object))
                     : PyType_Check(object)                ? NULL
                     : Py_TYPE(object)->tp_dictoffset != 0 ? PyObject_GenericGetDict(object, NULL)
                                                           : NULL;

    PyErr_Clear();
    PyObject *value = Py_XNewRef(place_item(dict, name));
    Py_XDECREF(dict);
    return value;
}

/* A number without a sign, or -1. */
static Py_ssize_t number(span text)
{
    Py_ssize_t n = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] < '0' || text.at[i] > '9' || n > MOST_ITEMS)
            return -1;
        n = n * 10 + (text.at[i] - '0');
    }
    return text.len > 0 ? n : -1;
}

/* A value in quotes without any escapes in it. */
static int is_quoted(span text)
{
    return text.len >= 2 && (text.at[0] == '\'' || text.at[0] == '"') &&
           text.at[text.len - 1] == text.at[0] && !memchr(text.at, '\\', text.len) &&
           !memchr(text.at + 1, text.at[0], text.len - 2);
}

static PyObject *under_number(PyObject *object, Py_ssize_t index)
{
    if (PyList_CheckExact(object) && index < PyList_GET_SIZE(object))
        return Py_NewRef(PyList_GET_ITEM(object, index));
    if (PyTuple_CheckExact(object) && index < PyTuple_GET_SIZE(object))
        return Py_NewRef(PyTuple_GET_ITEM(object, index));
    return NULL;
}

static PyObject *subscript(const place *p, PyObject *object, span index)
{
    index = span_strip(index);
    if (is_quoted(index))
        return Py_XNewRef(place_item(object, span_from(span_cut(index, index.len - 1), 1)));
    if (number(index) >= 0)
        return under_number(object, number(index));
    if (place_name_len(index) != index.len)
        return NULL;

    PyObject *value = place_name(p, index), *item = NULL;
    Py_ssize_t n = value && PyLong_CheckExact(value) ? PyLong_AsSsize_t(value) : -1;
    PyErr_Clear();
    if (n >= 0)
        item = under_number(object, n);
    else if (value && PyUnicode_CheckExact(value)) {
        Py_ssize_t len;
        const char *text = PyUnicode_AsUTF8AndSize(value, &len);
        PyErr_Clear();
        item = text ? Py_XNewRef(place_item(object, (span){ text, (size_t)len })) : NULL;
    }

    Py_XDECREF(value);
    return item;
}

/* One step behind object, whose reference is taken; *rest is what follows. */
static PyObject *next(const place *p, PyObject *object, span *rest)
{
    PyObject *value = NULL;

    if (rest->at[0] == '.') {
        span name = span_from(*rest, 1);
        name = span_cut(name, place_name_len(name));
        value = name.len ? attribute(object, name) : NULL;
        *rest = span_from(*rest, 1 + name.len);
    } else if (rest->at[0] == '[') {
        const char *end = memchr(rest->at, ']', rest->len);
        size_t len = end ? (size_t)(end - rest->at) : 0;
        value = end ? subscript(p, object, span_from(span_cut(*rest, len), 1)) : NULL;
        *rest = span_from(*rest, end ? len + 1 : 0);
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
        value = next(p, value, &rest);
    return value;
}

/* Where the text in quotes at i ends; i itself where none begins. */
static size_t skip_text(span text, size_t i)
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
        i = skip_text(expression, i);
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
        i = skip_text(expression, i);
        if (i >= expression.len)
            break;
        char c = expression.at[i];
        depth += strchr("([{", c) != NULL;
        if (strchr(")]}", c) && depth-- == 0)
            break;
        if (depth == 0 && (c == '/' || c == '%'))
            behind = i + 1;
    }

    span divisor = span_strip(span_from(expression, behind));
    return behind > 0 && divisor.len > 0 && divisor.at[0] == '=' ? span_strip(span_from(divisor, 1))
           : behind > 0                                          ? divisor
                                                                 : (span){ "", 0 };
}
