#include "py/queries/scan_source.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "policy/files.h"
#include "policy/source.h"
#include "py/cell/compile.h"
#include "py/cell/magic.h"
#include "py/core/home.h"
#include "py/core/pytext.h"
#include "py/core/raised.h"
#include "py/guard/gate.h"
#include "py/hints/hints.h"

static const char too_deep[] = "too deeply nested";

/* Reads a text line by line, forwards. */
typedef struct line_reader {
    const char *next, *end;
    const char *line; /* NULL past the end */
    size_t len;       /* without the line end */
    unsigned number;
} line_reader;

/* The tokenizer's lines: they end in LF, CRLF or CR. */
static void read_to_line(line_reader *reader, unsigned number)
{
    while (reader->number < number) {
        reader->number++;
        const char *at = reader->next, *end = reader->end;
        reader->line = at < end ? at : NULL;
        while (at < end && *at != '\n' && *at != '\r')
            at++;
        reader->len = (size_t)(at - reader->next);
        if (end - at >= 2 && at[0] == '\r' && at[1] == '\n')
            at += 2;
        else if (at < end)
            at++;
        reader->next = at;
    }
}

/* The source as it was written and as the parser got it. Columns that Python gives
 * are counted in the second, those of findings in the first. */
typedef struct source_view {
    line_reader written, parsed;
} source_view;

static source_view view_open(const source_text *prepared, const char *source, size_t len)
{
    const span whole = { source, len };
    size_t bom = span_begins(whole, "\xef\xbb\xbf") ? 3 : 0;
    return (source_view){
        .written = { .next = source + bom, .end = source + len },
        .parsed = { .next = prepared->text, .end = prepared->text + prepared->len },
    };
}

/* How much indentation was taken off the line. Lines are asked for in their order. */
static unsigned indentation(source_view *view, unsigned line)
{
    read_to_line(&view->written, line);
    read_to_line(&view->parsed, line);
    return (unsigned)(view->written.len - view->parsed.len);
}

/* From bytes from 0, as the tree has them, to characters from 1. */
static unsigned column_of(source_view *view, unsigned line, size_t bytes)
{
    unsigned removed = indentation(view, line);
    const line_reader *parsed = &view->parsed;
    if (!parsed->line)
        return 0;
    size_t at = utf8_floor(parsed->line, parsed->len, bytes < parsed->len ? bytes : parsed->len);
    return removed + (unsigned)utf8_length(parsed->line, at) + 1;
}

static unsigned positive_number(PyObject *number)
{
    long value = number && PyLong_Check(number) ? PyLong_AsLong(number) : 0;
    PyErr_Clear();
    return value > 0 && value < INT_MAX ? (unsigned)value : 0;
}

/* An error of the host's: what should not happen where no cell runs. */
static int tell_raised(PyObject *raised)
{
    if (PyErr_GivenExceptionMatches(raised, PyExc_MemoryError))
        return error_no_memory();
    PyObject *text = PyObject_Str(raised);
    const char *utf8 = text ? PyUnicode_AsUTF8(text) : NULL;
    int error = error_set(SNUG_EPYTHON, "scan: %s: %s", Py_TYPE(raised)->tp_name,
                          utf8 ? utf8 : "unknown reason");
    Py_XDECREF(text);
    PyErr_Clear();
    return error;
}

static const char *no_text(void *payload, PyObject *filename, size_t *len)
{
    (void)payload;
    (void)filename;
    *len = 0;
    return NULL;
}

static int is_no_cell(void *payload, PyObject *filename)
{
    (void)payload;
    (void)filename;
    return 0;
}

/* The hint of a session, for an error of the compiler or of a magic. Nothing ran: no frame is a
 * cell's. */
static int add_hint(str *out, interp *in, PyObject *raised)
{
    static const source_lines no_lines = { no_text, is_no_cell, NULL };
    return hints_add(out, in, raised, &no_lines);
}

static int add_syntax_error(scan_findings *out, interp *in, source_view *view, PyObject *raised)
{
    PySyntaxErrorObject *fault = (PySyntaxErrorObject *)raised;
    unsigned line = positive_number(fault->lineno), column = positive_number(fault->offset);
    const char *message = NULL;

    if (column)
        column += indentation(view, line);
    if (fault->msg && PyUnicode_Check(fault->msg))
        message = PyUnicode_AsUTF8(fault->msg);
    PyErr_Clear();

    int error = scan_add(out, "syntax", line, column, Py_TYPE(raised)->tp_name,
                         message ? message : "invalid syntax");
    if (!error)
        error = add_hint(&out->items[out->count - 1].hint, in, raised);
    return error;
}

/* Makes the exception of the compiler a finding. */
static int add_raised(scan_findings *out, interp *in, source_view *view)
{
    PyObject *raised = raised_take();
    int error;

    /* The parser runs out of its own stack with a MemoryError. */
    if (PyErr_GivenExceptionMatches(raised, PyExc_MemoryError) ||
        PyErr_GivenExceptionMatches(raised, PyExc_RecursionError)) {
        error = scan_add(out, "syntax", 0, 0, "SyntaxError", too_deep);
    } else if (PyErr_GivenExceptionMatches(raised, PyExc_SyntaxError)) {
        error = add_syntax_error(out, in, view, raised);
    } else {
        error = tell_raised(raised);
    }

    Py_XDECREF(raised);
    return error;
}

/* The syntax tree of what a session makes of the source, and the magic around it or NULL; 0, or -1
 * with an exception. */
static int parse_source(PyObject **tree, PyObject **magic, interp *in, const source_text *source)
{
    enum { FLAGS = PyCF_ALLOW_TOP_LEVEL_AWAIT | PyCF_SOURCE_IS_UTF8 | PyCF_IGNORE_COOKIE };
    PyObject *name = PyUnicode_FromString("<scan>");
    if (!name)
        return -1;

    int failed = magic_parse(tree, magic, in, source->text, source->len, name, FLAGS);
    if (failed)
        compile_explain(in, source->text, source->len, name);
    Py_DECREF(name);
    return failed;
}

/* Of what frozen/scan.py asks; in a capsule. */
typedef struct judgement {
    interp *in;
    const scan_rules *rules;
} judgement;

static const judgement *judgement_of(PyObject *capsule)
{
    return PyCapsule_GetPointer(capsule, NULL);
}

static const allowlist *modules_of(PyObject *capsule)
{
    return judgement_of(capsule)->rules->modules;
}

static PyObject *is_module_allowed(PyObject *self, PyObject *name)
{
    Py_ssize_t len;
    const char *text = PyUnicode_AsUTF8AndSize(name, &len);
    if (!text)
        return NULL;
    return PyBool_FromLong(allowlist_verdict(modules_of(self), text, (size_t)len) == ALLOW_PUBLIC);
}

static PyObject *explain_module(PyObject *self, PyObject *name)
{
    Py_ssize_t len;
    char reason[512];
    const char *text = PyUnicode_AsUTF8AndSize(name, &len);
    if (!text)
        return NULL;

    const allowlist *modules = modules_of(self);
    int exists = home_has_module(text, (size_t)len) ||
                 allowlist_verdict(modules, text, (size_t)len) != ALLOW_NEVER;
    allowlist_explain(modules, text, exists, reason, sizeof reason);
    return PyUnicode_DecodeUTF8(reason, (Py_ssize_t)strlen(reason), "replace");
}

static PyObject *forbidden_call(PyObject *self, PyObject *name)
{
    Py_ssize_t len;
    const char *text = PyUnicode_AsUTF8AndSize(name, &len);
    if (!text)
        return NULL;

    const call_rule *rule = calls_forbidden(allowlist_profile(modules_of(self)), text, (size_t)len);
    if (!rule)
        Py_RETURN_NONE;
    return Py_BuildValue("ss", rule->pattern, rule->reason);
}

static PyObject *has_stand_in(PyObject *self, PyObject *name)
{
    const char *text = PyUnicode_AsUTF8(name);
    (void)self;
    if (!text)
        return NULL;
    return PyBool_FromLong(gate_has_stand_in(text));
}

static PyObject *unwanted_name(PyObject *self, PyObject *name)
{
    Py_ssize_t len;
    const char *text = PyUnicode_AsUTF8AndSize(name, &len);
    if (!text)
        return NULL;

    const char *pattern = forbid_name(judgement_of(self)->rules->forbidden, text, (size_t)len);
    if (!pattern)
        Py_RETURN_NONE;
    return PyUnicode_FromString(pattern);
}

static PyObject *hint_for(PyObject *self, PyObject *raised)
{
    str text = { 0 };
    PyObject *hint = NULL;

    if (!PyExceptionInstance_Check(raised))
        return PyErr_Format(PyExc_TypeError, "hint() takes an exception");
    if (add_hint(&text, judgement_of(self)->in, raised) == SNUG_OK)
        hint = PyUnicode_DecodeUTF8(str_text(&text), (Py_ssize_t)text.len, "replace");
    else
        PyErr_NoMemory();
    str_free(&text);
    return hint;
}

/* The compiler's error is wanted with the places that the tree has, and not as text
 * (mend/mendcompile.c). */
static PyObject *compile_scanned(PyObject *self, PyObject *tree)
{
    PyObject *compile = PyDict_GetItemString(PyEval_GetBuiltins(), "compile"); /* borrowed */
    PyObject *name = PyUnicode_FromString("<scan>"), *code = NULL;

    (void)self;
    if (name && compile) {
        interp_own.compiling = name;
        code = PyObject_CallFunction(compile, "OOsiO", tree, name, "exec",
                                     PyCF_ALLOW_TOP_LEVEL_AWAIT, Py_True);
        interp_own.compiling = NULL;
    } else if (name) {
        PyErr_SetString(PyExc_NameError, "builtins.compile is not there");
    }
    Py_XDECREF(name);
    return code;
}

/* In the order of Questions in frozen/scan.py. */
static PyMethodDef questions[] = {
    { "allowed", is_module_allowed, METH_O, NULL }, { "explain", explain_module, METH_O, NULL },
    { "forbidden", forbidden_call, METH_O, NULL },  { "stands_in", has_stand_in, METH_O, NULL },
    { "unwanted", unwanted_name, METH_O, NULL },    { "hint", hint_for, METH_O, NULL },
    { "compile", compile_scanned, METH_O, NULL },
};
enum { QUESTIONS = sizeof questions / sizeof questions[0] };

/* The object of Questions, or NULL with an exception. */
static PyObject *make_questions(PyObject *module, const judgement *how)
{
    PyObject *args[QUESTIONS] = { NULL };
    PyObject *made = NULL, *type = PyObject_GetAttrString(module, "Questions");

    /* The capsule takes no const; judgement_of gives it back. */
    PyObject *capsule = PyCapsule_New((void *)(uintptr_t)how, NULL, NULL);
    if (!type || !capsule)
        goto done;

    for (size_t i = 0; i < QUESTIONS; i++) {
        args[i] = PyCFunction_New(&questions[i], capsule);
        if (!args[i])
            goto done;
    }

    made = PyObject_Vectorcall(type, args, QUESTIONS, NULL);

done:
    for (size_t i = 0; i < QUESTIONS; i++)
        Py_XDECREF(args[i]);
    Py_XDECREF(capsule);
    Py_XDECREF(type);
    return made;
}

/* Their heads as a list. Owned; NULL with an exception. */
static PyObject *list_tools(const str *tools)
{
    PyObject *heads = PyList_New(0);

    for (size_t at = 0; heads && at < tools->len;) {
        const size_t len = strlen(tools->data + at);
        PyObject *head = PyUnicode_DecodeUTF8(tools->data + at, (Py_ssize_t)len, "replace");
        if (!head || PyList_Append(heads, head))
            Py_CLEAR(heads);
        Py_XDECREF(head);
        at += len + 1;
    }
    return heads;
}

/* One that is none has a ValueError, whose text is for the caller. */
static int tell_bad_tool(void)
{
    PyObject *raised = raised_take();
    PyObject *text = NULL;
    int error;

    if (!PyErr_GivenExceptionMatches(raised, PyExc_ValueError)) {
        error = tell_raised(raised);
    } else {
        text = PyObject_Str(raised);
        const char *utf8 = text ? PyUnicode_AsUTF8(text) : NULL;
        error = error_set(SNUG_EINVAL, "snug_host_scan: the tool %s", utf8 ? utf8 : "is none");
    }
    PyErr_Clear();
    Py_XDECREF(text);
    Py_XDECREF(raised);
    return error;
}

/* *out: Tools of frozen/toolcalls.py, or None where there are none. Owned. */
static int make_tools(PyObject **out, const str *tools)
{
    *out = tools->len == 0 ? Py_NewRef(Py_None) : NULL;
    if (*out)
        return SNUG_OK;

    PyObject *heads = list_tools(tools);
    PyObject *module = heads ? PyImport_ImportModule("_snug_toolcalls") : NULL;
    if (module)
        *out = PyObject_CallMethod(module, "Tools", "O", heads);
    Py_XDECREF(module);
    Py_XDECREF(heads);
    return *out ? SNUG_OK : tell_bad_tool();
}

/* scan(tree, questions, cell, magics, tools): a list of tuples, or NULL with an exception. */
static PyObject *call_scan(PyObject *module, PyObject *tree, PyObject *magic, PyObject *tools,
                           const judgement *how)
{
    PyObject *found = NULL, *magics = PyImport_ImportModule("_snug_magics");
    PyObject *asked = magics ? make_questions(module, how) : NULL;

    if (asked)
        found = PyObject_CallMethod(module, "scan", "OOOOO", tree, asked, magic ? magic : Py_None,
                                    magics, tools);
    Py_XDECREF(asked);
    Py_XDECREF(magics);
    return found;
}

static const char *rule_named(const char *name)
{
    static const char *const rules[] = { "import", "call", "forbid", "tool" };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (strcmp(name, rules[i]) == 0)
            return rules[i];
    }
    return "syntax";
}

static int add_found(scan_findings *out, source_view *view, PyObject *found)
{
    int error = SNUG_OK;

    for (Py_ssize_t i = 0; !error && i < PyList_GET_SIZE(found); i++) {
        unsigned line;
        Py_ssize_t bytes;
        const char *rule, *subject, *message, *hint;
        if (!PyArg_ParseTuple(PyList_GET_ITEM(found, i), "Inssss", &line, &bytes, &rule, &subject,
                              &message, &hint)) {
            PyObject *raised = raised_take();
            error = tell_raised(raised);
            Py_XDECREF(raised);
            break;
        }
        error = scan_add(out, rule_named(rule), line, column_of(view, line, (size_t)bytes), subject,
                         message);
        if (!error && str_add(&out->items[out->count - 1].hint, hint))
            error = error_no_memory();
    }

    return error;
}

static int judge_source(scan_findings *out, const judgement *how, const source_text *text,
                        source_view *view)
{
    PyObject *tree = NULL, *magic = NULL, *found = NULL, *tools = NULL;
    int error = SNUG_OK;

    /* First, because it turns the parser's warnings off. */
    PyObject *module = PyImport_ImportModule("_snug_scan");
    if (!module)
        goto raised;

    if (parse_source(&tree, &magic, how->in, text)) {
        error = add_raised(out, how->in, view);
        goto done;
    }

    error = make_tools(&tools, how->rules->tools);
    if (error)
        goto done;
    if (!(found = call_scan(module, tree, magic, tools, how)) || !PyList_CheckExact(found))
        goto raised;
    error = add_found(out, view, found);
    goto done;

raised:
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "findings are not a list");
    PyObject *raised = raised_take();
    error = tell_raised(raised);
    Py_XDECREF(raised);

done:
    Py_XDECREF(found);
    Py_XDECREF(tools);
    Py_XDECREF(magic);
    Py_XDECREF(tree);
    Py_XDECREF(module);
    return error;
}

int scan_source(scan_findings *out, interp *in, const scan_rules *rules, const char *source,
                size_t len)
{
    const judgement how = { in, rules };
    scan_findings found = { 0 };
    source_text text;
    source_fault fault;
    int error;
    int prepared = source_prepare(&text, &fault, source, len, rules->max_bytes);

    if (prepared < 0) {
        error = error_no_memory();
    } else if (!prepared && len > rules->max_bytes) {
        error = scan_add(&found, "length", 0, 0, "", fault.message);
    } else if (!prepared) {
        error = scan_add(&found, "syntax", fault.line, fault.column, "SyntaxError", fault.message);
    } else {
        source_view view = view_open(&text, source, len);
        error = judge_source(&found, &how, &text, &view);
    }

    source_free(&text);
    if (error)
        scan_findings_free(&found);
    else
        *out = found;

    return error;
}
