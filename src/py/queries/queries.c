/*
 * Questions to an interpreter that are not cells: a prompt's, and a scan's.
 */
#include <snug/snug.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "policy/source.h"
#include "py/cell/magic.h"
#include "py/core/cell_notes.h"
#include "py/core/fixed.h"
#include "py/core/names.h"
#include "py/core/python.h"
#include "py/core/raised.h"
#include "py/core/state.h"
#include "py/core/stopping.h"
#include "py/guard/gate.h"
#include "py/queries/complete.h"
#include "py/queries/scan_source.h"
#include "py/queries/source_place.h"
#include "py/value/value.h"

/* ---- whole ---- */

/* Whether a source is whole. Decides nothing.
 *
 * The caller holds the session's interpreter. */

/* A filter that keeps the compiler's warnings away from the session's stderr. */
typedef struct muted {
    PyObject *filters, *ignore; /* NULL where the session has no such list any more */
} muted;

/* Puts ("ignore", None, Warning, None, 0) before the filters in force. */
static muted warnings_off(void)
{
    muted out = { 0 };
    PyObject *modules = PyImport_GetModuleDict(); /* borrowed, as the next two */
    if (!PyDict_Check(modules))
        return out;

    PyObject *module = PyDict_GetItemString(modules, "warnings");
    if (!module)
        module = PyDict_GetItemString(modules, "_warnings");
    if (!module || !PyModule_Check(module))
        return out;

    PyObject *filters = PyDict_GetItemString(PyModule_GetDict(module), "filters");
    if (!filters || !PyList_CheckExact(filters))
        return out;

    out.filters = Py_NewRef(filters);
    out.ignore = Py_BuildValue("sOOOi", "ignore", Py_None, PyExc_Warning, Py_None, 0);
    if (!out.ignore || PyList_Insert(filters, 0, out.ignore) != 0)
        PyErr_Clear();
    return out;
}

/* A finalizer may have changed the list meanwhile: takes out what was put in. */
static void warnings_on(muted *warnings)
{
    for (Py_ssize_t i = 0; warnings->filters && i < PyList_GET_SIZE(warnings->filters); i++) {
        if (PyList_GET_ITEM(warnings->filters, i) != warnings->ignore)
            continue;
        if (PyList_SetSlice(warnings->filters, i, i + 1, NULL) != 0)
            PyErr_Clear();
        break;
    }

    Py_CLEAR(warnings->filters);
    Py_CLEAR(warnings->ignore);
}

/* Takes the exception off; whether it says that the source is not whole. */
static int wants_more(void)
{
    PyObject *exc = raised_take();
    int answer = 0;

    if (exc && PyErr_GivenExceptionMatches(exc, PyExc_SyntaxError)) {
        /* 3.13 has a type for it, 3.11 the message alone. */
        PyObject *message = ((PySyntaxErrorObject *)exc)->msg;
        answer = message && PyUnicode_Check(message) &&
                 PyUnicode_CompareWithASCIIString(message, "incomplete input") == 0;
    }

    Py_XDECREF(exc);
    PyErr_Clear();
    return answer;
}

static int last_line_is_blank(const char *s, size_t len)
{
    while (len && (is_blank(s[len - 1]) || s[len - 1] == '\f'))
        len--;
    return !len || ends_line(s[len - 1]);
}

/* Code, or NULL with an exception. */
static PyObject *compile_input(const char *text, int flags)
{
    enum {
        FLAGS = PyCF_ALLOW_INCOMPLETE_INPUT | PyCF_DONT_IMPLY_DEDENT | PyCF_ALLOW_TOP_LEVEL_AWAIT |
                PyCF_SOURCE_IS_UTF8 | PyCF_IGNORE_COOKIE
    };
    PyCompilerFlags compiler = { .cf_flags = flags | FLAGS,
                                 .cf_feature_version = PY_MINOR_VERSION };
    PyObject *name = PyUnicode_FromString("<input>");
    if (!name)
        return NULL;

    PyObject *code = Py_CompileStringObject(text, name, Py_file_input, &compiler, -1);
    Py_DECREF(name);
    return code;
}

/* A line with such a mark is none of Python's, and may be right. */
static int may_be_magic(const source_text *text)
{
    return strpbrk(text->text, "%?!") != NULL;
}

static int judge_text(const source_text *text, int flags)
{
    muted warnings = warnings_off();
    PyObject *code = compile_input(text->text, flags);
    int ends_blank = last_line_is_blank(text->text, text->len), answer;

    if (magic_is_cell(text->text, text->len))
        answer = ends_blank;
    else if (code)
        answer = ends_blank || !source_place_at(text->text, text->len).block_is_open;
    else if (wants_more())
        answer = SNUG_COMPLETENESS_INCOMPLETE;
    else
        answer = may_be_magic(text) ? SNUG_COMPLETENESS_COMPLETE : SNUG_COMPLETENESS_INVALID;

    Py_XDECREF(code);
    warnings_on(&warnings);
    return answer;
}

/* A snug_completeness, or a snug_error. As codeop and IPython judge: a block wants an empty line to
 * end it. flags: compiler flags in force in the session. */
static int source_is_whole(const char *source, size_t len, int flags)
{
    source_text text;
    source_fault fault;
    int answer = SNUG_COMPLETENESS_INVALID;
    int prepared = source_prepare(&text, &fault, source, len, UINT64_MAX);

    if (prepared < 0)
        answer = error_no_memory();
    else if (prepared > 0)
        answer = judge_text(&text, flags);

    source_free(&text);
    return answer;
}

/* ---- for prompts ---- */

typedef struct question {
    interp *in;
    const char *source;
    size_t len, cursor;
    uint64_t list_bytes;
    const char **modules;
    name_list *names;
    int answer;
} question;

static int ask_question(question *q, void (*fn)(void *arg))
{
    guard_end end;
    int number;
    int error = interp_guarded(q->in, fn, q, &end, &number);
    return error ? error : q->answer;
}

static void answer_is_complete(void *arg)
{
    question *q = arg;
    q->answer = source_is_whole(q->source, q->len, q->in->compiler_flags);
    PyErr_Clear();
}

int interp_is_complete(interp *in, const char *source, size_t len)
{
    question q = { .in = in, .source = source, .len = len };
    return ask_question(&q, answer_is_complete);
}

/* The guest's __getattr__, properties and __dir__ run. */
static void answer_complete(void *arg)
{
    question *q = arg;
    const source_cursor source = { q->source, q->len, q->cursor };
    q->answer = complete_source(q->names, q->in, q->modules, &source, q->list_bytes);
    PyErr_Clear();
}

int interp_complete(struct name_list *out, interp *in, const char *source, size_t len,
                    size_t cursor, uint64_t list_bytes)
{
    size_t count = allowlist_count(in->options.modules);
    const char **modules = calloc(count + 1, sizeof *modules);
    if (!modules)
        return error_no_memory();

    for (size_t i = 0; i < count; i++)
        modules[i] = allowlist_name(in->options.modules, i);
    question q = { in, source, len, cursor, list_bytes, modules, out, 0 };
    int error = ask_question(&q, answer_complete);
    free(modules);
    return error;
}

/* ---- for people ---- */

/* More than frozen/describe.py lets one thing have. */
enum { MOST_INSPECTION_BYTES = 512 * 1024 };

typedef struct description {
    interp *in;
    str *out;
    const char *name; /* to inspect; NULL: all of them */
    uint64_t list_bytes;
    size_t left_out;
    int error;
} description;

/* Takes the exception that is set. */
static int tell_why_no_answer(const interp *in)
{
    char why[ERROR_MESSAGE_BYTES];
    int error = interp_tell_stop(in);
    if (!error)
        return interp_python_error("the session could not answer");
    strcpy(why, error_message());
    return error_set(error, "the answer of the session %s", why);
}

/* A row that has no room is passed over: there may be shorter ones behind it. */
static int write_rows(description *d, PyObject *rows)
{
    str *out = d->out;
    size_t begin = out->len;
    int error = str_add(out, "[");

    for (Py_ssize_t i = 0; !error && i < PyList_GET_SIZE(rows); i++) {
        size_t before = out->len;
        uint64_t used = before - begin + 3; /* what stands between rows, and the last bracket */
        int is_written = 0;
        if (before > begin + 1)
            error = str_add(out, ", ");
        if (!error && used < d->list_bytes)
            is_written =
                value_json(out, PyList_GET_ITEM(rows, i), d->list_bytes - used) == VALUE_IS_JSON;
        if (!error && !is_written) {
            out->len = before;
            d->left_out++;
        }
    }

    if (error || str_add(out, "]"))
        return error_no_memory();
    return SNUG_OK;
}

static int write_answer(description *d, PyObject *answer)
{
    if (!d->name && PyList_CheckExact(answer))
        return write_rows(d, answer);
    if (value_json(d->out, answer, MOST_INSPECTION_BYTES) != VALUE_IS_JSON)
        return error_set(SNUG_EPYTHON, "the answer is too large");
    return SNUG_OK;
}

static void answer_description(void *arg)
{
    description *d = arg;
    PyObject *module = gate_load(d->in, "_snug_describe"), *answer = NULL;

    if (module && d->name)
        answer = PyObject_CallMethod(module, "inspect", "s", d->name);
    else if (module)
        answer = PyObject_CallMethod(module, "variables", NULL);

    d->error = answer ? write_answer(d, answer) : tell_why_no_answer(d->in);
    if (!d->error && fixed_settle(d->in, d->out) != SNUG_OK)
        d->error = error_no_memory();
    Py_XDECREF(answer);
    Py_XDECREF(module);
    PyErr_Clear();
}

static int ask_description(description *d)
{
    guard_end end;
    int number;
    int error = interp_guarded(d->in, answer_description, d, &end, &number);
    return error ? error : d->error;
}

int interp_variables(str *out, size_t *left_out, interp *in, uint64_t list_bytes)
{
    description d = { .in = in, .out = out, .list_bytes = list_bytes };
    int error = ask_description(&d);
    *left_out = d.left_out;
    return error;
}

int interp_inspect(str *out, interp *in, const char *name)
{
    description d = { .in = in, .out = out, .name = name };
    return ask_description(&d);
}

/* ---- for scans ---- */

typedef struct scan {
    scan_findings *out;
    interp *in;
    const scan_rules *rules;
    const char *source;
    size_t len;
    int error;
} scan;

static void answer_scan(void *arg)
{
    scan *s = arg;
    s->in->is_guarded = 0; /* no guest's code runs here, and _snug_scan is in no profile */
    s->error = scan_source(s->out, s->in, s->rules, s->source, s->len);
}

int interp_scan(struct scan_findings *out, interp *in, const struct scan_rules *rules,
                const char *source, size_t len)
{
    guard_end end;
    int number;
    scan s = { out, in, rules, source, len, 0 };
    int error = interp_guarded(in, answer_scan, &s, &end, &number);
    return error ? error : s.error;
}
