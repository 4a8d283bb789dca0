#include "py/module.h"

#include <math.h>

#include "base/clock.h"
#include "base/thread.h"
#include "py/publish.h"
#include "py/state.h"
#include "py/tool.h"

int module_wait(interp *in, uint32_t seen, uint64_t deadline_ns)
{
    for (;;) {
        if (interp_check_stop(in) != 0)
            return -1;
        if (atomic_load(&in->bell) != seen)
            return 1;
        if (clock_now_ns() >= deadline_ns)
            return 0;
        Py_BEGIN_ALLOW_THREADS
        futex_wait(&in->bell, seen, deadline_ns);
        Py_END_ALLOW_THREADS
    }
}

/* The bell of an interpreter that has no desk yet is not rung. */
#define LOOK_NS (20 * NS_PER_MS)

int module_wait_for_listener(interp *in)
{
    uint32_t seen = atomic_load(&in->bell);
    while (capture_is_full(in->options.output)) {
        if (module_wait(in, seen, clock_now_ns() + LOOK_NS) < 0)
            return -1;
        seen = atomic_load(&in->bell);
    }
    return 0;
}

/* A time in seconds as CPython's time.sleep takes it. */
static int parse_seconds(PyObject *arg, uint64_t *ns)
{
    double seconds;
    if (PyFloat_Check(arg)) {
        seconds = PyFloat_AS_DOUBLE(arg);
        if (isnan(seconds)) {
            PyErr_SetString(PyExc_ValueError, "Invalid value NaN (not a number)");
            return -1;
        }
    } else {
        PyObject *whole = PyNumber_Index(arg);
        seconds = whole ? PyLong_AsDouble(whole) : -1;
        Py_XDECREF(whole);
        if (PyErr_Occurred())
            return -1;
    }
    if (seconds < 0) {
        PyErr_SetString(PyExc_ValueError, "sleep length must be non-negative");
        return -1;
    }
    /* Past some 290 years the clock's nanoseconds do not fit: for ever. */
    *ns = seconds * 1e9 < 9.2e18 ? (uint64_t)(seconds * 1e9) : UINT64_MAX;
    return 0;
}

static uint64_t deadline_after(uint64_t ns)
{
    uint64_t now = clock_now_ns();
    return ns > UINT64_MAX - now ? UINT64_MAX : now + ns;
}

static PyObject *sleep_seconds(PyObject *self, PyObject *arg)
{
    (void)self;
    interp *in = interp_current;
    uint64_t ns;
    if (parse_seconds(arg, &ns) != 0)
        return NULL;
    uint64_t deadline_ns = deadline_after(ns);
    int answer = 1;
    if (!in) { /* a thread of a package's, in a full session */
        _Atomic uint32_t never = 0;
        Py_BEGIN_ALLOW_THREADS
        futex_wait(&never, 0, deadline_ns);
        Py_END_ALLOW_THREADS
    }
    /* A wake is for the event loop, not for a sleep: go on until the time is over. */
    while (in && answer == 1)
        answer = module_wait(in, atomic_load(&in->bell), deadline_ns);
    return answer < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *wait_for_wake(PyObject *self, PyObject *args)
{
    (void)self;
    interp *in = interp_current;
    PyObject *timeout;
    unsigned int seen;
    uint64_t ns = UINT64_MAX;
    if (!PyArg_ParseTuple(args, "IO:wait", &seen, &timeout) ||
        (timeout != Py_None && parse_seconds(timeout, &ns) != 0))
        return NULL;
    if (!in)
        Py_RETURN_FALSE;
    uint64_t deadline_ns = deadline_after(ns), of_calls_ns = tool_deadline_ns(in);
    int answer = module_wait(in, seen, deadline_ns < of_calls_ns ? deadline_ns : of_calls_ns);
    return answer < 0 ? NULL : PyBool_FromLong(answer);
}

static PyObject *bell(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    interp *in = interp_current;
    return PyLong_FromUnsignedLong(in ? atomic_load(&in->bell) : 0);
}

static PyObject *wake(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    if (interp_current)
        interp_wake(interp_current);
    Py_RETURN_NONE;
}

static PyObject *threads(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    interp *in = interp_current;
    return PyLong_FromUnsignedLongLong(in ? in->options.threads : 0);
}

static PyObject *evaluate(PyObject *self, PyObject *code)
{
    (void)self;
    interp *in = interp_current;
    if (!in || !PyCode_Check(code)) {
        PyErr_SetString(PyExc_TypeError, "evaluate() takes a code object of a cell");
        return NULL;
    }
    return PyEval_EvalCode(code, in->main, in->main);
}

static PyObject *run(PyObject *self, PyObject *code)
{
    (void)self;
    interp *in = interp_current;
    if (!in || !PyCode_Check(code)) {
        PyErr_SetString(PyExc_TypeError, "run() takes a code object of a cell");
        return NULL;
    }
    return cell_evaluate(in, code);
}

static PyObject *namespace(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    interp *in = interp_current;
    return in ? Py_NewRef(in->main) : PyDict_New();
}

static PyObject *number(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    interp *in = interp_current;
    return PyLong_FromUnsignedLongLong(in ? in->number : 0);
}

static int is_not_theirs(PyObject *pair)
{
    return changes_is_hidden(PyTuple_GET_ITEM(pair, 0)) || tool_is_one(PyTuple_GET_ITEM(pair, 1));
}

/* What cells have made: pairs of names and values. */
static PyObject *names(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    interp *in = interp_current;
    PyObject *list = in ? PyDict_Items(in->main) : PyList_New(0);
    for (Py_ssize_t i = list ? PyList_GET_SIZE(list) : 0; i-- > 0;)
        if (is_not_theirs(PyList_GET_ITEM(list, i)) && PyList_SetSlice(list, i, i + 1, NULL) != 0)
            Py_CLEAR(list);
    return list;
}

static PyObject *workdir(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    interp *in = interp_current;
    return PyUnicode_DecodeFSDefault(in && in->options.workdir ? in->options.workdir : "");
}

static PyMethodDef functions[] = {
    { "run", run, METH_O, "Run a cell's code, in the event loop where it awaits." },
    { "namespace", namespace, METH_NOARGS, "The session's namespace." },
    { "names", names, METH_NOARGS, "Names and values that cells have made." },
    { "number", number, METH_NOARGS, "Of the cell that runs." },
    { "workdir", workdir, METH_NOARGS, "The work directory." },
    { "evaluate", evaluate, METH_O, "Run a code object in the session's namespace." },
    { "bell", bell, METH_NOARGS, "A number that moves at each wake." },
    { "wait", wait_for_wake, METH_VARARGS,
      "wait(bell, seconds or None): sleep until the bell is another number; true if it is." },
    { "threads", threads, METH_NOARGS, "How many threads the session may have of its own." },
    { "wake", wake, METH_NOARGS, "Move the bell." },
    { "publish", publish_display, METH_VARARGS,
      "publish(parts, metadata, id, is_update): show a bundle." },
    { "clear", publish_clear, METH_O, "clear(wait): forget what the cell has shown." },
    { "text", publish_text, METH_O, "The text of a value, as the notebook shows it." },
    { "begin", tool_begin, METH_O, "begin(call): make the call; answer its number." },
    { "end", tool_end, METH_O, "end(call): what it has come to." },
    { "drop", tool_drop, METH_O, "drop(call): nobody waits for it any more." },
    { "ended", tool_ended, METH_NOARGS, "Numbers of calls that are over and were not told yet." },
    { NULL },
};

static PyMethodDef sleep_method = {
    "sleep", sleep_seconds, METH_O,
    "sleep(seconds)\n\nDelay execution for a given number of seconds.  The argument may be\n"
    "a floating point number for subsecond precision."
};

PyObject *module_sleep(void)
{
    PyObject *name = PyUnicode_FromString("time");
    PyObject *function = name ? PyCFunction_NewEx(&sleep_method, NULL, name) : NULL;
    Py_XDECREF(name);
    return function;
}

static PyModuleDef_Slot slots[] = {
#if PYTHON_OWN_GIL
    { Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED },
#endif
    { 0 },
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_snug",
    .m_methods = functions,
    .m_slots = slots,
};

static PyObject *make_module(void)
{
    return PyModuleDef_Init(&definition);
}

int module_register(void)
{
    return PyImport_AppendInittab("_snug", make_module);
}
