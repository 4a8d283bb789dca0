#include "py/message.h"

#include <snug/snug.h>

#include <string.h>

#include "base/utf8.h"
#include "py/suggest.h"

/* traceback.py has no bounds here. */
enum { MAX_NOTES = 1000, MAX_CARETS = 10000, TYPE_NAME_BYTES = 4096 };

static const char no_text[] = "<exception str() failed>";

/* Text of value, or of what could not be had; owned, NULL without memory. */
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

static int is_syntax_error(PyObject *exc)
{
    return PyObject_TypeCheck(exc, (PyTypeObject *)PyExc_SyntaxError);
}

/* A field of a SyntaxError; None when it was deleted. Borrowed. */
static PyObject *field(PyObject *value)
{
    return value ? value : Py_None;
}

static int is_true(PyObject *value)
{
    int answer = PyUnicode_Check(value) ? PyUnicode_GET_LENGTH(value) > 0 : PyObject_IsTrue(value);
    PyErr_Clear();
    return answer > 0;
}

static void put_any(report *r, PyObject *value)
{
    PyObject *text = text_or(PyObject_Str, value, "<exception str() failed>");
    report_add_object(r, text);
    Py_XDECREF(text);
}

/* An int, held to what can be added without care. */
static Py_ssize_t number(PyObject *value)
{
    const Py_ssize_t most = 1 << 30;
    int overflow;
    long long n = PyLong_AsLongLongAndOverflow(value, &overflow);
    PyErr_Clear();
    if (overflow > 0 || n > most)
        return most;
    return overflow < 0 || n < -most ? -most : (Py_ssize_t)n;
}

/* The text of a SyntaxError without the blanks in front, and what was taken off. */
typedef struct syntax_line {
    span whole, shown; /* without line ends */
    Py_ssize_t removed;
    Py_ssize_t chars, text_chars; /* of whole, and of it with the line ends */
} syntax_line;

static syntax_line syntax_line_of(span text)
{
    syntax_line line = { .whole = text };
    line.text_chars = (Py_ssize_t)utf8_length(text.at, text.len);
    while (line.whole.len && line.whole.at[line.whole.len - 1] == '\n')
        line.whole.len--;
    line.chars = (Py_ssize_t)utf8_length(line.whole.at, line.whole.len);
    line.shown = line.whole;
    while (line.shown.len && memchr(" \n\f", line.shown.at[0], 3))
        line.shown = span_from(line.shown, 1);
    line.removed = (Py_ssize_t)(line.whole.len - line.shown.len);
    return line;
}

/* Whose characters from start up to end are marked; from 0, of what is shown. */
static void put_syntax_carets(report *r, span shown, Py_ssize_t start, Py_ssize_t end)
{
    char carets[64];
    size_t step;
    report_begin(r, '|');
    report_add(r, "    ");
    /* Other blanks than spaces are kept, so that the carets stand where they should. */
    for (Py_ssize_t i = 0; i < start && shown.len; i++, shown = span_from(shown, step))
        report_put(r, span_is_space(span_first(shown, &step)) ? span_cut(shown, step) : (span){ " ", 1 });
    memset(carets, '^', sizeof carets);
    for (Py_ssize_t left = end - start < MAX_CARETS ? end - start : MAX_CARETS; left > 0;
         left -= (Py_ssize_t)sizeof carets)
        report_put(r, (span){ carets, left < (Py_ssize_t)sizeof carets ? (size_t)left : sizeof carets });
    report_add(r, "\n");
}

#if PY_VERSION_HEX >= 0x030d0000

/* lineno and end_lineno are compared as texts. */
static int is_one_line(PySyntaxErrorObject *error)
{
    PyObject *first = field(error->lineno), *last = field(error->end_lineno);
    if (first == Py_None || last == Py_None)
        return first == last;
    first = text_or(PyObject_Str, first, "?");
    last = text_or(PyObject_Str, last, "?");
    int answer = first && last && PyUnicode_Compare(first, last) == 0;
    PyErr_Clear();
    Py_XDECREF(first);
    Py_XDECREF(last);
    return answer;
}

static int syntax_range(PySyntaxErrorObject *error, const syntax_line *line, Py_ssize_t *start,
                        Py_ssize_t *end)
{
    PyObject *last = field(error->end_offset);
    *start = number(error->offset);
    *end = line->chars + 1;
    if (is_one_line(error))
        *end = PyLong_Check(last) && number(last) != 0 ? number(last) : *start;
    if (line->text_chars && *start > line->text_chars)
        *start = line->chars + 1;
    if (line->text_chars && *end > line->text_chars)
        *end = line->chars + 1;
    if (*start >= *end || *end < 0)
        *end = *start + 1;
    return 1;
}

/* With an offset that is no number, traceback.py shows no text at all. */
static int shows_syntax_text(PyObject *offset)
{
    return offset == Py_None || PyLong_Check(offset);
}

#else

static int syntax_range(PySyntaxErrorObject *error, const syntax_line *line, Py_ssize_t *start,
                        Py_ssize_t *end)
{
    PyObject *last = field(error->end_offset);
    (void)line;
    *start = number(error->offset);
    *end = PyLong_Check(last) && number(last) != 0 ? number(last) : *start;
    if (*start == *end || *end == -1)
        *end = *start + 1;
    return 1;
}

static int shows_syntax_text(PyObject *offset)
{
    (void)offset;
    return 1;
}

#endif

static void put_syntax_text(report *r, PySyntaxErrorObject *error)
{
    PyObject *holder, *offset = field(error->offset);
    Py_ssize_t start, end;
    if (!PyUnicode_Check(field(error->text)) || !shows_syntax_text(offset))
        return;
    PyObject *text = Py_NewRef(error->text);
    syntax_line line = syntax_line_of(pytext_of(&holder, text));
    report_begin(r, '|');
    report_add(r, "    ");
    report_put(r, line.shown);
    report_add(r, "\n");
    if (PyLong_Check(offset) && syntax_range(error, &line, &start, &end) &&
        start - 1 >= line.removed)
        put_syntax_carets(r, line.shown, start - 1 - line.removed, end - 1 - line.removed);
    Py_XDECREF(holder);
    Py_DECREF(text);
}

/* The type's name as traceback_name gives it comes before. */
static void put_syntax_error(report *r, PyObject *exc, str *name)
{
    PySyntaxErrorObject *error = (PySyntaxErrorObject *)exc;
    PyObject *filename = Py_NewRef(field(error->filename));
    PyObject *lineno = Py_NewRef(field(error->lineno));
    if (lineno != Py_None) {
        report_begin(r, '|');
        report_add(r, "  File \"");
        if (is_true(filename))
            put_any(r, filename);
        else
            report_add(r, "<string>");
        report_add(r, "\", line ");
        put_any(r, lineno);
        report_add(r, "\n");
    }
    put_syntax_text(r, error);
    PyObject *message = Py_NewRef(field(error->msg));
    report_begin(r, '|');
    report_str(r, name, SNUG_OK);
    report_add(r, ": ");
    if (is_true(message))
        put_any(r, message);
    else
        report_add(r, "<no detail available>");
    if (lineno == Py_None && filename != Py_None) {
        report_add(r, " (");
        put_any(r, filename);
        report_add(r, ")");
    }
    report_add(r, "\n");
    Py_DECREF(message);
    Py_DECREF(lineno);
    Py_DECREF(filename);
}

/* "Type: text" with the suggestion behind it. text: str(exc). */
static void put_final_line(report *r, PyObject *exc, PyObject *text, str *name)
{
    str suggestion = { 0 };
    int error = suggest_sentence(&suggestion, exc);
    int has_text = text && PyUnicode_Check(text) && PyUnicode_GET_LENGTH(text) > 0;
#if PY_VERSION_HEX >= 0x030d0000
    /* There it is part of the text; the report of 3.11 put it after all. */
    has_text = has_text || suggestion.len;
#endif
    report_begin(r, '|');
    report_str(r, name, SNUG_OK);
    if (has_text)
        report_add(r, ": ");
    report_add_object(r, text);
    report_str(r, &suggestion, error);
    report_add(r, "\n");
    str_free(&suggestion);
}

/* The object's __notes__, NULL without; owned. */
static PyObject *notes_of(PyObject *exc)
{
    PyObject *notes = NULL, *error = NULL;
#if PY_VERSION_HEX >= 0x030d0000
    PyObject_GetOptionalAttrString(exc, "__notes__", &notes);
    error = PyErr_GetRaisedException();
#else
    notes = PyObject_GetAttrString(exc, "__notes__");
    if (!notes && !PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyObject *type, *traceback;
        PyErr_Fetch(&type, &error, &traceback);
        PyErr_NormalizeException(&type, &error, &traceback);
        Py_XDECREF(type);
        Py_XDECREF(traceback);
    }
    PyErr_Clear();
#endif
    if (error) {
        PyObject *text = text_or(PyObject_Repr, error, "<__notes__ repr() failed>");
        if (text)
            notes = Py_BuildValue(
                "[N]", PyUnicode_FromFormat("Ignored error getting __notes__: %U", text));
        Py_XDECREF(text);
        Py_DECREF(error);
        PyErr_Clear();
    }
    return notes;
}

/* isinstance(notes, collections.abc.Sequence), of which registered types too have the
 * flag; str and bytes have not, and count before 3.13. */
static int is_sequence(PyObject *notes)
{
    if (PyUnicode_Check(notes) || PyBytes_Check(notes))
        return PY_VERSION_HEX < 0x030d0000;
    return PyType_HasFeature(Py_TYPE(notes), Py_TPFLAGS_SEQUENCE) || PyByteArray_Check(notes);
}

static void put_notes(report *r, PyObject *notes)
{
    if (!notes || notes == Py_None)
        return;
    if (!is_sequence(notes)) {
        PyObject *text = text_or(PyObject_Repr, notes, "<__notes__ repr() failed>");
        report_begin(r, '|');
        report_add_object(r, text);
        if (PY_VERSION_HEX >= 0x030d0000)
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

/* type.__module__ as type's own getter has it: not what a metaclass says. NULL where
 * it was deleted; owned. */
static PyObject *module_of(PyTypeObject *type)
{
    PyObject *name = NULL;
    if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) {
#if PY_VERSION_HEX >= 0x030c0000
        PyObject *dict = PyType_GetDict(type);
#else
        PyObject *dict = Py_XNewRef(type->tp_dict);
#endif
        name = dict ? Py_XNewRef(PyDict_GetItemString(dict, "__module__")) : NULL;
        Py_XDECREF(dict);
    } else {
        const char *dot = strrchr(type->tp_name, '.');
        name = dot ? PyUnicode_FromStringAndSize(type->tp_name, dot - type->tp_name)
                   : PyUnicode_FromString("builtins");
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

