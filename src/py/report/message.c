#include "py/report/message.h"

#include <snug/snug.h>

#include <string.h>

#include "base/utf8.h"
#include "base/wide.h"
#include "py/core/raised.h"
#include "py/report/suggest.h"

/* traceback.py has no bounds here. */
enum { MAX_NOTES = 1000, MAX_CARETS = 10000, TYPE_NAME_BYTES = 4096 };

/* Text of value, or what stands for it; owned, NULL without memory. */
static PyObject *text_or(PyObject *(*function)(PyObject *), PyObject *value, const char *failure)
{
    PyObject *text = function(value);
    if (!text) {
        PyErr_Clear();
        text = PyUnicode_FromString(failure);
        PyErr_Clear();
    }
    return text;
}

PyObject *message_text(PyObject *exc)
{
    return text_or(PyObject_Str, exc, "<exception str() failed>");
}

/* ---- types ---- */

/* type.__module__ as type's own getter has it: not what a metaclass says. NULL where
 * it was deleted; owned. */
static PyObject *module_of(PyTypeObject *type)
{
    PyObject *name = NULL;

    if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) {
        PyObject *dict = python_type_dict(type);
        name = dict ? Py_XNewRef(PyDict_GetItemString(dict, "__module__")) : NULL;
        Py_XDECREF(dict);
    } else {
        const char *dot = strrchr(type->tp_name, '.');
        if (dot)
            name = PyUnicode_FromStringAndSize(type->tp_name, dot - type->tp_name);
        else
            name = PyUnicode_FromString("builtins");
    }

    PyErr_Clear();
    return name;
}

int message_type(str *out, PyObject *exc)
{
    PyObject *module = module_of(Py_TYPE(exc));
    PyObject *name = PyType_GetQualName(Py_TYPE(exc));
    int error = SNUG_OK;

    PyErr_Clear();
    if (!module || !PyUnicode_Check(module)) {
        error = str_add(out, "<unknown>.");
    } else if (PyUnicode_CompareWithASCIIString(module, "__main__") != 0 &&
               PyUnicode_CompareWithASCIIString(module, "builtins") != 0) {
        if (!(error = pytext_append(out, module, TYPE_NAME_BYTES)))
            error = str_append(out, ".", 1);
    }

    if (!error)
        error = pytext_append(out, name, TYPE_NAME_BYTES);
    Py_XDECREF(module);
    Py_XDECREF(name);
    return error;
}

static void add_type(report *r, PyObject *exc)
{
    str name = { 0 };
    report_fail(r, message_type(&name, exc));
    report_put(r, (span){ str_text(&name), name.len });
    str_free(&name);
}

/* ---- syntax errors ---- */

/* The fields of a SyntaxError, any objects; owned, because __str__ of one may replace
 * another. None where one was deleted. */
typedef struct syntax {
    PyObject *msg, *filename, *lineno, *offset, *end_lineno, *end_offset, *text;
} syntax;

static PyObject *field_or_none(PyObject *value)
{
    return Py_NewRef(value ? value : Py_None);
}

static void syntax_init(syntax *of, PyObject *exc)
{
    PySyntaxErrorObject *error = (PySyntaxErrorObject *)exc;
    *of = (syntax){ field_or_none(error->msg),        field_or_none(error->filename),
                    field_or_none(error->lineno),     field_or_none(error->offset),
                    field_or_none(error->end_lineno), field_or_none(error->end_offset),
                    field_or_none(error->text) };
}

static void syntax_free(syntax *of)
{
    Py_DECREF(of->msg);
    Py_DECREF(of->filename);
    Py_DECREF(of->lineno);
    Py_DECREF(of->offset);
    Py_DECREF(of->end_lineno);
    Py_DECREF(of->end_offset);
    Py_DECREF(of->text);
}

/* The object's text, or instead if the object counts as false. */
static void add_any(report *r, PyObject *value, const char *instead)
{
    int is_true = PyUnicode_Check(value) ? PyUnicode_GET_LENGTH(value) > 0 : PyObject_IsTrue(value);

    PyErr_Clear();
    if (instead && is_true <= 0) {
        report_add(r, instead);
        return;
    }

    PyObject *text = text_or(PyObject_Str, value, "<unprintable>");
    report_add_object(r, text);
    Py_XDECREF(text);
}

/* An int, held to what can be added without care. */
static Py_ssize_t clamped_number(PyObject *value)
{
    const Py_ssize_t most = 1 << 30;
    int overflow;

    long long n = PyLong_AsLongLongAndOverflow(value, &overflow);
    PyErr_Clear();
    if (overflow > 0 || n > most)
        return most;
    if (overflow < 0 || n < -most)
        return -most;
    return (Py_ssize_t)n;
}

/* A SyntaxError's text, without the blanks in front. */
typedef struct syntax_line {
    span shown;
    Py_ssize_t removed; /* blanks */
    Py_ssize_t chars, chars_with_ends;
} syntax_line;

static syntax_line cut_syntax_line(span text)
{
    syntax_line line = { text, 0, 0, (Py_ssize_t)utf8_length(text.at, text.len) };
    while (line.shown.len && line.shown.at[line.shown.len - 1] == '\n')
        line.shown.len--;
    line.chars = line.chars_with_ends - (Py_ssize_t)(text.len - line.shown.len);
    for (; line.shown.len && memchr(" \n\f", line.shown.at[0], 3); line.removed++)
        line.shown = span_from(line.shown, 1);
    return line;
}

/* Where the error does not say so, or says 0, it ends where it begins. */
static Py_ssize_t end_offset(const syntax *of, Py_ssize_t start)
{
    Py_ssize_t end = PyLong_Check(of->end_offset) ? clamped_number(of->end_offset) : 0;
    return end ? end : start;
}

#if PYTHON_REPORTS_IN_PYTHON

/* lineno and end_lineno are compared as texts. */
static int is_one_line(const syntax *of)
{
    if (of->lineno == Py_None || of->end_lineno == Py_None)
        return of->lineno == of->end_lineno;
    PyObject *first = text_or(PyObject_Str, of->lineno, "?");
    PyObject *last = text_or(PyObject_Str, of->end_lineno, "?");
    int answer = first && last && PyUnicode_Compare(first, last) == 0;
    Py_XDECREF(first);
    Py_XDECREF(last);
    return answer;
}

/* From where to where, in characters from 1. */
static void range_of(const syntax *of, const syntax_line *line, Py_ssize_t *start, Py_ssize_t *end)
{
    *start = clamped_number(of->offset);
    *end = is_one_line(of) ? end_offset(of, *start) : line->chars + 1;
    if (line->chars_with_ends && *start > line->chars_with_ends)
        *start = line->chars + 1;
    if (line->chars_with_ends && *end > line->chars_with_ends)
        *end = line->chars + 1;
    if (*start >= *end || *end < 0)
        *end = *start + 1;
}

/* With an offset that is not a number, traceback.py shows no text at all. */
static int shows_text(const syntax *of)
{
    return PyUnicode_Check(of->text) && (of->offset == Py_None || PyLong_Check(of->offset));
}

#else

/* The printer in C has numbers alone. */
static int goes_on(const syntax *of)
{
    return PyLong_Check(of->lineno) && PyLong_Check(of->end_lineno) &&
           clamped_number(of->end_lineno) > clamped_number(of->lineno);
}

/* What goes on in the next line is marked to the end of this one. */
static void range_of(const syntax *of, const syntax_line *line, Py_ssize_t *start, Py_ssize_t *end)
{
    *start = clamped_number(of->offset);
    *end = goes_on(of) ? line->chars + 1 : end_offset(of, *start);
    if (*start == *end || *end == -1)
        *end = *start + 1;
}

static int shows_text(const syntax *of)
{
    return PyUnicode_Check(of->text);
}

#endif

/* Under one character. */
static void put_under(report *r, const char *mark, uint32_t character)
{
    report_add(r, mark);
    if (PYTHON_CARETS_BY_WIDTH && wide_is(character))
        report_add(r, mark);
}

/* Under what is shown, from its character start up to end. */
static void put_carets(report *r, span shown, Py_ssize_t start, Py_ssize_t end)
{
    Py_ssize_t count = end - start < MAX_CARETS ? end - start : MAX_CARETS;
    size_t step;

    report_begin(r, '|');
    report_add(r, "    ");

    /* Other blanks than spaces are kept, so that the carets stand where they should. */
    for (Py_ssize_t i = 0; i < start && shown.len; i++, shown = span_from(shown, step)) {
        uint32_t character = span_first(shown, &step);
        if (!PYTHON_CARETS_BY_WIDTH && span_is_space(character))
            report_put(r, span_cut(shown, step));
        else
            put_under(r, " ", character);
    }

    for (; count > 0 && shown.len; count--, shown = span_from(shown, step))
        put_under(r, "^", span_first(shown, &step));
    for (; count > 0; count--)
        report_add(r, "^");
    report_add(r, "\n");
}

static void put_source_line(report *r, const syntax *of)
{
    PyObject *holder;
    Py_ssize_t start, end;

    if (!shows_text(of))
        return;
    syntax_line line = cut_syntax_line(pytext_of(&holder, of->text));
    report_begin(r, '|');
    report_add(r, "    ");
    report_put(r, line.shown);
    report_add(r, "\n");
    if (PyLong_Check(of->offset)) {
        range_of(of, &line, &start, &end);
        start -= line.removed + 1;
        end -= line.removed + 1;
        if (start >= 0)
            put_carets(r, line.shown, start, end);
    }
    Py_XDECREF(holder);
}

static void put_syntax_error(report *r, PyObject *exc)
{
    syntax of;

    syntax_init(&of, exc);
    if (of.lineno != Py_None) {
        report_begin(r, '|');
        report_add(r, "  File \"");
        add_any(r, of.filename, "<string>");
        report_add(r, "\", line ");
        add_any(r, of.lineno, NULL);
        report_add(r, "\n");
    }

    put_source_line(r, &of);
    report_begin(r, '|');
    add_type(r, exc);
    report_add(r, ": ");
    add_any(r, of.msg, "<no detail available>");
    if (of.lineno == Py_None && of.filename != Py_None) {
        report_add(r, " (");
        add_any(r, of.filename, NULL);
        report_add(r, ")");
    }

    report_add(r, "\n");
    syntax_free(&of);
}

/* ---- other exceptions ---- */

static void put_line(report *r, PyObject *exc, PyObject *text)
{
    str suggestion = { 0 };
    int has_text = text && PyUnicode_Check(text) && PyUnicode_GET_LENGTH(text) > 0;

    report_fail(r, suggest_sentence(&suggestion, exc));
    /* Since 3.13 the suggestion is part of the text; the printer put it behind the line. */
    if (PYTHON_REPORTS_IN_PYTHON && suggestion.len)
        has_text = 1;
    report_begin(r, '|');
    add_type(r, exc);
    if (has_text)
        report_add(r, ": ");
    report_add_object(r, text);
    report_put(r, (span){ str_text(&suggestion), suggestion.len });
    report_add(r, "\n");
    str_free(&suggestion);
}

/* ---- notes ---- */

/* A list of the one note that there is if __notes__ could not be read: that error. */
static PyObject *notes_of_failure(PyObject *error)
{
    PyObject *notes = NULL, *note = NULL;
    PyObject *text = text_or(PyObject_Repr, error, "<__notes__ repr() failed>");

    if (text)
        note = PyUnicode_FromFormat("Ignored error getting __notes__: %U", text);
    if (note)
        notes = Py_BuildValue("[N]", note);
    Py_XDECREF(text);
    PyErr_Clear();
    return notes;
}

#if PYTHON_REPORTS_IN_PYTHON

PyObject *message_notes(PyObject *exc)
{
    PyObject *notes;
    if (PyObject_GetOptionalAttrString(exc, "__notes__", &notes) < 0) {
        PyObject *error = raised_take();
        notes = notes_of_failure(error);
        Py_DECREF(error);
    }
    return notes;
}

#else

PyObject *message_notes(PyObject *exc)
{
    PyObject *notes = PyObject_GetAttrString(exc, "__notes__");
    if (notes)
        return notes;

    PyObject *error = raised_take();
    if (error && !PyErr_GivenExceptionMatches(error, PyExc_AttributeError))
        notes = notes_of_failure(error);
    Py_XDECREF(error);
    return notes;
}

#endif

/* isinstance(notes, collections.abc.Sequence): registered types too have the flag. str
 * and bytes have not; they count before 3.13. */
static int is_note_list(PyObject *notes)
{
    if (PyUnicode_Check(notes) || PyBytes_Check(notes))
        return !PYTHON_REPORTS_IN_PYTHON;
    return PyType_HasFeature(Py_TYPE(notes), Py_TPFLAGS_SEQUENCE) || PyByteArray_Check(notes);
}

static void put_notes(report *r, PyObject *notes)
{
    if (!is_note_list(notes)) {
        PyObject *text = text_or(PyObject_Repr, notes, "<__notes__ repr() failed>");
        report_begin(r, '|');
        report_add_object(r, text);
        if (PYTHON_REPORTS_IN_PYTHON)
            report_add(r, "\n");
        Py_XDECREF(text);
        return;
    }

    PyObject *iterator = PyObject_GetIter(notes), *note;
    for (int i = 0; iterator && i < MAX_NOTES && (note = PyIter_Next(iterator)); i++) {
        PyObject *text = text_or(PyObject_Str, note, "<note str() failed>");
        report_begin(r, '|');
        report_add_object(r, text);
        report_add(r, "\n");
        Py_XDECREF(text);
        Py_DECREF(note);
    }

    PyErr_Clear();
    Py_XDECREF(iterator);
}

void message_put(report *r, PyObject *exc, PyObject *text, PyObject *notes)
{
    if (PyObject_TypeCheck(exc, (PyTypeObject *)PyExc_SyntaxError))
        put_syntax_error(r, exc);
    else
        put_line(r, exc, text);
    if (notes && notes != Py_None)
        put_notes(r, notes);
}
