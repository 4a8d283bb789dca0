#include "py/adopt.h"

#include "py/module.h"

PyObject *adopt_filename(uint64_t number)
{
    return PyUnicode_FromFormat("<cell %llu>", (unsigned long long)number);
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
static int add_lines(PyObject *cache, PyObject *filename, PyObject *source)
{
    PyObject *lines = PyUnicode_Splitlines(source, 1);
    PyObject *entry = lines ? Py_BuildValue("(nOOO)", PyUnicode_GET_LENGTH(source), Py_None, lines,
                                            filename)
                            : NULL;
    int failed = !entry || PyDict_SetItem(cache, filename, entry) != 0;
    Py_XDECREF(entry);
    Py_XDECREF(lines);
    return failed ? -1 : 0;
}

int adopt_cell(interp *in, PyObject *filename, PyObject *source)
{
    PyObject *cache = in->knows_linecache ? line_cache() : NULL;
    return cache ? add_lines(cache, filename, source) : 0;
}

static int adopt_linecache(interp *in)
{
    PyObject *cache = line_cache();
    for (size_t i = 0; cache && i < in->source_count; i++) {
        PyObject *filename = in->sources[i] ? adopt_filename(i + 1) : NULL;
        int failed = filename && add_lines(cache, filename, in->sources[i]) != 0;
        Py_XDECREF(filename);
        if (failed || (in->sources[i] && !filename))
            return -1;
    }
    return 0;
}

static int adopt_time(interp *in)
{
    (void)in;
    PyObject *module = PyImport_ImportModule("time");
    PyObject *sleep = module ? module_sleep() : NULL;
    int failed = !sleep || PyObject_SetAttrString(module, "sleep", sleep) != 0;
    Py_XDECREF(sleep);
    Py_XDECREF(module);
    return failed ? -1 : 0;
}

static int adopt_asyncio(interp *in)
{
    int was_guarded = in->is_guarded;
    in->is_guarded = 0; /* _snug_loop is ours and in no profile */
    PyObject *module = PyImport_ImportModule("_snug_loop");
    in->is_guarded = was_guarded;
    Py_XDECREF(module);
    return module ? 0 : -1;
}

int adopt_loaded(interp *in)
{
    static const struct {
        const char *name;
        size_t known; /* offset of its flag in interp */
        int (*adopt)(interp *in);
    } modules[] = {
        { "time", offsetof(interp, knows_time), adopt_time },
        { "linecache", offsetof(interp, knows_linecache), adopt_linecache },
        { "asyncio", offsetof(interp, knows_asyncio), adopt_asyncio },
    };
    PyObject *loaded = PyImport_GetModuleDict(); /* borrowed */
    for (size_t i = 0; in && i < sizeof modules / sizeof *modules; i++) {
        int *known = (int *)(void *)((char *)in + modules[i].known);
        if (*known || !PyDict_GetItemString(loaded, modules[i].name))
            continue;
        *known = 1;
        if (modules[i].adopt(in) != 0)
            return -1;
    }
    return 0;
}
