#include "py/host/tool.h"

#include <opcode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "py/core/cell_notes.h"
#include "py/core/pytext.h"
#include "py/core/python.h"
#include "py/core/state.h"
#include "py/core/wait.h"
#include "py/guard/gate.h"
#include "py/value/jsonvalue.h"
#include "py/value/show.h"

/* ---- caller ---- */

static int is_comprehension(const PyCodeObject *code)
{
    static const char *const names[] = { "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (PyUnicode_CompareWithASCIIString(code->co_name, names[i]) == 0)
            return 1;
    return 0;
}

/* The instruction behind the call; -1: there is none. */
static int next_opcode(PyFrameObject *frame, PyCodeObject *code)
{
    PyObject *bytes = PyCode_GetCode(code);
    int opcode = -1;

    if (bytes) {
        const char *text = PyBytes_AS_STRING(bytes);
        Py_ssize_t at = PyFrame_GetLasti(frame) + 2;
        while (at < PyBytes_GET_SIZE(bytes) && text[at] == CACHE)
            at += 2;
        if (at < PyBytes_GET_SIZE(bytes))
            opcode = (unsigned char)text[at];
    }
    PyErr_Clear();
    Py_XDECREF(bytes);
    return opcode;
}

/* The source of a cell, borrowed; NULL: it is another file's code. */
static PyObject *find_source(const interp *in, PyObject *filename)
{
    unsigned long long number = 0;
    const char *text = PyUnicode_AsUTF8(filename);

    if (!text || sscanf(text, "<cell %llu>", &number) != 1 || number == 0 ||
        number > in->source_count)
        return NULL;
    return in->sources[number - 1];
}

/* Of frozen/awaited.py, borrowed; NULL: not known, as of a cell with magics. */
static PyObject *find_awaited(interp *in, PyObject *source)
{
    PyCompilerFlags flags = { .cf_flags = PyCF_ONLY_AST | PyCF_ALLOW_TOP_LEVEL_AWAIT |
                                          PyCF_SOURCE_IS_UTF8 | PyCF_IGNORE_COOKIE,
                              .cf_feature_version = PY_MINOR_VERSION };
    if (in->awaited_of == source)
        return in->awaited;

    const char *text = PyUnicode_AsUTF8(source);
    PyObject *tree = text ? Py_CompileStringFlags(text, "<awaited>", Py_file_input, &flags) : NULL;
    PyObject *module = tree ? gate_load(in, "_snug_awaited") : NULL;
    PyObject *found = module ? PyObject_CallMethod(module, "find", "O", tree) : NULL;

    Py_XDECREF(module);
    Py_XDECREF(tree);
    Py_XSETREF(in->awaited, found);
    Py_XSETREF(in->awaited_of, Py_NewRef(source));
    return found;
}

static int is_awaited(interp *in, PyFrameObject *frame, PyCodeObject *code)
{
    const int next = next_opcode(frame, code);
    int from, from_column, line = 0, column = 0, is_found = 1;

    /* As a statement of its own an awaitable would be lost, and nothing called. */
    if (next == GET_AWAITABLE || next == POP_TOP)
        return next == GET_AWAITABLE;
    PyObject *source = find_source(in, code->co_filename);
    PyObject *awaited = source ? find_awaited(in, source) : NULL;
    PyObject *end = NULL;
    if (awaited && PyAnySet_Check(awaited) &&
        PyCode_Addr2Location(code, PyFrame_GetLasti(frame), &from, &from_column, &line, &column))
        end = Py_BuildValue("(ii)", line, column);
    if (end)
        is_found = PySet_Contains(awaited, end) != 0;
    Py_XDECREF(end);
    PyErr_Clear();
    return is_found;
}

/* From within that function: whether code that can await has called it, and awaits what it answers,
 * or gives it to asyncio. Where there is no source to know that from, it does unless the call is a
 * statement. */
static int caller_awaits(interp *in)
{
    enum { CAN_AWAIT = CO_COROUTINE | CO_ASYNC_GENERATOR };
    PyFrameObject *own = PyEval_GetFrame(); /* borrowed */
    PyFrameObject *frame = own ? PyFrame_GetBack(own) : NULL;
    int awaits = 0;

    if (!frame)
        return 0;
    /* Comprehensions belong to what they stand in. */
    PyCodeObject *caller = PyFrame_GetCode(frame), *code = (PyCodeObject *)Py_NewRef(caller);
    PyFrameObject *outer = (PyFrameObject *)Py_NewRef(frame);
    while (outer && !(code->co_flags & CAN_AWAIT) && is_comprehension(code)) {
        Py_SETREF(outer, PyFrame_GetBack(outer));
        if (outer)
            Py_SETREF(code, PyFrame_GetCode(outer));
    }
    awaits = outer && (code->co_flags & CAN_AWAIT) && is_awaited(in, frame, caller);
    Py_XDECREF(outer);
    Py_DECREF(code);
    Py_DECREF(caller);
    Py_DECREF(frame);
    return awaits;
}

static const char capsule_name[] = "snug.call";

enum { PROMPT_BYTES = 64 * 1024 };

/* ---- errors ---- */

static PyObject *raise_text(PyObject *type, const char *text, size_t len, const char *hint)
{
    PyObject *message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)len, "replace");
    PyObject *error = NULL;

    if (message)
        error = PyObject_CallOneArg(type, message);
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
        return raise_tool(in->tool_error, NULL, "%s() cannot be called: no cell runs", name);
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

/* ---- ends of calls ---- */

static PyObject *read_call_answer(interp *in, const snug_call *call, const str *answer)
{
    PyObject *value = jsonvalue_read(str_text(answer), answer->len);
    if (value || !PyErr_ExceptionMatches(PyExc_ValueError))
        return value;
    PyErr_Clear();
    return raise_tool(in->tool_error, NULL, "the answer of %s() is not JSON", call_name(call));
}

/* Of a call in a replay it is said what was said then. */
static void raise_timeout(interp *in, const snug_call *call, str *said)
{
    if (said->len == 0 && call_say_timeout(said, call_name(call), call_timeout_ms(call)))
        PyErr_NoMemory();
    else
        raise_text(in->tool_timeout, str_text(said), said->len, NULL);
}

/* What the call has come to: a new reference, or NULL with an exception. */
static PyObject *finish_call(interp *in, snug_call *call)
{
    str answer = { 0 };
    PyObject *value = NULL;

    switch (call_take(&answer, call)) {
    case CALL_OK:
        value = read_call_answer(in, call, &answer);
        break;
    case CALL_TIMEOUT:
        raise_timeout(in, call, &answer);
        break;
    case CALL_CANCELLED:
        raise_tool(in->tool_error, NULL, "%s() was cancelled: the cell that called it has ended",
                   call_name(call));
        break;
    case CALL_REFUSED:
        raise_text(in->tool_refused, str_text(&answer), answer.len, NULL);
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
static int wait_for_call(interp *in, snug_call *call)
{
    for (;;) {
        uint32_t seen = atomic_load(&in->bell);
        if (call_is_over(call))
            return 0;
        int woken = wait_for_bell(in, seen, call_deadline_ns(call));
        if (woken < 0)
            return -1;
        if (woken == 0)
            call_end(call, CALL_TIMEOUT);
    }
}

static PyObject *call_and_wait(interp *in, snug_call *call)
{
    PyObject *value = NULL;
    desk_refusal refusal = call_make(call, 0);

    if (refusal)
        raise_refusal(in, call_name(call), refusal);
    else if (wait_for_call(in, call) == 0)
        value = finish_call(in, call);

    call_drop(call);
    return value;
}

/* ---- coroutines: frozen/loop.py ---- */

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
    if (!interp_current)
        return NULL;
    return PyCapsule_GetPointer(prepared, capsule_name);
}

/* At the first await of a call. */
static int load_await_call(interp *in)
{
    if (in->await_call)
        return 0;

    PyObject *asyncio = gate_load(in, "asyncio"), *module = NULL;
    if (asyncio)
        module = gate_load(in, "_snug_loop");
    if (module)
        in->await_call = PyObject_GetAttrString(module, "await_call");
    Py_XDECREF(module);
    Py_XDECREF(asyncio);
    return in->await_call ? 0 : -1;
}

/* An awaitable. Takes the call. */
static PyObject *make_awaitable(interp *in, snug_call *call)
{
    PyObject *prepared = PyCapsule_New(call, capsule_name, drop_capsule);
    if (!prepared) {
        call_drop(call);
        return NULL;
    }

    PyObject *awaitable = NULL;
    if (load_await_call(in) == 0)
        awaitable = PyObject_CallOneArg(in->await_call, prepared);
    Py_DECREF(prepared);

    /* What a warning names that it was never awaited. */
    PyObject *text = awaitable ? PyUnicode_FromString(call_name(call)) : NULL;
    if (!text || PyObject_SetAttrString(awaitable, "__qualname__", text) != 0)
        Py_CLEAR(awaitable);
    Py_XDECREF(text);
    return awaitable;
}

PyObject *tool_begin(PyObject *self, PyObject *prepared)
{
    (void)self;
    snug_call *call = call_of(prepared);
    if (!call)
        return NULL;

    desk_refusal refusal = call_make(call, 1);
    if (refusal)
        return raise_refusal(interp_current, call_name(call), refusal);
    return PyLong_FromUnsignedLongLong(call_number(call));
}

PyObject *tool_end(PyObject *self, PyObject *prepared)
{
    (void)self;
    snug_call *call = call_of(prepared);
    if (!call)
        return NULL;
    return finish_call(interp_current, call);
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
    size_t count = 0;
    if (in)
        count = desk_tell(in->options.desk, numbers, AT_ONCE);
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

/* ---- the call of a tool ---- */

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

    if (jsonvalue_write(&w, value) != 0)
        return fail_argument(tool, name, &w);
    return 0;
}

enum { MOST_TEXT_BYTES = 16 * 1024 };

/* The text in place of a value that has no JSON, a new reference; NULL with an exception. The
 * guest's code runs (__repr__). */
static PyObject *plain_value(PyObject *value)
{
    str scratch = { 0 };
    jsonvalue_writer w = { .out = &scratch, .most_bytes = SNUG_TOOL_BYTES - 1 };
    int is_json = jsonvalue_write(&w, value) == 0 || !w.error;
    PyObject *text = NULL;

    str_clear(&scratch);
    if (!is_json && show_text(&scratch, interp_current, value, MOST_TEXT_BYTES) == 0)
        text = PyUnicode_DecodeUTF8(str_text(&scratch), (Py_ssize_t)scratch.len, "replace");
    str_free(&scratch);
    if (is_json)
        return Py_NewRef(value);
    return text;
}

/* A dict of the same names with values that have JSON, a new reference. */
static PyObject *plain_arguments(PyObject *arguments)
{
    PyObject *plain = PyDict_Copy(arguments);
    if (!plain)
        return NULL;

    PyObject *items = PyDict_Items(plain);
    int failed = !items;

    for (Py_ssize_t i = 0; !failed && i < PyList_GET_SIZE(items); i++) {
        PyObject *pair = PyList_GET_ITEM(items, i);
        PyObject *value = plain_value(PyTuple_GET_ITEM(pair, 1));
        failed = !value || PyDict_SetItem(plain, PyTuple_GET_ITEM(pair, 0), value) != 0;
        Py_XDECREF(value);
    }

    Py_XDECREF(items);
    if (failed)
        Py_CLEAR(plain);
    return plain;
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
                          "the host has bound this name again: this is the function from before");

    if (check_names(tool, arguments) != 0)
        return NULL;
    PyObject *plain = tool->takes_any ? plain_arguments(arguments) : Py_NewRef(arguments);
    int is_written = plain && write_arguments(&text, tool, plain) == 0;
    Py_XDECREF(plain);
    if (!is_written) {
        str_free(&text);
        return NULL;
    }

    snug_call *call;
    desk_refusal refusal = call_prepare(&call, in->options.desk, tool, &text);
    if (refusal)
        return raise_refusal(in, tool->name, refusal);
    if (tool->is_async == SNUG_TOOL_AWAITED || (tool->is_async && caller_awaits(in)))
        return make_awaitable(in, call);
    return call_and_wait(in, call);
}

PyMethodDef tool_call_method = { "call", call_tool_function, METH_O,
                                 "Call the host with a dict of arguments." };

/* ---- input ---- */

/* 1: *line is one, a new reference; 0: there is none; -1 with an exception. Takes prompt.
 * is_secret: what is typed is not to be seen. */
static int ask_host(PyObject **line, interp *in, str *prompt, int is_secret)
{
    str answer = { 0 };
    int found = -1;
    snug_call *call;
    desk_refusal refusal = call_prepare(&call, in->options.desk, NULL, prompt);
    if (refusal) {
        raise_refusal(in, "input", refusal);
        return -1;
    }

    if (is_secret)
        call_hide_answer(call);
    refusal = call_make(call, 0);
    if (refusal == DESK_NO_CELL) {
        PyErr_SetString(PyExc_EOFError, "nobody answers input(): no cell runs");
        goto done;
    }

    if (refusal) {
        raise_refusal(in, "input", refusal);
        goto done;
    }

    if (wait_for_call(in, call) != 0)
        goto done;

    const call_state how = call_take(&answer, call);
    found = how == CALL_OK;
    if (how == CALL_TIMEOUT) {
        raise_tool(PyExc_TimeoutError, NULL, "nobody answered input() within its limit of %g s",
                   (double)desk_input_ms(in->options.desk) / 1000.0);
        found = -1;
    } else if (found) {
        *line = PyUnicode_DecodeUTF8(str_text(&answer), (Py_ssize_t)answer.len, "replace");
        if (!*line)
            found = -1;
    }

    str_free(&answer);

done:
    call_drop(call);
    return found;
}

static PyObject *ask_for_line(interp *in, PyObject *prompt, int is_secret)
{
    PyObject *line = NULL;
    str text = { 0 };

    if (prompt) {
        PyObject *shown = PyObject_Str(prompt);
        if (!shown)
            return NULL;
        int error = pytext_append(&text, shown, PROMPT_BYTES);
        Py_DECREF(shown);
        if (error) {
            str_free(&text);
            return PyErr_NoMemory();
        }
    }

    int found = ask_host(&line, in, &text, is_secret);
    if (found == 0)
        PyErr_SetString(PyExc_EOFError, "EOF when reading a line");
    if (found <= 0)
        return NULL;
    return line;
}

static PyObject *session_input(PyObject *self, PyObject *args)
{
    interp *in = interp_current;
    PyObject *prompt = NULL;

    (void)self;
    if (!in || !PyArg_UnpackTuple(args, "input", 0, 1, &prompt))
        return NULL;
    return ask_for_line(in, prompt, 0);
}

PyObject *tool_secret(PyObject *self, PyObject *prompt)
{
    interp *in = interp_current;

    (void)self;
    if (in && in->options.has_input)
        return ask_for_line(in, prompt, 1);
    PyErr_SetString(PyExc_EOFError, "nobody answers getpass() in this session: put the value into "
                                    "the code instead");
    return NULL;
}

PyObject *tool_read_line(interp *in)
{
    str nothing = { 0 };
    PyObject *line = NULL;
    int found = ask_host(&line, in, &nothing, 0);
    if (found < 0)
        return NULL;

    if (found == 0)
        return PyUnicode_FromString("");

    PyObject *whole = PyUnicode_FromFormat("%U\n", line);
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
    if (PyDict_SetItemString(in->builtins, "ToolError", in->tool_error) != 0)
        return -1;
    if (PyDict_SetItemString(in->builtins, "ToolRefused", in->tool_refused) != 0)
        return -1;
    return PyDict_SetItemString(in->builtins, "ToolTimeout", in->tool_timeout);
}

int tool_install_input(interp *in)
{
    if (!in->options.has_input)
        return 0;
    PyObject *owner = PyUnicode_FromString("builtins");
    PyObject *function = owner ? PyCFunction_NewEx(&input_method, NULL, owner) : NULL;
    int failed = !function || PyDict_SetItemString(in->builtins, "input", function) != 0;
    Py_XDECREF(function);
    Py_XDECREF(owner);
    return failed ? -1 : 0;
}
