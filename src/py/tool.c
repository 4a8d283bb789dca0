#include "py/tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "py/changes.h"
#include "py/gate.h"
#include "py/jsonvalue.h"
#include "py/module.h"
#include "py/pytext.h"

static const char capsule_name[] = "snug.call";

enum { PROMPT_BYTES = 64 * 1024 };

/* ---- errors -------------------------------------------------------------- */

static PyObject *raise_text(PyObject *type, const char *text, size_t len, const char *hint)
{
    PyObject *message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)len, "replace");
    PyObject *error = message ? PyObject_CallOneArg(type, message) : NULL;
    if (error) {
        PyErr_SetObject(type, error);
        if (hint)
            interp_hint(interp_current, error, hint);
    }
    Py_XDECREF(error);
    Py_XDECREF(message);
    return NULL;
}

__attribute__((format(printf, 3, 4))) static PyObject *raise_tool(PyObject *type, const char *hint,
                                                                  const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return raise_text(type, text, strlen(text), hint);
}

static PyObject *raise_refusal(interp *in, const char *name, desk_refusal refusal)
{
    unsigned long long most = desk_most_calls(in->options.desk);
    switch (refusal) {
    case DESK_NO_CELL:
        return raise_tool(in->tool_error, NULL, "%s() can not be called: no cell runs", name);
    case DESK_TOO_MANY:
        return raise_tool(in->tool_error,
                          "Call with what many need at once, or go on in another cell.",
                          "%s() was not called: this cell has made %llu calls, its limit (limit "
                          "tool_calls)",
                          name, most);
    case DESK_TWICE:
        return raise_tool(in->tool_error, NULL, "%s() was called before", name);
    case DESK_FULL:
        PyErr_SetString(PyExc_MemoryError,
                        "the calls of this session that are under way take more than 64 MiB");
        return NULL;
    case DESK_FINE:
    case DESK_NO_MEMORY:
        break;
    }
    return PyErr_NoMemory();
}

/* ---- ends of calls ------------------------------------------------------- */

static PyObject *read_answer(interp *in, const snug_call *call, const str *answer)
{
    PyObject *value = jsonvalue_read(str_text(answer), answer->len);
    if (value || !PyErr_ExceptionMatches(PyExc_ValueError))
        return value;
    PyErr_Clear();
    return raise_tool(in->tool_error, NULL, "the answer of %s() is no JSON", call_name(call));
}

/* What the call has come to: a new reference, or NULL with an exception. */
static PyObject *finish(interp *in, snug_call *call)
{
    str answer = { 0 };
    PyObject *value = NULL;
    switch (call_take(&answer, call)) {
    case CALL_OK:
        value = read_answer(in, call, &answer);
        break;
    case CALL_TIMEOUT:
        raise_tool(in->tool_timeout, NULL, "%s() took longer than its limit of %g s",
                   call_name(call), (double)call_timeout_ms(call) / 1000.0);
        break;
    case CALL_CANCELLED:
        raise_tool(in->tool_error, NULL, "%s() was cancelled: the cell that called it has ended",
                   call_name(call));
        break;
    case CALL_ERROR:
    case CALL_NONE:
    case CALL_DENIED:
        if (answer.len > 0)
            raise_text(in->tool_error, answer.data, answer.len, NULL);
        else
            raise_tool(in->tool_error, NULL, "%s() failed", call_name(call));
        break;
    case CALL_PREPARED:
    case CALL_WAITS:
    case CALL_MADE:
        raise_tool(in->tool_error, NULL, "%s() has no answer yet", call_name(call));
        break;
    }
    str_free(&answer);
    return value;
}

/* Without the GIL until it is over: 0, or -1 when a stop came, which is raised. */
static int wait_for(interp *in, snug_call *call)
{
    for (;;) {
        uint32_t seen = atomic_load(&in->bell);
        if (call_is_over(call))
            return 0;
        int woken = module_wait(in, seen, call_deadline_ns(call));
        if (woken < 0)
            return -1;
        if (woken == 0)
            call_end(call, CALL_TIMEOUT);
    }
}

static PyObject *call_and_wait(interp *in, snug_call *call)
{
    desk_refusal refusal = call_make(call, 0);
    PyObject *value = refusal                   ? raise_refusal(in, call_name(call), refusal)
                      : wait_for(in, call) == 0 ? finish(in, call)
                                                : NULL;
    call_drop(call);
    return value;
}

/* ---- coroutines: frozen/loop.py ------------------------------------------ */

static void drop_capsule(PyObject *capsule)
{
    snug_call *call = PyCapsule_GetPointer(capsule, capsule_name);
    if (call)
        call_drop(call);
    else
        PyErr_Clear();
}

static snug_call *call_of(PyObject *prepared)
{
    return interp_current ? PyCapsule_GetPointer(prepared, capsule_name) : NULL;
}

/* An awaitable. Takes the call. */
static PyObject *make_awaitable(interp *in, snug_call *call)
{
    PyObject *prepared = PyCapsule_New(call, capsule_name, drop_capsule);
    if (!prepared) {
        call_drop(call);
        return NULL;
    }
    if (!in->await_call) {
        PyObject *asyncio = gate_load(in, "asyncio");
        PyObject *module = asyncio ? gate_load(in, "_snug_loop") : NULL;
        in->await_call = module ? PyObject_GetAttrString(module, "await_call") : NULL;
        Py_XDECREF(module);
        Py_XDECREF(asyncio);
    }
    PyObject *awaitable = in->await_call ? PyObject_CallOneArg(in->await_call, prepared) : NULL;
    Py_DECREF(prepared);
    return awaitable;
}

PyObject *tool_begin(PyObject *self, PyObject *prepared)
{
    (void)self;
    snug_call *call = call_of(prepared);
    if (!call)
        return NULL;
    desk_refusal refusal = call_make(call, 1);
    return refusal ? raise_refusal(interp_current, call_name(call), refusal)
                   : PyLong_FromUnsignedLongLong(call_number(call));
}

PyObject *tool_end(PyObject *self, PyObject *prepared)
{
    (void)self;
    snug_call *call = call_of(prepared);
    return call ? finish(interp_current, call) : NULL;
}

/* Ends it now, and not when the last reference to the capsule goes: a traceback may keep one. */
PyObject *tool_drop(PyObject *self, PyObject *prepared)
{
    (void)self;
    snug_call *call = call_of(prepared);
    if (!call)
        return NULL;
    call_end(call, CALL_CANCELLED);
    Py_RETURN_NONE;
}

PyObject *tool_ended(PyObject *self, PyObject *ignored)
{
    enum { AT_ONCE = 64 };
    interp *in = interp_current;
    uint64_t numbers[AT_ONCE];
    (void)self;
    (void)ignored;
    size_t count = in ? desk_tell(in->options.desk, numbers, AT_ONCE) : 0;
    PyObject *list = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *number = PyLong_FromUnsignedLongLong(numbers[i]);
        if (!number)
            Py_CLEAR(list);
        else
            PyTuple_SET_ITEM(list, (Py_ssize_t)i, number);
    }
    /* The rest comes with the next turn of the loop. */
    if (count == AT_ONCE)
        interp_wake(in);
    return list;
}

uint64_t tool_deadline_ns(interp *in)
{
    return desk_deadline_ns(in->options.desk);
}

/* ---- the call of a tool -------------------------------------------------- */

static int is_parameter(const desk_tool *tool, PyObject *name)
{
    for (size_t i = 0; i < tool->parameter_count; i++) {
        PyObject *parameter = PyUnicode_FromString(tool->parameters[i]);
        int is_it = parameter && PyUnicode_Compare(name, parameter) == 0;
        Py_XDECREF(parameter);
        if (is_it)
            return 1;
    }
    PyErr_Clear();
    return tool->takes_others;
}

/* The function in Python has seen to this; but it is the guest's. */
static int check_names(const desk_tool *tool, PyObject *arguments)
{
    PyObject *name, *value;
    Py_ssize_t at = 0, count = 0;
    while (PyDict_Next(arguments, &at, &name, &value)) {
        if (!PyUnicode_Check(name) || !is_parameter(tool, name)) {
            PyErr_Format(PyExc_TypeError, "%s() got an argument that it does not have", tool->name);
            return -1;
        }
        count++;
    }
    if ((size_t)count >= tool->parameter_count)
        return 0;
    PyErr_Format(PyExc_TypeError, "%s() is missing an argument", tool->name);
    return -1;
}

static int fail_argument(const desk_tool *tool, PyObject *name, const jsonvalue_writer *w)
{
    if (!w->error)
        PyErr_NoMemory();
    else if (w->type_name)
        PyErr_Format(w->error, "%s() argument '%U': %.100s %s", tool->name, name, w->type_name,
                     w->fault);
    else
        PyErr_Format(w->error, "%s() argument '%U' %s", tool->name, name, w->fault);
    return -1;
}

/* One argument behind its name. */
static int write_argument(str *out, const desk_tool *tool, PyObject *name, PyObject *value)
{
    jsonvalue_writer w = { .out = out, .most_bytes = SNUG_TOOL_BYTES - 1 };
    if (out->len > 1 && str_add(out, ", ")) {
        PyErr_NoMemory();
        return -1;
    }
    if (jsonvalue_write(&w, name) != 0)
        return fail_argument(tool, name, &w);
    if (str_add(out, ": ")) {
        PyErr_NoMemory();
        return -1;
    }
    return jsonvalue_write(&w, value) != 0 ? fail_argument(tool, name, &w) : 0;
}

/* Nothing of the guest's runs, so the dict stays as it is. */
static int write_arguments(str *out, const desk_tool *tool, PyObject *arguments)
{
    PyObject *name, *value;
    Py_ssize_t at = 0;
    int error = str_add(out, "{");
    while (!error && PyDict_Next(arguments, &at, &name, &value))
        if (write_argument(out, tool, name, value) != 0)
            return -1;
    if (error || str_add(out, "}")) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

/* self: the tool's id. */
static PyObject *call_tool_function(PyObject *self, PyObject *arguments)
{
    interp *in = interp_current;
    str text = { 0 };
    if (!in || !PyLong_CheckExact(self) || !PyDict_Check(arguments)) {
        PyErr_SetString(PyExc_TypeError, "a tool takes its arguments as a dict");
        return NULL;
    }
    const desk_tool *tool = desk_find_tool(in->options.desk, PyLong_AsUnsignedLongLong(self));
    if (!tool)
        return raise_tool(in->tool_error, NULL,
                          "the host has bound this name anew: this is the function from before");
    if (check_names(tool, arguments) != 0 || write_arguments(&text, tool, arguments) != 0) {
        str_free(&text);
        return NULL;
    }
    snug_call *call;
    desk_refusal refusal = call_prepare(&call, in->options.desk, tool, &text);
    if (refusal)
        return raise_refusal(in, tool->name, refusal);
    return tool->is_async ? make_awaitable(in, call) : call_and_wait(in, call);
}

static PyMethodDef call_method = { "call", call_tool_function, METH_O,
                                   "Call the host with a dict of arguments." };

/* ---- making the function ------------------------------------------------- */

#define CALL_NAME "__snug_call__"
/* No cell can give it to compile: py/audit.c. */
static const char source_name[] = "<snug tool>";

int tool_is_one(PyObject *value)
{
    if (!PyFunction_Check(value))
        return 0;
    PyObject *name = ((PyCodeObject *)PyFunction_GET_CODE(value))->co_filename;
    return PyUnicode_CheckExact(name) && PyUnicode_CompareWithASCIIString(name, source_name) == 0;
}

static int refuse(const char *name, const char *what)
{
    return error_set(SNUG_EINVAL, "tool %s: %s", name, what);
}

/* The exception that is set, as an error of the host's. */
static int take_fault(const char *name, const char *what)
{
    PyObject *type, *value, *traceback;
    if (PyErr_ExceptionMatches(PyExc_MemoryError)) {
        PyErr_Clear();
        return error_set(SNUG_ENOMEM, "tool %s: the session has no memory left for it", name);
    }
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    PyObject *message = value && PyErr_GivenExceptionMatches(value, PyExc_SyntaxError)
                            ? Py_XNewRef(((PySyntaxErrorObject *)value)->msg)
                        : value ? PyObject_Str(value)
                                : NULL;
    const char *text = message && PyUnicode_Check(message) ? PyUnicode_AsUTF8(message) : NULL;
    int error = error_set(SNUG_EINVAL, "tool %s: %s: %.300s", name, what, text ? text : "unknown");
    PyErr_Clear();
    Py_XDECREF(message);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return error;
}

/* Whether the text closes no bracket that it has not opened, and stays on its line: so nothing
 * stands behind the parameters. */
static int is_closed(const char *text)
{
    int depth = 0;
    char quote = '\0';
    for (; *text; text++) {
        if (*text == '\n' || *text == '\r' || (*text == '#' && !quote))
            return 0;
        if (quote) {
            if (*text == '\\' && text[1])
                text++;
            else if (*text == quote)
                quote = '\0';
        } else if (*text == '"' || *text == '\'') {
            quote = *text;
        } else {
            depth += strchr("([{", *text) != NULL;
            depth -= strchr(")]}", *text) != NULL;
            if (depth < 0)
                return 0;
        }
    }
    return depth == 0 && !quote;
}

/* What annotations and defaults may name: types that no guest can replace. */
static PyObject *make_globals(PyObject *call)
{
    const struct {
        const char *name;
        void *type;
    } types[] = {
        { "bool", &PyBool_Type },         { "int", &PyLong_Type },  { "float", &PyFloat_Type },
        { "str", &PyUnicode_Type },       { "list", &PyList_Type }, { "dict", &PyDict_Type },
        { "tuple", &PyTuple_Type },       { "set", &PySet_Type },   { "bytes", &PyBytes_Type },
        { "object", &PyBaseObject_Type },
    };
    PyObject *globals = PyDict_New(), *builtins = PyDict_New();
    int failed = !globals || !builtins;
    for (size_t i = 0; !failed && i < sizeof types / sizeof *types; i++)
        failed = PyDict_SetItemString(builtins, types[i].name, types[i].type) != 0;
    PyObject *main_name = PyUnicode_FromString("__main__");
    failed = failed || !main_name || PyDict_SetItemString(globals, "__name__", main_name) != 0 ||
             PyDict_SetItemString(globals, "__builtins__", builtins) != 0 ||
             PyDict_SetItemString(globals, CALL_NAME, call) != 0;
    Py_XDECREF(main_name);
    Py_XDECREF(builtins);
    if (failed)
        Py_CLEAR(globals);
    return globals;
}

/* Defines the function in globals and answers it, a new reference. */
static PyObject *define(PyObject *globals, const char *name, const char *source)
{
    PyCompilerFlags flags = { .cf_flags = PyCF_SOURCE_IS_UTF8 | PyCF_IGNORE_COOKIE,
                              .cf_feature_version = PY_MINOR_VERSION };
    PyObject *filename = PyUnicode_FromString(source_name), *function = NULL;
    if (!filename)
        return NULL;
    interp_own.compiling = filename;
    PyObject *code = Py_CompileStringObject(source, filename, Py_file_input, &flags, -1);
    interp_own.compiling = NULL;
    PyObject *done = code ? PyEval_EvalCode(code, globals, globals) : NULL;
    if (done) {
        function = Py_XNewRef(PyDict_GetItemString(globals, name));
        if (function && !PyFunction_Check(function))
            Py_CLEAR(function);
        if (!function)
            PyErr_SetString(PyExc_SyntaxError, "Python writes it otherwise");
        else if (PyDict_DelItemString(globals, name) != 0)
            Py_CLEAR(function);
    }
    Py_XDECREF(done);
    Py_XDECREF(code);
    Py_DECREF(filename);
    return function;
}

static int append_names(str *out, desk_tool *tool, PyObject *names, Py_ssize_t count)
{
    tool->parameters = calloc((size_t)count + 1, sizeof *tool->parameters);
    if (!tool->parameters)
        return SNUG_ENOMEM;
    for (Py_ssize_t i = 0; i < count; i++) {
        const char *name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i));
        if (!name || !(tool->parameters[i] = strdup(name)))
            return SNUG_ENOMEM;
        tool->parameter_count++;
        if (str_printf(out, "%s\"%s\": %s", i > 0 ? ", " : "", name, name))
            return SNUG_ENOMEM;
    }
    return SNUG_OK;
}

/* Appends what is handed to the host, "query": query, ...; and notes the names. */
static int write_call(str *out, desk_tool *tool, PyObject *function)
{
    PyCodeObject *code = (PyCodeObject *)PyFunction_GET_CODE(function);
    PyObject *names = PyCode_GetVarnames(code);
    Py_ssize_t count = code->co_argcount + code->co_kwonlyargcount;
    int has_more = (code->co_flags & CO_VARARGS) != 0;
    int error = !names || append_names(out, tool, names, count + has_more);
    tool->takes_others = (code->co_flags & CO_VARKEYWORDS) != 0;
    if (!error && tool->takes_others) {
        const char *name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, count + has_more));
        error = !name || str_printf(out, "%s**%s", count + has_more > 0 ? ", " : "", name);
    }
    Py_XDECREF(names);
    PyErr_Clear();
    return error ? SNUG_ENOMEM : SNUG_OK;
}

static int set_doc(PyObject *function, const char *doc)
{
    PyObject *text = doc ? PyUnicode_DecodeUTF8(doc, (Py_ssize_t)strlen(doc), "replace") : NULL;
    int failed = doc && (!text || PyObject_SetAttrString(function, "__doc__", text) != 0);
    Py_XDECREF(text);
    return failed ? -1 : 0;
}

static int is_identifier(const char *name)
{
    PyObject *text = PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), NULL);
    int is_one = text && PyUnicode_IsIdentifier(text);
    PyErr_Clear();
    Py_XDECREF(text);
    return is_one;
}

/* Once with an empty body, to learn the parameters; once as it shall be. *out: owned. */
static int make_function(PyObject **out, desk_tool *tool)
{
    str source = { 0 };
    const char *signature = tool->signature ? tool->signature : "**arguments";
    const char *keyword = tool->is_async ? "async def" : "def";
    PyObject *id = PyLong_FromUnsignedLongLong(tool->id), *function = NULL;
    PyObject *call = id ? PyCFunction_New(&call_method, id) : NULL;
    PyObject *globals = call ? make_globals(call) : NULL;
    int error = SNUG_OK;
    if (!is_identifier(tool->name)) {
        error = refuse(tool->name, "the name is no identifier");
        goto done;
    }
    if (!globals || str_printf(&source, "def %s(): pass\n", tool->name)) {
        PyErr_NoMemory();
        error = take_fault(tool->name, "");
        goto done;
    }
    if (!(function = define(globals, tool->name, source.data))) {
        error = take_fault(tool->name, "the name is none in Python");
        goto done;
    }
    Py_CLEAR(function);
    str_clear(&source);
    if (!is_closed(signature)) {
        error = refuse(tool->name, "the signature is no list of parameters on one line");
        goto done;
    }
    str_printf(&source, "def %s(%s): pass\n", tool->name, signature);
    if (!(function = define(globals, tool->name, str_text(&source)))) {
        error = take_fault(tool->name, "the signature is no list of parameters");
        goto done;
    }
    str_clear(&source);
    str_printf(&source, "%s %s(%s):\n    return %s" CALL_NAME "({", keyword, tool->name, signature,
               tool->is_async ? "await " : "");
    if (write_call(&source, tool, function) || str_add(&source, "})\n")) {
        error = error_no_memory();
        goto done;
    }
    Py_SETREF(function, define(globals, tool->name, str_text(&source)));
    if (!function || set_doc(function, tool->doc) != 0)
        error = take_fault(tool->name, "the signature is no list of parameters");
done:
    PyErr_Clear();
    if (error)
        Py_CLEAR(function);
    Py_XDECREF(globals);
    Py_XDECREF(call);
    Py_XDECREF(id);
    str_free(&source);
    *out = function;
    return error;
}

typedef struct binding {
    interp *in;
    desk_tool *tool;
    int error;
} binding;

/* What had the name before may be the guest's, with a finalizer. */
static void bind(void *arg)
{
    binding *b = arg;
    PyObject *function = NULL;
    b->error = make_function(&function, b->tool);
    if (!b->error && PyDict_SetItemString(b->in->main, b->tool->name, function) != 0)
        b->error = take_fault(b->tool->name, "it could not be bound");
    Py_XDECREF(function);
    PyErr_Clear();
    changes_take(NULL, b->in, NULL); /* no cell has set it */
}

int interp_bind(interp *in, struct desk_tool *tool)
{
    guard_end end;
    int number;
    binding b = { in, tool, SNUG_OK };
    for (size_t i = 0; i < tool->parameter_count; i++)
        free(tool->parameters[i]);
    free(tool->parameters);
    tool->parameters = NULL;
    tool->parameter_count = 0;
    tool->id = desk_next_id(in->options.desk);
    int error = interp_guarded(in, bind, &b, &end, &number);
    return error ? error : b.error;
}

/* ---- input --------------------------------------------------------------- */

/* 1: *line is one, a new reference; 0: there is none; -1 with an exception. Takes prompt. */
static int ask(PyObject **line, interp *in, str *prompt)
{
    str answer = { 0 };
    int found = -1;
    snug_call *call;
    desk_refusal refusal = call_prepare(&call, in->options.desk, NULL, prompt);
    if (refusal) {
        raise_refusal(in, "input", refusal);
        return -1;
    }
    refusal = call_make(call, 0);
    if (refusal) {
        if (refusal == DESK_NO_CELL)
            PyErr_SetString(PyExc_EOFError, "nobody answers input(): no cell runs");
        else
            raise_refusal(in, "input", refusal);
    } else if (wait_for(in, call) == 0) {
        found = call_take(&answer, call) == CALL_OK;
        if (found &&
            !(*line = PyUnicode_DecodeUTF8(str_text(&answer), (Py_ssize_t)answer.len, "replace")))
            found = -1;
        str_free(&answer);
    }
    call_drop(call);
    return found;
}

static PyObject *session_input(PyObject *self, PyObject *args)
{
    interp *in = interp_current;
    PyObject *prompt = NULL, *line = NULL;
    str text = { 0 };
    (void)self;
    if (!in || !PyArg_UnpackTuple(args, "input", 0, 1, &prompt))
        return NULL;
    PyObject *shown = prompt ? PyObject_Str(prompt) : NULL;
    if (prompt && !shown)
        return NULL;
    int error = shown && pytext_append(&text, shown, PROMPT_BYTES);
    Py_XDECREF(shown);
    if (error) {
        str_free(&text);
        return PyErr_NoMemory();
    }
    int found = ask(&line, in, &text);
    if (found == 0)
        PyErr_SetString(PyExc_EOFError, "EOF when reading a line");
    return found > 0 ? line : NULL;
}

PyObject *tool_read_line(interp *in)
{
    str nothing = { 0 };
    PyObject *line = NULL;
    int found = ask(&line, in, &nothing);
    if (found <= 0)
        return found == 0 ? PyUnicode_FromString("") : NULL;
    PyObject *end = PyUnicode_FromString("\n");
    PyObject *whole = end ? PyUnicode_Concat(line, end) : NULL;
    Py_XDECREF(end);
    Py_DECREF(line);
    return whole;
}

static PyMethodDef input_method = {
    "input", session_input, METH_VARARGS,
    "input($module, prompt='', /)\n--\n\n"
    "Ask whoever runs the cell for a line; the line end is left out.\n\n"
    "Raises EOFError where there is none."
};

int tool_install(interp *in)
{
    PyObject *owner = PyUnicode_FromString("builtins");
    PyObject *function = owner ? PyCFunction_NewEx(&input_method, NULL, owner) : NULL;
    int failed =
        !function || PyDict_SetItemString(in->builtins, "ToolError", in->tool_error) != 0 ||
        PyDict_SetItemString(in->builtins, "ToolTimeout", in->tool_timeout) != 0 ||
        (in->options.has_input && PyDict_SetItemString(in->builtins, "input", function) != 0);
    Py_XDECREF(function);
    Py_XDECREF(owner);
    return failed ? -1 : 0;
}
