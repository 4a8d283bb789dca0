/*
 * python_floor.c - the libpython that snug_bench runs on, without snug: what it
 * does with floor.py is the floor of that very build. It has one module more: what a call of a
 * function takes by Python's own C interface.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <time.h>

static int64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* One call with two new floats; NULL with an exception. The answer goes to *out. */
static int call_single(double *out, PyObject *function, double x, double y)
{
    PyObject *arguments[2] = { PyFloat_FromDouble(x), PyFloat_FromDouble(y) };
    PyObject *value = NULL;

    if (arguments[0] && arguments[1])
        value = PyObject_Vectorcall(function, arguments, 2, NULL);
    Py_XDECREF(arguments[0]);
    Py_XDECREF(arguments[1]);
    if (!value)
        return -1;
    *out = PyFloat_AsDouble(value);
    Py_DECREF(value);
    return *out == -1.0 && PyErr_Occurred() ? -1 : 0;
}

/* call(function, count): (ns, the sum of what function(0.5, i) answers) */
static PyObject *call_often(PyObject *self, PyObject *args)
{
    PyObject *function;
    int count;
    double sum = 0, one;
    (void)self;

    if (!PyArg_ParseTuple(args, "Oi", &function, &count))
        return NULL;
    int64_t start_ns = clock_ns();
    for (int i = 0; i < count; i++) {
        if (call_single(&one, function, 0.5, i) != 0)
            return NULL;
        sum += one;
    }
    return Py_BuildValue("Ld", (long long)(clock_ns() - start_ns), sum);
}

static PyMethodDef methods[] = { { "call", call_often, METH_VARARGS, NULL },
                                 { NULL, NULL, 0, NULL } };
static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_snug_floor", NULL, 0, methods, NULL, NULL, NULL, NULL
};

static PyObject *make_module(void)
{
    return PyModule_Create(&module);
}

int main(int argc, char **argv)
{
    if (PyImport_AppendInittab("_snug_floor", make_module) != 0)
        return 1;
    return Py_BytesMain(argc, argv);
}
