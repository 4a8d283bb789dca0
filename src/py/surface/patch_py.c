#include "py/surface/patch_py.h"

#include <string.h>

#include "py/guard/gate.h"
#include "py/surface/fullmain.h"

/* PyUnicode_FromFormat takes longer than a small cell runs. */
PyObject *adopt_numbered(const char *before, uint64_t number, const char *after)
{
    char digits[20];
    size_t around = 0, count = 0;

    /* Loops, as these texts are shorter than a call takes. */
    for (const char *at = before; *at; at++)
        around++;
    for (const char *at = after; *at; at++)
        around++;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);

    PyObject *name = PyUnicode_New((Py_ssize_t)(around + count), 0x7f);
    if (!name)
        return NULL;

    char *text = PyUnicode_DATA(name);
    while (*before)
        *text++ = *before++;
    while (count)
        *text++ = digits[--count];
    while (*after)
        *text++ = *after++;
    return name;
}

PyObject *adopt_filename(uint64_t number)
{
    return adopt_numbered("<cell ", number, ">");
}

/* The dict `cache` of the session's linecache, or NULL; no exception. Borrowed. */
static PyObject *line_cache(void)
{
    PyObject *modules = PyImport_GetModuleDict(); /* borrowed */
    PyObject *module = PyDict_GetItemString(modules, "linecache");
    PyObject *dict = module && PyModule_Check(module) ? PyModule_GetDict(module) : NULL;
    PyObject *cache = dict ? PyDict_GetItemString(dict, "cache") : NULL;
    return cache && PyDict_CheckExact(cache) ? cache : NULL;
}

/* An entry (size, mtime, lines, name); mtime None keeps checkcache from dropping it. */
static int cache_lines(PyObject *cache, PyObject *filename, PyObject *source)
{
    PyObject *lines = PyUnicode_Splitlines(source, 1);
    if (!lines)
        return -1;

    PyObject *entry =
        Py_BuildValue("(nONO)", PyUnicode_GET_LENGTH(source), Py_None, lines, filename);
    int error = entry ? PyDict_SetItem(cache, filename, entry) : -1;
    Py_XDECREF(entry);
    return error;
}

int adopt_cell(interp *in, PyObject *filename, PyObject *source)
{
    PyObject *cache = in->knows_linecache ? line_cache() : NULL;
    return cache ? cache_lines(cache, filename, source) : 0;
}

static int adopt_linecache(interp *in, PyObject *module)
{
    (void)module;
    PyObject *cache = line_cache();
    for (size_t i = 0; cache && i < in->source_count; i++) {
        if (!in->sources[i])
            continue;
        PyObject *filename = adopt_filename(i + 1);
        int failed = !filename || cache_lines(cache, filename, in->sources[i]) != 0;
        Py_XDECREF(filename);
        if (failed)
            return -1;
    }

    return 0;
}

/* As code.replace(co_flags=flags), which no cell may call: bytecode of its own would be the way
 * to read beyond a tuple's end. The C function raises no audit event. */
static PyObject *with_flags(PyCodeObject *code, int flags)
{
    PyObject *bytes = PyCode_GetCode(code), *names = PyCode_GetVarnames(code);
    PyObject *cells = PyCode_GetCellvars(code), *free_names = PyCode_GetFreevars(code);
    PyObject *marked = NULL;

    if (bytes && names && cells && free_names)
        marked = (PyObject *)PYTHON_NEW_CODE(
            code->co_argcount, code->co_posonlyargcount, code->co_kwonlyargcount, code->co_nlocals,
            code->co_stacksize, flags, bytes, code->co_consts, code->co_names, names, free_names,
            cells, code->co_filename, code->co_name, code->co_qualname, code->co_firstlineno,
            code->co_linetable, code->co_exceptiontable);

    Py_XDECREF(free_names);
    Py_XDECREF(cells);
    Py_XDECREF(names);
    Py_XDECREF(bytes);
    return marked;
}

/* types.coroutine marks code by code.replace. So the marking is ours, and what is not a plain
 * generator function goes to Python's own. */
static PyObject *mark_coroutine(PyObject *original, PyObject *function)
{
    if (!PyFunction_Check(function))
        return PyObject_CallOneArg(original, function);
    PyCodeObject *code = (PyCodeObject *)PyFunction_GET_CODE(function);
    int flags = code->co_flags;
    if (!(flags & CO_GENERATOR) || (flags & (CO_COROUTINE | CO_ITERABLE_COROUTINE)))
        return PyObject_CallOneArg(original, function);

    PyObject *marked = with_flags(code, flags | CO_ITERABLE_COROUTINE);
    if (!marked)
        return NULL;

    int error = PyObject_SetAttrString(function, "__code__", marked);
    Py_DECREF(marked);
    return error ? NULL : Py_NewRef(function);
}

static int adopt_types(interp *in, PyObject *module)
{
    static PyMethodDef method = { "coroutine", mark_coroutine, METH_O,
                                  "Convert regular generator function to a coroutine." };

    (void)in;
    PyObject *original = PyObject_GetAttrString(module, "coroutine");
    PyObject *name = original ? PyUnicode_FromString("types") : NULL;
    PyObject *function = name ? PyCFunction_NewEx(&method, original, name) : NULL;
    int failed = !function || PyObject_SetAttrString(module, "coroutine", function) != 0;
    Py_XDECREF(function);
    Py_XDECREF(name);
    Py_XDECREF(original);
    return failed ? -1 : 0;
}

static int adopt_asyncio(interp *in, PyObject *module)
{
    PyObject *events = PyObject_GetAttrString(module, "events");
    PyObject *set = events ? PyObject_GetAttrString(events, "_set_running_loop") : NULL;

    Py_XDECREF(events);
    if (!set)
        return -1;

    Py_XSETREF(in->set_running_loop, set);
    PyObject *loop = gate_load(in, "_snug_loop");
    Py_XDECREF(loop);
    return loop ? 0 : -1;
}

/* Modules that it imports itself are loaded before it is whole. No exception. */
int adopt_is_whole(PyObject *module)
{
    PyObject *spec = PyObject_GetAttrString(module, "__spec__");
    PyObject *initializing = spec ? PyObject_GetAttrString(spec, "_initializing") : NULL;
    int answer = !initializing || PyObject_IsTrue(initializing) != 1;
    Py_XDECREF(initializing);
    Py_XDECREF(spec);
    PyErr_Clear();
    return answer;
}

int adopt_loaded(interp *in)
{
    static const struct {
        const char *name;
        size_t known; /* offset of its flag in interp */
        int (*adopt)(interp *in, PyObject *module);
        int in_restricted, in_full;
    } modules[] = {
        { "linecache", offsetof(interp, knows_linecache), adopt_linecache, 1, 1 },
        { "types", offsetof(interp, knows_types), adopt_types, 1, 0 },
        { "asyncio", offsetof(interp, knows_asyncio), adopt_asyncio, 1, 1 },
        { "pandas", offsetof(interp, knows_pandas), fullmain_adopt, 0, 1 },
        { "matplotlib", offsetof(interp, knows_matplotlib), fullmain_adopt, 0, 1 },
        { "tqdm", offsetof(interp, knows_tqdm), fullmain_adopt, 0, 1 },
    };
    PyObject *loaded = PyImport_GetModuleDict(); /* borrowed */
    for (size_t i = 0; in && i < sizeof modules / sizeof *modules; i++) {
        int *known = (int *)(void *)((char *)in + modules[i].known);
        int is_wanted = in->options.is_full ? modules[i].in_full : modules[i].in_restricted;
        if (*known || !is_wanted)
            continue;
        PyObject *module = PyDict_GetItemString(loaded, modules[i].name); /* borrowed */
        if (!module || !adopt_is_whole(module))
            continue;
        /* What it imports itself comes here too. A stop may hit it half-way: then it is done
         * again. */
        *known = 1;
        if (modules[i].adopt(in, module) != 0) {
            *known = 0;
            return -1;
        }
    }

    return 0;
}
