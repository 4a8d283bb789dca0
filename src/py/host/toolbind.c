/*
 * Binding a tool: the function in Python that a cell sees.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "policy/allowlist.h"
#include "py/core/changes.h"
#include "py/core/python.h"
#include "py/core/raised.h"
#include "py/core/state.h"
#include "py/core/stopping.h"
#include "py/host/tool.h"

#include <structmember.h> /* PyMemberDef, before 3.12 */

/* ---- toolserver ---- */

/* The name in front of the dot of tools as "github.search": an object with the
 * functions of that name as attributes.
 *
 * The caller holds the interpreter. */

/* Its attributes are what guests see and may change. */
typedef struct toolserver {
    PyObject_HEAD
    PyObject *attributes, *name;
} toolserver;

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    toolserver *t = (toolserver *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(t->attributes);
    return 0;
}

static int clear(PyObject *self)
{
    Py_CLEAR(((toolserver *)self)->attributes);
    return 0;
}

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);

    PyObject_GC_UnTrack(self);
    clear(self);
    Py_CLEAR(((toolserver *)self)->name);
    type->tp_free(self);
    Py_DECREF(type);
}

/* "<tools of github: create_issue, search_issues>". */
static PyObject *make_repr(PyObject *self)
{
    const toolserver *t = (const toolserver *)self;
    PyObject *names = PyDict_Keys(t->attributes), *comma = PyUnicode_FromString(", ");
    PyObject *joined = NULL, *text = NULL;

    if (names && comma && PyList_Sort(names) == 0)
        joined = PyUnicode_Join(comma, names);
    if (joined)
        text = PyUnicode_FromFormat("<tools of %U: %U>", t->name, joined);
    Py_XDECREF(joined);
    Py_XDECREF(comma);
    Py_XDECREF(names);
    return text;
}

static PyObject *refuse_reduce(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    PyErr_SetString(PyExc_TypeError, "tools of the host are bound by it, and not saved");
    return NULL;
}

static PyObject *list_names(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return PyDict_Keys(((const toolserver *)self)->attributes);
}

static PyMethodDef methods[] = {
    { "__dir__", list_names, METH_NOARGS, NULL },
    { "__reduce__", refuse_reduce, METH_NOARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static PyMemberDef members[] = {
    { "__dictoffset__", T_PYSSIZET, offsetof(toolserver, attributes), READONLY, NULL },
    { NULL, 0, 0, 0, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_doc, (void *)(uintptr_t) "Tools of one server of the host's: dir() lists them." },
    { Py_tp_dealloc, dealloc },
    { Py_tp_traverse, traverse },
    { Py_tp_clear, clear },
    { Py_tp_repr, make_repr },
    { Py_tp_methods, methods },
    { Py_tp_members, members },
    { 0, NULL },
};

static PyType_Spec spec = { "snug.ToolServer", sizeof(toolserver), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                            slots };

static int toolserver_is_one(PyObject *value)
{
    return Py_TYPE(value)->tp_dealloc == dealloc;
}

static PyObject *make_server(interp *in, PyObject *name)
{
    if (!in->server_type)
        in->server_type = PyType_FromSpec(&spec);
    if (!in->server_type)
        return NULL;

    toolserver *made = PyObject_GC_New(toolserver, (PyTypeObject *)in->server_type);
    if (!made)
        return NULL;
    made->name = Py_NewRef(name);
    made->attributes = PyDict_New();
    PyObject_GC_Track((PyObject *)made);
    if (!made->attributes)
        Py_CLEAR(made);
    return (PyObject *)made;
}

/* The one under that name in the session's namespace, made if there is none, or something else.
 * Owned; NULL with an exception. */
static PyObject *toolserver_get(interp *in, PyObject *name)
{
    PyObject *found = PyDict_GetItemWithError(in->main, name); /* borrowed */

    if (found && toolserver_is_one(found))
        return Py_NewRef(found);
    if (!found && PyErr_Occurred())
        return NULL;
    PyObject *made = make_server(in, name);
    if (made && PyDict_SetItem(in->main, name, made) != 0)
        Py_CLEAR(made);
    return made;
}

#define CALL_NAME "__snug_call__"
/* No cell can give it to compile: py/guard/audit.c. */
static const char source_name[] = "<snug tool>";

int tool_is_one(PyObject *value)
{
    if (toolserver_is_one(value))
        return 1;
    if (!PyFunction_Check(value))
        return 0;
    PyObject *name = ((PyCodeObject *)PyFunction_GET_CODE(value))->co_filename;
    return PyUnicode_CheckExact(name) && PyUnicode_CompareWithASCIIString(name, source_name) == 0;
}

static int refuse_name(const char *name, const char *what)
{
    return error_set(SNUG_EINVAL, "tool %s: %s", name, what);
}

/* The exception that is set, as an error of the host's. */
static int take_binding_fault(const char *name, const char *what)
{
    if (interp_check_stop(interp_current) != 0) {
        PyErr_Clear();
        return error_set(SNUG_ESTOPPED, "tool %s: the session was stopped before it had it", name);
    }

    if (PyErr_ExceptionMatches(PyExc_MemoryError)) {
        PyErr_Clear();
        return error_set(SNUG_ENOMEM, "tool %s: the session has no memory left for it", name);
    }

    PyObject *exc = raised_take(), *message = NULL;
    if (exc && PyErr_GivenExceptionMatches(exc, PyExc_SyntaxError))
        message = Py_XNewRef(((PySyntaxErrorObject *)exc)->msg);
    else if (exc)
        message = PyObject_Str(exc);

    const char *text = NULL;
    if (message && PyUnicode_Check(message))
        text = PyUnicode_AsUTF8(message);
    int error = error_set(SNUG_EINVAL, "tool %s: %s: %.300s", name, what, text ? text : "unknown");
    PyErr_Clear();
    Py_XDECREF(message);
    Py_XDECREF(exc);
    return error;
}

/* Whether the text closes no bracket that it has not opened, and stays on its line: so nothing
 * stands behind the parameters. */
static int is_closed_list(const char *text)
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
    if (failed || !main_name)
        goto fail;
    if (PyDict_SetItemString(globals, "__name__", main_name) != 0 ||
        PyDict_SetItemString(globals, "__builtins__", builtins) != 0 ||
        PyDict_SetItemString(globals, CALL_NAME, call) != 0)
        goto fail;

    Py_DECREF(main_name);
    Py_DECREF(builtins);
    return globals;

fail:
    Py_XDECREF(main_name);
    Py_XDECREF(builtins);
    Py_XDECREF(globals);
    return NULL;
}

/* Defines the function in globals and answers it, a new reference. */
static PyObject *define_function(PyObject *globals, const char *name, const char *source)
{
    PyCompilerFlags flags = { .cf_flags = PyCF_SOURCE_IS_UTF8 | PyCF_IGNORE_COOKIE,
                              .cf_feature_version = PY_MINOR_VERSION };
    PyObject *filename = PyUnicode_FromString(source_name);
    if (!filename)
        return NULL;

    interp_own.compiling = filename;
    PyObject *code = Py_CompileStringObject(source, filename, Py_file_input, &flags, -1);
    interp_own.compiling = NULL;
    Py_DECREF(filename);
    if (!code)
        return NULL;

    PyObject *done = PyEval_EvalCode(code, globals, globals);
    Py_DECREF(code);
    if (!done)
        return NULL;

    Py_DECREF(done);

    PyObject *function = PyDict_GetItemString(globals, name); /* borrowed */
    if (!function || !PyFunction_Check(function)) {
        PyErr_SetString(PyExc_SyntaxError, "Python writes it otherwise");
        return NULL;
    }

    /* Since 3.14 they are evaluated when somebody asks. */
    PyObject *annotations = PyObject_GetAttrString(function, "__annotations__");
    if (!annotations)
        return NULL;

    Py_DECREF(annotations);
    Py_INCREF(function);
    if (PyDict_DelItemString(globals, name) != 0)
        Py_CLEAR(function);
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
static int write_tool_call(str *out, desk_tool *tool, PyObject *function)
{
    PyCodeObject *code = (PyCodeObject *)PyFunction_GET_CODE(function);
    PyObject *names = PyCode_GetVarnames(code);
    Py_ssize_t count = code->co_argcount + code->co_kwonlyargcount;
    int has_more = (code->co_flags & CO_VARARGS) != 0;
    int error = !names || append_names(out, tool, names, count + has_more);

    tool->takes_others = (code->co_flags & CO_VARKEYWORDS) != 0;
    if (!error && tool->takes_others) {
        const char *name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, count + has_more));
        const char *separator = count + has_more > 0 ? ", " : "";
        error = !name || str_printf(out, "%s**%s", separator, name);
    }

    Py_XDECREF(names);
    PyErr_Clear();
    return error ? SNUG_ENOMEM : SNUG_OK;
}

static int set_doc(PyObject *function, const char *doc)
{
    if (!doc)
        return 0;
    PyObject *text = PyUnicode_DecodeUTF8(doc, (Py_ssize_t)strlen(doc), "replace");
    if (!text)
        return -1;

    int failed = PyObject_SetAttrString(function, "__doc__", text);
    Py_DECREF(text);
    return failed;
}

/* The function's own name: what stands behind the dot of "github.search", if there is one. */
static const char *last_part(const char *name)
{
    const char *dot = strchr(name, '.');
    return dot ? dot + 1 : name;
}

/* What stands before the dot, or all of it: the name in the namespace. Owned. */
static PyObject *first_part(const char *name)
{
    return PyUnicode_DecodeUTF8(name, (Py_ssize_t)strcspn(name, "."), NULL);
}

static const char *fault_of_part(PyObject *text)
{
    if (!text || !PyUnicode_IsIdentifier(text))
        return "the name is not an identifier, nor two with a dot between them";
    return changes_is_hidden(text) ? "the name is one that the session keeps itself" : NULL;
}

/* Of what cells see in their namespace: it may not be something else's already. */
static const char *fault_of_first(const interp *in, PyObject *text)
{
    const char *fault = fault_of_part(text);
    const char *name = fault ? NULL : PyUnicode_AsUTF8(text);
    return name ? toolnames_fault(name, in->options.modules) : fault;
}

/* NULL, or what keeps the name from being a tool's. */
static const char *fault_of_name(const interp *in, const char *name)
{
    PyObject *first = first_part(name);
    PyObject *own =
        PyUnicode_DecodeUTF8(last_part(name), (Py_ssize_t)strlen(last_part(name)), NULL);
    const char *fault = fault_of_part(own);

    if (!fault)
        fault = fault_of_first(in, first);
    PyErr_Clear();
    Py_XDECREF(first);
    Py_XDECREF(own);
    return fault;
}

static const char bad_signature[] = "the signature is not a list of parameters";

/* The function with an empty body: whether Python takes it, and which parameters it has. *out:
 * owned. fault: of the tool, where Python does not take it. */
static int define_empty(PyObject **out, PyObject *globals, const char *name, const char *signature,
                        const char *fault)
{
    str source = { 0 };
    PyObject *function = NULL;

    const char *own = last_part(name);
    if (str_printf(&source, "def %s(%s): pass\n", own, signature) == SNUG_OK)
        function = define_function(globals, own, source.data);
    else
        PyErr_NoMemory();

    str_free(&source);
    if (!function)
        return take_binding_fault(name, fault);

    *out = function;
    return SNUG_OK;
}

/* Of the part before the dot: whether Python takes it for a name. */
static int try_first(PyObject *globals, const char *name)
{
    PyObject *named = NULL;
    char *first = strndup(name, strcspn(name, "."));

    if (!first)
        return error_no_memory();
    int error = define_empty(&named, globals, first, "", "the name is none in Python");
    Py_XDECREF(named);
    free(first);
    return error;
}

/* The function that cells call. empty: the one with its parameters. *out: owned. */
static int define_tool(PyObject **out, PyObject *globals, desk_tool *tool, const char *signature,
                       PyObject *empty)
{
    str source = { 0 };
    const char *keyword = tool->is_async == SNUG_TOOL_AWAITED ? "async def" : "def";
    const char *await = tool->is_async == SNUG_TOOL_AWAITED ? "await " : "";
    int error;

    if ((error = str_printf(&source, "%s %s(%s):\n    return %s" CALL_NAME "({", keyword,
                            last_part(tool->name), signature, await)) ||
        (error = write_tool_call(&source, tool, empty)) || (error = str_add(&source, "})\n"))) {
        str_free(&source);
        return error_no_memory();
    }

    PyObject *function = define_function(globals, last_part(tool->name), source.data);
    str_free(&source);
    if (!function || set_doc(function, tool->doc) != 0) {
        error = take_binding_fault(tool->name, bad_signature);
        Py_XDECREF(function);
        return error;
    }

    *out = function;
    return SNUG_OK;
}

/* The names that the tool's function knows, with the call of the host. NULL without memory. */
static PyObject *make_tool_globals(const desk_tool *tool)
{
    PyObject *id = PyLong_FromUnsignedLongLong(tool->id), *call = NULL, *globals = NULL;

    if (id)
        call = PyCFunction_New(&tool_call_method, id);
    if (call)
        globals = make_globals(call);

    Py_XDECREF(call);
    Py_XDECREF(id);
    return globals;
}

/* Defined once to try the name, once to learn the parameters, once as it shall be. *out: owned,
 * NULL where an error is answered. */
static int make_function(PyObject **out, const interp *in, desk_tool *tool)
{
    const char *name = tool->name;
    const char *signature = tool->signature ? tool->signature : "**arguments";
    PyObject *named = NULL, *empty = NULL;
    int error;

    *out = NULL;
    const char *fault = fault_of_name(in, name);
    if (fault)
        return refuse_name(name, fault);

    PyObject *globals = make_tool_globals(tool);
    if (!globals) {
        PyErr_NoMemory();
        return take_binding_fault(name, "");
    }

    if ((error = try_first(globals, name)) ||
        (error = define_empty(&named, globals, name, "", "the name is none in Python")))
        goto done;

    if (!is_closed_list(signature)) {
        error = refuse_name(name, "the signature is not a list of parameters on one line");
        goto done;
    }

    error = define_empty(&empty, globals, name, signature, bad_signature);
    if (!error)
        error = define_tool(out, globals, tool, signature, empty);

done:
    Py_XDECREF(named);
    Py_XDECREF(empty);
    Py_DECREF(globals);
    PyErr_Clear();
    return error;
}

typedef struct binding {
    interp *in;
    desk_tool *tool;
    int error;
} binding;

/* As an attribute of the server, which stands before the dot. 0, or -1 with an exception. */
static int put_at_server(interp *in, const char *name, PyObject *first, PyObject *function)
{
    PyObject *server = toolserver_get(in, first);
    PyObject *path = PyUnicode_FromString(name);
    int failed = !server || !path || PyObject_SetAttrString(function, "__qualname__", path) != 0 ||
                 PyObject_SetAttrString(server, last_part(name), function) != 0;
    Py_XDECREF(path);
    Py_XDECREF(server);
    return failed ? -1 : 0;
}

/* What had the name before may be the guest's, with a finalizer. 0, or -1 with an exception. */
static int put_function(interp *in, const char *name, PyObject *function)
{
    const Py_ssize_t before = PyDict_GET_SIZE(in->main);
    PyObject *first = first_part(name);
    if (!first)
        return -1;

    PyUnicode_InternInPlace(&first);
    PyObject *was = Py_XNewRef(PyDict_GetItemWithError(in->main, first));
    PyErr_Clear();
    const int failed = strchr(name, '.') ? put_at_server(in, name, first, function)
                                         : PyDict_SetItem(in->main, first, function);
    /* Another function of a server's changes no name. */
    if (!failed && (!was || was != PyDict_GetItemWithError(in->main, first)))
        changes_bound(in, first, before);
    Py_XDECREF(was);
    Py_DECREF(first);
    return failed;
}

static void bind_tool(void *arg)
{
    binding *b = arg;
    PyObject *function = NULL;

    b->error = make_function(&function, b->in, b->tool);
    if (!b->error && put_function(b->in, b->tool->name, function) != 0)
        b->error = take_binding_fault(b->tool->name, "it could not be bound");
    Py_XDECREF(function);
    PyErr_Clear();
    if (b->error)
        changes_take(NULL, b->in, NULL); /* half of it may be there */
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
    int error = interp_guarded(in, bind_tool, &b, &end, &number);
    return error ? error : b.error;
}
