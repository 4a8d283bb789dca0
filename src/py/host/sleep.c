#include "py/host/sleep.h"

#include <math.h>

#include "base/clock.h"
#include "base/thread.h"
#include "base/u64.h"
#include "py/core/fixed.h"
#include "py/core/state.h"
#include "py/core/wait.h"

/* A time in seconds as CPython's time.sleep takes it. */
int sleep_parse_seconds(PyObject *arg, uint64_t *ns)
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

uint64_t sleep_deadline_ns(uint64_t ns)
{
    return u64_sum(clock_now_ns(), ns);
}

static PyObject *sleep_seconds(PyObject *self, PyObject *arg)
{
    (void)self;
    interp *in = interp_current;
    uint64_t ns;
    if (sleep_parse_seconds(arg, &ns) != 0)
        return NULL;

    uint64_t deadline_ns = sleep_deadline_ns(ns);
    int answer = 1;
    if (!in) { /* a thread of a package's, in a full session */
        _Atomic uint32_t never = 0;
        Py_BEGIN_ALLOW_THREADS
        futex_wait(&never, 0, deadline_ns);
        Py_END_ALLOW_THREADS
    }

    /* A wake is for the event loop, not for a sleep: go on until the time is over. */
    while (in && answer == 1)
        answer = wait_for_bell(in, atomic_load(&in->bell), deadline_ns);
    if (answer < 0)
        return NULL;
    fixed_advance(ns);
    Py_RETURN_NONE;
}

static PyMethodDef sleep_method = {
    "sleep", sleep_seconds, METH_O,
    "sleep(seconds)\n\nDelay execution for a given number of seconds.  The argument may be\n"
    "a floating point number for subsecond precision."
};

PyObject *sleep_function(void)
{
    PyObject *name = PyUnicode_FromString("time");
    PyObject *function = name ? PyCFunction_NewEx(&sleep_method, NULL, name) : NULL;
    Py_XDECREF(name);
    return function;
}
