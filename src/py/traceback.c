#include "py/traceback.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "capture/stream.h"
#include "py/frame.h"
#include "py/pytext.h"
#include "py/sourcetext.h"
#include "py/suggest.h"

enum {
    /* traceback.py's */
    MAX_GROUP_WIDTH = 15,
    MAX_GROUP_DEPTH = 10,
    RECURSIVE_CUTOFF = 3,
    /* Ours: Python has no bounds here. What is past them is left out with a line that
     * says so. */
    MAX_EXCEPTIONS = 1000,
    MAX_ENTRIES = 4000,        /* of one traceback */
    MAX_ENTRIES_SHOWN = 20000, /* of one report; each traceback has some of its own */
    MIN_ENTRIES = 20,
    MAX_NOTES = 1000,
    MAX_CARETS = 10000,
    TYPE_NAME_BYTES = 4096,
    VALUE_BYTES = 64 * 1024,
    RENDERED = 8
};

/* ---- entries of a traceback ---------------------------------------------- */

/* The entries that are shown of a traceback; owned, or NULL. */
static PyTracebackObject *first_entry(PyObject *exc, const source_lines *lines)
{
    PyObject *entry = PyException_GetTraceback(exc);
    PyTracebackObject *first = NULL;
    if (!entry || !PyTraceBack_Check(entry)) {
        Py_XDECREF(entry);
        return NULL;
    }
    for (PyTracebackObject *at = (PyTracebackObject *)entry;
         lines && lines->is_cell && at && !first; at = at->tb_next) {
        PyCodeObject *code = PyFrame_GetCode(at->tb_frame);
        if (lines->is_cell(lines->payload, code->co_filename))
            first = at;
        Py_DECREF(code);
    }
    PyErr_Clear();
    if (!first)
        return (PyTracebackObject *)entry;
    Py_INCREF(first);
    Py_DECREF(entry);
    return first;
}

/* The entry after this one, which is released: a guest's finalizer may cut the list
 * while we walk it. */
static PyTracebackObject *next_entry(PyTracebackObject *entry)
{
    PyTracebackObject *next = (PyTracebackObject *)Py_XNewRef((PyObject *)entry->tb_next);
    Py_DECREF(entry);
    return next;
}

static size_t count_entries(const PyTracebackObject *entry)
{
    size_t count = 0;
    for (; entry; entry = entry->tb_next)
        count++;
    return count;
}

/* ---- one report ---------------------------------------------------------- */

/* A frame's lines, kept for when the same instruction comes again. */
typedef struct rendered {
    PyCodeObject *code; /* owned */
    int lasti, line;
    str text;
} rendered;

typedef struct printer {
    stream out;
    int error; /* the first one; writing goes on, into the stream that drops it */
    const source_lines *lines;
    sourcetext source;
    rendered cache[RENDERED];
    size_t entries_left;
    /* What surrounds the text of a group's members. */
    unsigned depth;
    char margin;
    int need_close, is_line_start, is_after_cr;
} printer;

/* Starts a text: inside a group every line of it begins with the margin. */
static void begin(printer *p, char margin)
{
    p->margin = margin;
    p->is_line_start = 1;
    p->is_after_cr = 0;
}

static void write_raw(printer *p, const char *text, size_t len)
{
    int error = stream_write(&p->out, text, len);
    if (error && !p->error)
        p->error = error;
}

static void write_indent(printer *p)
{
    for (unsigned i = 0; i < p->depth; i++)
        write_raw(p, "  ", 2);
}

/* More of the text that begin started. */
static void put(printer *p, span text)
{
    size_t content;
    if (!p->depth) {
        write_raw(p, text.at, text.len);
        return;
    }
    while (text.len) {
        size_t len = span_line(text, &content);
        if (p->is_line_start && !(p->is_after_cr && text.at[0] == '\n')) {
            char margin[2] = { p->margin, ' ' };
            write_indent(p);
            write_raw(p, margin, 2);
        }
        write_raw(p, text.at, len);
        p->is_line_start = content < len;
        p->is_after_cr = text.at[len - 1] == '\r';
        text = span_from(text, len);
    }
}

static void put_text(printer *p, const char *text)
{
    put(p, (span){ text, strlen(text) });
}

/* A str object. */
static void put_object(printer *p, PyObject *text)
{
    PyObject *holder;
    put(p, pytext_of(&holder, text));
    Py_XDECREF(holder);
}

static void put_str(printer *p, str *text, int error)
{
    if (error && !p->error)
        p->error = error;
    put(p, (span){ str_text(text), text->len });
}

/* ---- stacks -------------------------------------------------------------- */

/* The lines of an entry; the cache's, until the next call. */
static span render(printer *p, PyTracebackObject *entry, PyCodeObject *code,
                   const frame_position *position)
{
    size_t slot = ((size_t)(uintptr_t)code / 64 + (size_t)(unsigned)entry->tb_lasti) % RENDERED;
    rendered *r = &p->cache[slot];
    if (r->code != code || r->lasti != entry->tb_lasti || r->line != position->line) {
        str_clear(&r->text);
        Py_INCREF(code);
        Py_XSETREF(r->code, code);
        r->lasti = entry->tb_lasti;
        r->line = position->line;
        int error = frame_format(&r->text, &p->source, code, position);
        if (error && !p->error)
            p->error = error;
    }
    return (span){ str_text(&r->text), r->text.len };
}

/* The frame last shown, and how often it has come in a row. */
typedef struct repetition {
    PyCodeObject *code; /* owned */
    int line;
    size_t count;
} repetition;

static int is_same_place(const repetition *last, PyCodeObject *code, int line)
{
    return last->code && line >= 0 && last->line == line &&
           (last->code == code ||
            (PyUnicode_Compare(last->code->co_filename, code->co_filename) == 0 &&
             PyUnicode_Compare(last->code->co_name, code->co_name) == 0));
}

static void put_repetition(printer *p, const repetition *last)
{
    char line[80];
    if (last->count <= RECURSIVE_CUTOFF)
        return;
    size_t more = last->count - RECURSIVE_CUTOFF;
    snprintf(line, sizeof line, "  [Previous line repeated %zu more time%s]\n", more,
             more > 1 ? "s" : "");
    begin(p, '|');
    put_text(p, line);
}

static void put_entry(printer *p, repetition *last, PyTracebackObject *entry)
{
    PyCodeObject *code = PyFrame_GetCode(entry->tb_frame);
    frame_position position;
    frame_position_of(&position, entry, code);
    if (!is_same_place(last, code, position.line)) {
        put_repetition(p, last);
        Py_INCREF(code);
        Py_XSETREF(last->code, code);
        last->line = position.line;
        last->count = 0;
    }
    if (++last->count <= RECURSIVE_CUTOFF) {
        begin(p, '|');
        put(p, render(p, entry, code, &position));
    }
    Py_DECREF(code);
}

/* sys.tracebacklimit, as traceback.py understands it; SIZE_MAX for none. */
static size_t entry_limit(void)
{
    PyObject *limit = PySys_GetObject("tracebacklimit");
    if (!limit || !PyLong_Check(limit))
        return SIZE_MAX;
    Py_ssize_t value = PyLong_AsSsize_t(limit);
    if (value == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        return SIZE_MAX;
    }
    return value < 0 ? 0 : (size_t)value;
}

/* Consumes entry. Of too many, the first and the last half of those allowed. */
static void put_stack(printer *p, PyTracebackObject *entry, size_t count)
{
    size_t allowed = p->entries_left < MIN_ENTRIES ? MIN_ENTRIES : p->entries_left;
    repetition last = { 0 };
    if (allowed > MAX_ENTRIES)
        allowed = MAX_ENTRIES;
    for (size_t i = 0; entry && i < count; i++, entry = next_entry(entry)) {
        if (count > allowed && i >= allowed / 2 && i < count - allowed / 2) {
            if (i > allowed / 2)
                continue;
            char line[80];
            put_repetition(p, &last);
            last.count = 0;
            Py_CLEAR(last.code);
            snprintf(line, sizeof line, "  [%zu frames left out]\n", count - allowed / 2 * 2);
            begin(p, '|');
            put_text(p, line);
            continue;
        }
        put_entry(p, &last, entry);
        p->entries_left -= p->entries_left > 0;
    }
    Py_XDECREF(entry);
    put_repetition(p, &last);
    Py_XDECREF(last.code);
}

static void put_traceback(printer *p, PyObject *exc, const char *heading, char margin)
{
    PyTracebackObject *entry = first_entry(exc, p->lines);
    size_t count = count_entries(entry), limit = entry_limit();
    if (count > limit)
        count = limit;
    if (count > 0) {
        begin(p, margin);
        put_text(p, heading);
        put_stack(p, entry, count);
    } else {
        Py_XDECREF(entry);
    }
}

/* ---- the lines of the exception ------------------------------------------ */

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

static void put_any(printer *p, PyObject *value)
{
    PyObject *text = text_or(PyObject_Str, value, "<exception str() failed>");
    put_object(p, text);
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
static void put_syntax_carets(printer *p, span shown, Py_ssize_t start, Py_ssize_t end)
{
    char carets[64];
    size_t step;
    begin(p, '|');
    put_text(p, "    ");
    /* Other blanks than spaces are kept, so that the carets stand where they should. */
    for (Py_ssize_t i = 0; i < start && shown.len; i++, shown = span_from(shown, step))
        put(p, span_is_space(span_first(shown, &step)) ? span_cut(shown, step) : (span){ " ", 1 });
    memset(carets, '^', sizeof carets);
    for (Py_ssize_t left = end - start < MAX_CARETS ? end - start : MAX_CARETS; left > 0;
         left -= (Py_ssize_t)sizeof carets)
        put(p, (span){ carets, left < (Py_ssize_t)sizeof carets ? (size_t)left : sizeof carets });
    put_text(p, "\n");
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

static void put_syntax_text(printer *p, PySyntaxErrorObject *error)
{
    PyObject *holder, *offset = field(error->offset);
    Py_ssize_t start, end;
    if (!PyUnicode_Check(field(error->text)) || !shows_syntax_text(offset))
        return;
    PyObject *text = Py_NewRef(error->text);
    syntax_line line = syntax_line_of(pytext_of(&holder, text));
    begin(p, '|');
    put_text(p, "    ");
    put(p, line.shown);
    put_text(p, "\n");
    if (PyLong_Check(offset) && syntax_range(error, &line, &start, &end) &&
        start - 1 >= line.removed)
        put_syntax_carets(p, line.shown, start - 1 - line.removed, end - 1 - line.removed);
    Py_XDECREF(holder);
    Py_DECREF(text);
}

/* The type's name as traceback_name gives it comes before. */
static void put_syntax_error(printer *p, PyObject *exc, str *name)
{
    PySyntaxErrorObject *error = (PySyntaxErrorObject *)exc;
    PyObject *filename = Py_NewRef(field(error->filename));
    PyObject *lineno = Py_NewRef(field(error->lineno));
    if (lineno != Py_None) {
        begin(p, '|');
        put_text(p, "  File \"");
        if (is_true(filename))
            put_any(p, filename);
        else
            put_text(p, "<string>");
        put_text(p, "\", line ");
        put_any(p, lineno);
        put_text(p, "\n");
    }
    put_syntax_text(p, error);
    PyObject *message = Py_NewRef(field(error->msg));
    begin(p, '|');
    put_str(p, name, SNUG_OK);
    put_text(p, ": ");
    if (is_true(message))
        put_any(p, message);
    else
        put_text(p, "<no detail available>");
    if (lineno == Py_None && filename != Py_None) {
        put_text(p, " (");
        put_any(p, filename);
        put_text(p, ")");
    }
    put_text(p, "\n");
    Py_DECREF(message);
    Py_DECREF(lineno);
    Py_DECREF(filename);
}

/* "Type: text" with the suggestion behind it. text: str(exc). */
static void put_final_line(printer *p, PyObject *exc, PyObject *text, str *name)
{
    str suggestion = { 0 };
    int error = suggest_sentence(&suggestion, exc);
    int has_text = text && PyUnicode_Check(text) && PyUnicode_GET_LENGTH(text) > 0;
#if PY_VERSION_HEX >= 0x030d0000
    /* There it is part of the text; the printer of 3.11 put it after all. */
    has_text = has_text || suggestion.len;
#endif
    begin(p, '|');
    put_str(p, name, SNUG_OK);
    if (has_text)
        put_text(p, ": ");
    put_object(p, text);
    put_str(p, &suggestion, error);
    put_text(p, "\n");
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

static void put_notes(printer *p, PyObject *notes)
{
    if (!notes || notes == Py_None)
        return;
    if (!is_sequence(notes)) {
        PyObject *text = text_or(PyObject_Repr, notes, "<__notes__ repr() failed>");
        begin(p, '|');
        put_object(p, text);
        if (PY_VERSION_HEX >= 0x030d0000)
            put_text(p, "\n");
        Py_XDECREF(text);
        return;
    }
    PyObject *iterator = PyObject_GetIter(notes), *note;
    for (int i = 0; iterator && i < MAX_NOTES && (note = PyIter_Next(iterator)); i++) {
        PyObject *text = text_or(PyObject_Str, note, "<note str() failed>");
        begin(p, '|');
        put_object(p, text);
        put_text(p, "\n");
        Py_XDECREF(text);
        Py_DECREF(note);
    }
    PyErr_Clear();
    Py_XDECREF(iterator);
}

/* ---- exceptions and what they came from ---------------------------------- */

/* An exception with its text, and the ones that are shown before or within it. */
typedef struct node {
    PyObject *exc, *text, *notes;         /* owned; NULL where there is none */
    struct node *cause, *context, *outer; /* outer: whose cause or context this is */
    struct node **members;                /* of a group */
    size_t member_count;
    int is_group, is_cut; /* is_cut: there was a cause or context that is left out */
    struct node *below;   /* in the list of those not yet looked at */
} node;

/* All nodes, for freeing them and for finding exceptions that were met. */
typedef struct forest {
    node **items;
    size_t count, cap;
} forest;

static void forest_free(forest *f)
{
    for (size_t i = 0; i < f->count; i++) {
        Py_XDECREF(f->items[i]->exc);
        Py_XDECREF(f->items[i]->text);
        Py_XDECREF(f->items[i]->notes);
        free(f->items[i]->members);
        free(f->items[i]);
    }
    free(f->items);
}

static int is_known(const forest *f, PyObject *exc)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->items[i]->exc == exc)
            return 1;
    return 0;
}

/* *out stays NULL if there are enough. */
static int grow(node **out, forest *f, PyObject *exc)
{
    *out = NULL;
    if (f->count == MAX_EXCEPTIONS)
        return SNUG_OK;
    if (f->count == f->cap) {
        size_t cap = f->cap ? f->cap * 2 : 4;
        node **items = realloc(f->items, cap * sizeof(node *));
        if (!items)
            return SNUG_ENOMEM;
        f->items = items;
        f->cap = cap;
    }
    node *n = calloc(1, sizeof *n);
    if (!n)
        return SNUG_ENOMEM;
    f->items[f->count++] = n;
    n->exc = Py_NewRef(exc);
    n->is_group = PyObject_TypeCheck(exc, (PyTypeObject *)PyExc_BaseExceptionGroup);
    /* SyntaxError's text is made from its fields. */
    if (!is_syntax_error(exc))
        n->text = text_or(PyObject_Str, exc, "<exception str() failed>");
    n->notes = notes_of(exc);
    *out = n;
    return SNUG_OK;
}

/* other: the cause or context of of. Consumed; may be NULL. */
static int grow_outer(node **out, forest *f, node *of, PyObject *other)
{
    int error = SNUG_OK;
    *out = NULL;
    if (other && PyExceptionInstance_Check(other) && !is_known(f, other)) {
        error = grow(out, f, other);
        of->is_cut = !*out;
        if (*out)
            (*out)->outer = of;
    }
    Py_XDECREF(other);
    return error;
}

static int grow_members(forest *f, node *n)
{
    PyObject *all = ((PyBaseExceptionGroupObject *)n->exc)->excs;
    if (!n->is_group || !all || !PyTuple_Check(all))
        return SNUG_OK;
    size_t count = (size_t)PyTuple_GET_SIZE(all);
    /* A group that is larger than what is left keeps those that are shown. */
    if (count > MAX_EXCEPTIONS - f->count)
        count = count < MAX_GROUP_WIDTH ? count : MAX_GROUP_WIDTH;
    if (!(n->members = calloc(count ? count : 1, sizeof(node *))))
        return SNUG_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        int error = grow(&n->members[i], f, PyTuple_GET_ITEM(all, (Py_ssize_t)i));
        if (error || !n->members[i])
            return error;
        n->member_count++;
    }
    return SNUG_OK;
}

static void push(node **list, node *n)
{
    if (n) {
        n->below = *list;
        *list = n;
    }
}

/* Finds everything that exc came from and holds, in the order of traceback.py: the
 * order decides which of two places shows an exception that both lead to. */
static int plant(forest *f, PyObject *exc)
{
    node *list = NULL, *n;
    int error = grow(&n, f, exc);
    push(&list, n);
    while (!error && (n = list)) {
        list = n->below;
        if (!(error = grow_outer(&n->cause, f, n, PyException_GetCause(n->exc))) && !n->cause &&
            !((PyBaseExceptionObject *)n->exc)->suppress_context)
            error = grow_outer(&n->context, f, n, PyException_GetContext(n->exc));
        if (!error)
            error = grow_members(f, n);
        push(&list, n->cause);
        push(&list, n->context);
        for (size_t i = 0; i < n->member_count; i++)
            push(&list, n->members[i]);
    }
    return error;
}

static const char cause_message[] =
    "\nThe above exception was the direct cause of the following exception:\n\n";
static const char context_message[] =
    "\nDuring handling of the above exception, another exception occurred:\n\n";

static void put_exception_only(printer *p, node *n)
{
    str name = { 0 };
    int error = traceback_name(&name, n->exc);
    if (error && !p->error)
        p->error = error;
    if (is_syntax_error(n->exc))
        put_syntax_error(p, n->exc, &name);
    else
        put_final_line(p, n->exc, n->text, &name);
    put_notes(p, n->notes);
    str_free(&name);
}

static void put_chain(printer *p, node *n);

/* The line above a member, or with n NULL the one below the last. */
static void put_rule(printer *p, size_t index, const char *title)
{
    char line[80];
    write_indent(p);
    if (title)
        snprintf(line, sizeof line, "%s+---------------- %s ----------------\n",
                 index ? "  " : "+-", title);
    else
        snprintf(line, sizeof line, "+------------------------------------\n");
    write_raw(p, line, strlen(line));
}

static void put_members(printer *p, node *group)
{
    PyObject *all = ((PyBaseExceptionGroupObject *)group->exc)->excs;
    size_t total = all && PyTuple_Check(all) ? (size_t)PyTuple_GET_SIZE(all) : 0;
    size_t shown = group->member_count < MAX_GROUP_WIDTH ? group->member_count : MAX_GROUP_WIDTH;
    size_t count = shown + (total > shown);
    p->need_close = 0;
    for (size_t i = 0; i < count; i++) {
        char text[64];
        /* A group that is the last member closes the box for both. */
        if (i + 1 == count)
            p->need_close = 1;
        snprintf(text, sizeof text, "%zu", i + 1);
        put_rule(p, i, i < shown ? text : "...");
        p->depth++;
        if (i < shown) {
            put_chain(p, group->members[i]);
        } else {
            snprintf(text, sizeof text, "and %zu more exception%s\n", total - shown,
                     total - shown > 1 ? "s" : "");
            begin(p, '|');
            put_text(p, text);
        }
        if (i + 1 == count && p->need_close) {
            put_rule(p, i, NULL);
            p->need_close = 0;
        }
        p->depth--;
    }
}

static void put_group(printer *p, node *n)
{
    int is_top = p->depth == 0;
    if (is_top)
        p->depth = 1;
    put_traceback(p, n->exc, "Exception Group Traceback (most recent call last):\n",
                  is_top ? '+' : '|');
    put_exception_only(p, n);
    put_members(p, n);
    if (is_top)
        p->depth = 0;
}

static void put_one(printer *p, node *n)
{
    if (!n->is_group) {
        put_traceback(p, n->exc, "Traceback (most recent call last):\n", '|');
        put_exception_only(p, n);
    } else if (p->depth > MAX_GROUP_DEPTH) {
        begin(p, '|');
        put_text(p, "... (max_group_depth is 10)\n");
    } else {
        put_group(p, n);
    }
}

/* What n came from, the oldest first, then n. */
static void put_chain(printer *p, node *n)
{
    node *at = n;
    while (at->cause || at->context)
        at = at->cause ? at->cause : at->context;
    if (at->is_cut) {
        begin(p, '|');
        put_text(p, "[earlier exceptions left out]\n\n");
    }
    for (;; at = at->outer) {
        const char *message = at->cause ? cause_message : at->context ? context_message : NULL;
        if (message) {
            begin(p, '|');
            put_text(p, message);
        }
        put_one(p, at);
        if (at == n)
            return;
    }
}

/* ---- the interface ------------------------------------------------------- */

int traceback_format(str *out, PyObject *exc, const source_lines *lines, size_t max_bytes)
{
    /* The line that stands for what is cut out has at most this. */
    const size_t cut_bytes = 64;
    printer p = { .lines = lines, .entries_left = MAX_ENTRIES_SHOWN };
    forest f = { 0 };
    stream_init(&p.out, max_bytes > cut_bytes ? max_bytes - cut_bytes : 0);
    sourcetext_init(&p.source, lines);
    int error = plant(&f, exc);
    if (!error) {
        put_chain(&p, f.items[0]);
        error = p.error;
    }
    if (!error)
        error = stream_text(&p.out, out);
    forest_free(&f);
    for (size_t i = 0; i < RENDERED; i++) {
        Py_XDECREF(p.cache[i].code);
        str_free(&p.cache[i].text);
    }
    sourcetext_free(&p.source);
    stream_free(&p.out);
    PyErr_Clear();
    return error;
}

static int collect(traceback_frame *out, sourcetext *source, PyTracebackObject *entry)
{
    PyCodeObject *code = PyFrame_GetCode(entry->tb_frame);
    frame_position position;
    frame_position_of(&position, entry, code);
    span line = span_strip(sourcetext_line(source, code->co_filename, position.line));
    int error;
    out->line = position.line > 0 ? (unsigned)position.line : 0;
    if (!(error = pytext_append(&out->file, code->co_filename, FRAME_NAME_BYTES)) &&
        !(error = pytext_append(&out->function, code->co_name, FRAME_NAME_BYTES)) && line.len)
        error = str_append(&out->code, line.at, utf8_floor(line.at, line.len, FRAME_NAME_BYTES));
    Py_DECREF(code);
    return error;
}

int traceback_collect(traceback_frames *out, PyObject *exc, const source_lines *lines)
{
    PyTracebackObject *entry = first_entry(exc, lines);
    size_t total = count_entries(entry);
    sourcetext source;
    int error = SNUG_OK;
    *out = (traceback_frames){ 0 };
    sourcetext_init(&source, lines);
    if (total && !(out->items = calloc(total < TRACEBACK_FRAMES ? total : TRACEBACK_FRAMES,
                                       sizeof *out->items)))
        error = SNUG_ENOMEM;
    for (size_t i = 0; !error && entry && out->count < TRACEBACK_FRAMES;
         i++, entry = next_entry(entry)) {
        if (total > TRACEBACK_FRAMES && i >= TRACEBACK_FRAMES / 2 &&
            i < total - TRACEBACK_FRAMES / 2)
            continue;
        error = collect(&out->items[out->count++], &source, entry);
    }
    Py_XDECREF(entry);
    sourcetext_free(&source);
    if (error)
        traceback_frames_free(out);
    PyErr_Clear();
    return error;
}

void traceback_frames_free(traceback_frames *frames)
{
    for (size_t i = 0; i < frames->count; i++) {
        str_free(&frames->items[i].file);
        str_free(&frames->items[i].function);
        str_free(&frames->items[i].code);
    }
    free(frames->items);
    *frames = (traceback_frames){ 0 };
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

int traceback_name(str *out, PyObject *exc)
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

int traceback_value(str *out, PyObject *exc)
{
    PyObject *holder, *value = text_or(PyObject_Str, exc, "<exception str() failed>");
    stream text;
    stream_init(&text, VALUE_BYTES);
    span whole = pytext_of(&holder, value);
    int error = stream_write(&text, whole.at, whole.len);
    if (!error)
        error = stream_text(&text, out);
    stream_free(&text);
    Py_XDECREF(holder);
    Py_XDECREF(value);
    return error;
}

int traceback_suggestion(str *out, PyObject *exc)
{
    return suggest_name(out, exc);
}
