#include "py/core/exceptions.h"

#include <stdatomic.h>

#include "py/core/internals.h"
#include "py/core/stopping.h"

/* Lets the type outlive every raise of a cell: the evaluation loop drops one
 * reference a raise, and interp_rest puts them back only afterwards. */
enum { SPARE_REFERENCES = 1 << 28 };

/* A raised type becomes an instance when a handler looks at it. While the cell is
 * being stopped, that arms the next raise: it comes at the first check outside the
 * handler's try, so that no loop around `except BaseException` goes on. An interrupt has
 * its handler first. */
static PyObject *stopped_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    interp *in = interp_current;
    if (in && atomic_load(&in->stop.reason) != STOP_NONE && !stopping_begin_handling(in) &&
        internals_raise_later(PyThreadState_Get(), in->stopped))
        atomic_fetch_add(&in->stop.raised, 1);
    return ((PyTypeObject *)PyExc_KeyboardInterrupt)->tp_new(type, args, keywords);
}

/* The same of what stops the finalizers of an interpreter that ends. One that is torn out there
 * puts nothing back. */
static void spare_interrupt(void)
{
    static atomic_flag is_done = ATOMIC_FLAG_INIT;

    if (!atomic_flag_test_and_set(&is_done))
        Py_SET_REFCNT(PyExc_KeyboardInterrupt,
                      Py_REFCNT(PyExc_KeyboardInterrupt) + SPARE_REFERENCES);
}

/* other: a second base, or NULL. */
static PyObject *make_type(PyType_Spec *spec, PyObject *base, PyObject *other)
{
    PyObject *bases;

    if (other)
        bases = PyTuple_Pack(2, base, other);
    else
        bases = PyTuple_Pack(1, base);

    if (!bases)
        return NULL;

    PyObject *type = PyType_FromSpecWithBases(spec, bases);
    Py_DECREF(bases);
    return type;
}

static char policy_doc[] = "The session's policy does not allow this.";
static char tool_doc[] = "A function of the host failed.";
static char refused_doc[] = "The call of a function of the host was not allowed.";
static char timeout_doc[] = "A function of the host did not answer in time.";
static char import_doc[] = "The session's profile does not have this module.";

int exceptions_make(interp *in)
{
    static PyType_Slot policy_slots[] = { { Py_tp_doc, policy_doc }, { 0, NULL } };
    static PyType_Slot import_slots[] = { { Py_tp_doc, import_doc }, { 0, NULL } };
    static PyType_Slot tool_slots[] = { { Py_tp_doc, tool_doc }, { 0, NULL } };
    static PyType_Slot refused_slots[] = { { Py_tp_doc, refused_doc }, { 0, NULL } };
    static PyType_Slot timeout_slots[] = { { Py_tp_doc, timeout_doc }, { 0, NULL } };
    static PyType_Slot stopped_slots[] = { { Py_tp_new, stopped_new }, { 0, NULL } };

    enum { IMMUTABLE = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE };
    static PyType_Spec policy = { "builtins.PolicyError", 0, 0, IMMUTABLE, policy_slots };
    static PyType_Spec import = { "builtins.ImportDenied", 0, 0, IMMUTABLE, import_slots };
    static PyType_Spec tool = { "builtins.ToolError", 0, 0, IMMUTABLE | Py_TPFLAGS_BASETYPE,
                                tool_slots };
    static PyType_Spec refused = { "builtins.ToolRefused", 0, 0, IMMUTABLE, refused_slots };
    static PyType_Spec timeout = { "builtins.ToolTimeout", 0, 0, IMMUTABLE, timeout_slots };
    static PyType_Spec stopped = { "builtins.CellStopped", 0, 0, IMMUTABLE, stopped_slots };
    in->policy_error = make_type(&policy, PyExc_PermissionError, NULL);
    in->import_denied = make_type(&import, PyExc_ImportError, NULL);
    in->stopped = make_type(&stopped, PyExc_KeyboardInterrupt, NULL);
    if (in->stopped)
        Py_SET_REFCNT(in->stopped, Py_REFCNT(in->stopped) + SPARE_REFERENCES);
    in->tool_error = make_type(&tool, PyExc_RuntimeError, NULL);
    if (in->tool_error)
        in->tool_timeout = make_type(&timeout, in->tool_error, PyExc_TimeoutError);
    if (in->tool_timeout)
        in->tool_refused = make_type(&refused, in->tool_error, NULL);
    if (!in->policy_error || !in->import_denied || !in->stopped || !in->tool_refused)
        return -1;
    spare_interrupt();
    return 0;
}

void exceptions_release(PyObject *stopped)
{
    if (!stopped)
        return;
    Py_SET_REFCNT(stopped, Py_REFCNT(stopped) - SPARE_REFERENCES);
    Py_DECREF(stopped);
}
