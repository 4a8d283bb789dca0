#include "py/adopt.h"

#include <string.h>

#include "py/endless.h"
#include "py/module.h"

/* PyUnicode_FromFormat takes longer than a small cell runs. */
PyObject *adopt_numbered(const char *before, uint64_t number, const char *after)
{
    char digits[20], text[64];
    size_t len = 0, count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (*before)
        text[len++] = *before++;
    while (count)
        text[len++] = digits[--count];
    while (*after)
        text[len++] = *after++;
    return PyUnicode_FromStringAndSize(text, (Py_ssize_t)len);
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
static int add_lines(PyObject *cache, PyObject *filename, PyObject *source)
{
    PyObject *lines = PyUnicode_Splitlines(source, 1);
    PyObject *entry =
        lines ? Py_BuildValue("(nOOO)", PyUnicode_GET_LENGTH(source), Py_None, lines, filename)
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

static int adopt_linecache(interp *in, PyObject *module)
{
    (void)module;
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

static int set_function(PyObject *module, PyMethodDef *method)
{
    PyObject *function = PyCFunction_NewEx(method, module, NULL);
    int failed = !function || PyObject_SetAttrString(module, method->ml_name, function) != 0;
    Py_XDECREF(function);
    return failed ? -1 : 0;
}

/* What would reach the process and not the session. */
static int remove_names(PyObject *module, const char *const *names)
{
    PyObject *dict = PyModule_GetDict(module); /* borrowed */
    for (; *names; names++)
        if (PyDict_GetItemString(dict, *names) && PyDict_DelItemString(dict, *names) != 0)
            return -1;
    return 0;
}

/* Timers, masks and handlers are the process's; of signal() itself the rest of Python
 * needs only that it is there: it refuses off the main thread. */
static int adopt_signal(interp *in, PyObject *module)
{
    static const char *const names[] = {
        "alarm",           "getitimer",    "pause",       "pidfd_send_signal", "pthread_kill",
        "pthread_sigmask", "raise_signal", "setitimer",   "siginterrupt",      "sigpending",
        "sigtimedwait",    "sigwait",      "sigwaitinfo", "set_wakeup_fd",     NULL,
    };
    (void)in;
    return remove_names(module, names);
}

/* The first would interrupt the host's main thread. */
static int adopt_thread(interp *in, PyObject *module)
{
    static const char *const names[] = { "interrupt_main", NULL };
    (void)in;
    return remove_names(module, names);
}

/* No session forks, and what is registered for it outlives the interpreter's last
 * collection: with a function, the names of its module leak. */
static PyObject *register_at_fork(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    (void)args;
    (void)keywords;
    Py_RETURN_NONE;
}

static PyMethodDef register_at_fork_method = {
    "register_at_fork", (PyCFunction)(void (*)(void))register_at_fork, METH_VARARGS | METH_KEYWORDS,
    "register_at_fork(*, before, after_in_child, after_in_parent)\n\nDo nothing: a session does "
    "not fork."
};

/* os.environ is made of this dict: the host's variables, with its keys. */
static int adopt_posix(interp *in, PyObject *module)
{
    (void)in;
    PyObject *variables = PyObject_GetAttrString(module, "environ");
    if (variables && PyDict_CheckExact(variables))
        PyDict_Clear(variables);
    Py_XDECREF(variables);
    return variables ? set_function(module, &register_at_fork_method) : -1;
}

static int adopt_time(interp *in, PyObject *module)
{
    (void)in;
    PyObject *sleep = module_sleep();
    int failed = !sleep || PyObject_SetAttrString(module, "sleep", sleep) != 0;
    /* The time zone is the process's. */
    if (!failed && PyObject_HasAttrString(module, "tzset"))
        failed = PyObject_DelAttrString(module, "tzset") != 0;
    Py_XDECREF(sleep);
    return failed ? -1 : 0;
}

/* The locale is the process's: calendar and locale may ask for it, not set it. */
static PyObject *set_locale(PyObject *module, PyObject *args)
{
    int category;
    const char *wanted = NULL;
    if (!PyArg_ParseTuple(args, "i|z:setlocale", &category, &wanted))
        return NULL;
    if (!wanted || !*wanted || strcmp(wanted, "C") == 0 || strcmp(wanted, "POSIX") == 0)
        return PyUnicode_FromString("C");
    PyObject *error = PyObject_GetAttrString(module, "Error");
    if (error)
        PyErr_SetString(error, "unsupported locale setting: a session has the locale C");
    Py_XDECREF(error);
    return NULL;
}

static PyMethodDef set_locale_method = { "setlocale", set_locale, METH_VARARGS,
                                         "setlocale(category, locale=None)\n\nTell the locale." };

static int adopt_locale(interp *in, PyObject *module)
{
    (void)in;
    return set_function(module, &set_locale_method);
}

static int adopt_asyncio(interp *in, PyObject *module)
{
    (void)module;
    int was_guarded = in->is_guarded;
    in->is_guarded = 0; /* _snug_loop is ours and in no profile */
    PyObject *loop = PyImport_ImportModule("_snug_loop");
    in->is_guarded = was_guarded;
    Py_XDECREF(loop);
    return loop ? 0 : -1;
}

/* Modules that it imports itself are loaded before it is whole. No exception. */
static int is_whole(PyObject *module)
{
    PyObject *spec = PyObject_GetAttrString(module, "__spec__");
    PyObject *initializing = spec ? PyObject_GetAttrString(spec, "_initializing") : NULL;
    int answer = !initializing || PyObject_IsTrue(initializing) != 1;
    Py_XDECREF(initializing);
    Py_XDECREF(spec);
    PyErr_Clear();
    return answer;
}

/* Not one that a cell has put there under the name. */
static int is_of_c(PyObject *module, const char *name)
{
    PyModuleDef *definition = PyModule_Check(module) ? PyModule_GetDef(module) : NULL;
    return definition && strcmp(definition->m_name, name) == 0;
}

int adopt_loaded(interp *in)
{
    static const struct {
        const char *name;
        int is_of_c;
        size_t known; /* offset of its flag in interp */
        int (*adopt)(interp *in, PyObject *module);
    } modules[] = {
        { "posix", 1, offsetof(interp, knows_posix), adopt_posix },
        { "time", 1, offsetof(interp, knows_time), adopt_time },
        { "itertools", 1, offsetof(interp, knows_itertools), endless_adopt },
        { "_signal", 1, offsetof(interp, knows_signal), adopt_signal },
        { "_thread", 1, offsetof(interp, knows_thread), adopt_thread },
        { "_locale", 1, offsetof(interp, knows_locale), adopt_locale },
        { "linecache", 0, offsetof(interp, knows_linecache), adopt_linecache },
        { "asyncio", 0, offsetof(interp, knows_asyncio), adopt_asyncio },
    };
    PyObject *loaded = PyImport_GetModuleDict(); /* borrowed */
    for (size_t i = 0; in && i < sizeof modules / sizeof *modules; i++) {
        int *known = (int *)(void *)((char *)in + modules[i].known);
        PyObject *module = *known ? NULL : PyDict_GetItemString(loaded, modules[i].name);
        if (!module || (modules[i].is_of_c ? !is_of_c(module, modules[i].name) : !is_whole(module)))
            continue;
        /* A stop may hit it half-way: then it is done again. */
        if (modules[i].adopt(in, module) != 0)
            return -1;
        *known = 1;
    }
    return 0;
}
