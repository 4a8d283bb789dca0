#include "py/life/module.h"

#include <math.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/thread.h"
#include "base/u64.h"
#include "py/core/fixed.h"
#include "py/core/state.h"
#include "py/core/wait.h"
#include "py/guard/gate.h"
#include "py/host/sleep.h"
#include "py/host/tool.h"
#include "py/value/publish.h"

enum { TICK_NS = 1000 };

/* By the fixed clock, past the time that was waited for, however it was rounded: a loop that finds
 * itself before it asks again, for nothing and without an end. Not at all where it only looked, as
 * it does the more often the later answers come. */
static uint64_t whole_ticks(PyObject *timeout, uint64_t ns)
{
    if (ns == UINT64_MAX || (ns == 0 && PyObject_IsTrue(timeout) != 1))
        return ns;
    return ns == 0 ? TICK_NS : u64_sum(ns, TICK_NS - 1) / TICK_NS * TICK_NS;
}

static PyObject *wait_for_wake(PyObject *self, PyObject *args)
{
    (void)self;
    interp *in = interp_current;
    PyObject *timeout;
    unsigned int seen;
    uint64_t ns = UINT64_MAX;
    if (!PyArg_ParseTuple(args, "IO:wait", &seen, &timeout) ||
        (timeout != Py_None && sleep_parse_seconds(timeout, &ns) != 0))
        return NULL;

    if (!in)
        Py_RETURN_FALSE;
    uint64_t deadline_ns = sleep_deadline_ns(ns), of_calls_ns = tool_deadline_ns(in);
    int answer = wait_for_bell(in, seen, deadline_ns < of_calls_ns ? deadline_ns : of_calls_ns);
    if (answer < 0)
        return NULL;
    if (answer == 0 && deadline_ns <= of_calls_ns)
        fixed_advance(whole_ticks(timeout, ns));
    return PyBool_FromLong(answer);
}

static PyObject *module_bell(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    interp *in = interp_current;
    return PyLong_FromUnsignedLong(in ? atomic_load(&in->bell) : 0);
}

static PyObject *module_standing(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    const interp *in = fixed_clock_here();
    if (!in)
        Py_RETURN_NONE;
    return PyFloat_FromDouble((double)fixed_standing_ns(in) / 1e9);
}

static PyObject *module_wake(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    if (interp_current)
        interp_wake(interp_current);
    Py_RETURN_NONE;
}

static PyObject *module_threads(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    interp *in = interp_current;
    return PyLong_FromUnsignedLongLong(in ? in->options.threads : 0);
}

static PyObject *module_evaluate(PyObject *self, PyObject *code)
{
    (void)self;
    interp *in = interp_current;
    if (!in || !PyCode_Check(code)) {
        PyErr_SetString(PyExc_TypeError, "evaluate() takes a code object of a cell");
        return NULL;
    }
    return PyEval_EvalCode(code, in->main, in->main);
}

static PyObject *module_run(PyObject *self, PyObject *code)
{
    (void)self;
    interp *in = interp_current;
    if (!in || !PyCode_Check(code)) {
        PyErr_SetString(PyExc_TypeError, "run() takes a code object of a cell");
        return NULL;
    }
    return cell_evaluate(in, code);
}

static PyObject *module_namespace(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    interp *in = interp_current;
    return in ? Py_NewRef(in->main) : PyDict_New();
}

static PyObject *module_number(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    interp *in = interp_current;
    return PyLong_FromUnsignedLongLong(in ? in->number : 0);
}

/* With a clock of its own, a session has no times of the machine's. */
static PyObject *module_system_time(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    struct rusage used = { 0 };
    interp *in = interp_current;
    if (in && !in->options.fixed.clock_ms)
        getrusage(RUSAGE_THREAD, &used);
    return PyFloat_FromDouble((double)used.ru_stime.tv_sec + (double)used.ru_stime.tv_usec / 1e6);
}

static int is_not_theirs(PyObject *pair)
{
    return changes_is_hidden(PyTuple_GET_ITEM(pair, 0)) || tool_is_one(PyTuple_GET_ITEM(pair, 1));
}

/* What cells have made: pairs of names and values. */
static PyObject *module_names(PyObject *self, PyObject *ignored)
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

static PyObject *module_workdir(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    interp *in = interp_current;
    return PyUnicode_DecodeFSDefault(in && in->options.workdir ? in->options.workdir : "");
}

static PyObject *module_is_work_module(PyObject *self, PyObject *name)
{
    (void)self;
    interp *in = interp_current;
    Py_ssize_t len;
    const char *text = PyUnicode_AsUTF8AndSize(name, &len);
    return text ? PyBool_FromLong(in && gate_is_work_module(in, text, (size_t)len)) : NULL;
}

/* The texts are the guest's own to make up. */
static PyObject *module_note_source(PyObject *self, PyObject *args)
{
    (void)self;
    interp *in = interp_current;
    PyObject *file, *source;
    if (!PyArg_ParseTuple(args, "UU:note_source", &file, &source))
        return NULL;
    if (!in)
        Py_RETURN_NONE;
    if (!in->file_sources && !(in->file_sources = PyDict_New()))
        return NULL;

    /* A subclass would be compared by its own __eq__. */
    file = PyUnicode_FromObject(file);
    int failed = !file || PyDict_SetItem(in->file_sources, file, source) != 0;
    Py_XDECREF(file);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    { "run", module_run, METH_O, "Run a cell's code, in the event loop where it awaits." },
    { "namespace", module_namespace, METH_NOARGS, "The session's namespace." },
    { "names", module_names, METH_NOARGS, "Names and values that cells have made." },
    { "number", module_number, METH_NOARGS, "Of the cell that runs." },
    { "system_time", module_system_time, METH_NOARGS,
      "Seconds that the kernel has worked for the thread." },
    { "workdir", module_workdir, METH_NOARGS, "The work directory." },
    { "is_work_module", module_is_work_module, METH_O,
      "Whether the name is that of a module of the work directory." },
    { "note_source", module_note_source, METH_VARARGS,
      "note_source(file, text): what tracebacks show of that file." },
    { "evaluate", module_evaluate, METH_O, "Run a code object in the session's namespace." },
    { "standing", module_standing, METH_NOARGS,
      "The session's own clock, which does not go on for that; None if it has none." },
    { "bell", module_bell, METH_NOARGS, "A number that moves at each wake." },
    { "wait", wait_for_wake, METH_VARARGS,
      "wait(bell, seconds or None): sleep until the bell is another number; true if it is." },
    { "threads", module_threads, METH_NOARGS, "How many threads the session may have of its own." },
    { "wake", module_wake, METH_NOARGS, "Move the bell." },
    { "publish", publish_display, METH_VARARGS,
      "publish(parts, metadata, id, is_update): show a bundle." },
    { "clear", publish_clear, METH_O, "clear(wait): forget what the cell has shown." },
    { "text", publish_text, METH_O, "The text of a value, as the notebook shows it." },
    { "secret", tool_secret, METH_O, "secret(prompt): a line that is not seen while it is typed." },
    { "begin", tool_begin, METH_O, "begin(call): make the call; answer its number." },
    { "end", tool_end, METH_O, "end(call): what it has come to." },
    { "drop", tool_drop, METH_O, "drop(call): nobody waits for it any more." },
    { "ended", tool_ended, METH_NOARGS, "Numbers of calls that are over and were not told yet." },
    { NULL },
};

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
