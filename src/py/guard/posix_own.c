#include "py/guard/posix_own.h"

#include <errno.h>

/* No session forks, and what is registered for it outlives the interpreter's last
 * collection: with a function, the names of its module leak. Variables of the environment
 * are those of os.environ alone: the process's belong to the host. */
static PyObject *do_nothing(PyObject *self, PyObject *args, PyObject *keywords)
{
    (void)self;
    (void)args;
    (void)keywords;
    Py_RETURN_NONE;
}

static const char *work_directory(void)
{
    if (!interp_current || !interp_current->options.workdir)
        return "/";
    return interp_current->options.workdir;
}

static PyObject *getcwd_text(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    return PyUnicode_DecodeFSDefault(work_directory());
}

static PyObject *getcwd_bytes(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    return PyBytes_FromString(work_directory());
}

static PyObject *is_no_terminal(PyObject *self, PyObject *descriptor)
{
    (void)self;
    (void)descriptor;
    Py_RETURN_FALSE;
}

/* The process's is the host's. */
static PyObject *getpid_of_none(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    return PyLong_FromLong(1);
}

/* Without the machine's name and its kernel's version. */
static PyObject *uname_of_none(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    static const char *const shown[] = { NULL, "localhost", "", "" };
    interp *in = interp_current;
    PyObject *real = NULL, *fields = NULL, *answer = NULL;

    if (in && in->posix)
        real = PyObject_CallNoArgs(in->posix->uname);
    if (real)
        fields = PySequence_List(real);

    int failed = !fields;
    for (int i = 1; i < 4 && !failed; i++) {
        PyObject *text = PyUnicode_FromString(shown[i]);
        failed = !text || PyList_SetItem(fields, i, text) != 0;
    }

    if (!failed)
        answer = PyObject_CallOneArg((PyObject *)Py_TYPE(real), fields);
    Py_XDECREF(fields);
    Py_XDECREF(real);
    return answer;
}

/* Of 0 or os.getpid(). For others there would be an answer if they exist. */
static PyObject *affinity_of_self(PyObject *self, PyObject *pid)
{
    (void)self;
    interp *in = interp_current;
    long number = PyLong_AsLong(pid);
    if (number == -1 && PyErr_Occurred())
        return NULL;
    if (number != 0 && number != 1) {
        errno = ESRCH;
        return PyErr_SetFromErrno(PyExc_OSError);
    }

    PyObject *own = PyLong_FromLong(0), *answer = NULL;
    if (own && in && in->posix && in->posix->affinity)
        answer = PyObject_CallOneArg(in->posix->affinity, own);
    Py_XDECREF(own);
    return answer;
}

#define ANY_ARGUMENTS(name) (PyCFunction)(void (*)(void))(name), METH_VARARGS | METH_KEYWORDS

static PyMethodDef own_methods[] = {
    { "getcwd", getcwd_text, METH_NOARGS, "The session's work directory." },
    { "getcwdb", getcwd_bytes, METH_NOARGS, "The session's work directory." },
    { "isatty", is_no_terminal, METH_O, "False." },
    { "getpid", getpid_of_none, METH_NOARGS, "1: a session is not a process of its own." },
    { "putenv", ANY_ARGUMENTS(do_nothing), "Do nothing: os.environ is all there is." },
    { "register_at_fork", ANY_ARGUMENTS(do_nothing), "Do nothing: no session forks." },
    { "sched_getaffinity", affinity_of_self, METH_O, "As in Python, of the session's thread." },
    { "uname", uname_of_none, METH_NOARGS, "The system, without what is this machine's own." },
    { "unsetenv", ANY_ARGUMENTS(do_nothing), "Do nothing: os.environ is all there is." },
};

PyMethodDef *posix_own_method(size_t index)
{
    return index < sizeof own_methods / sizeof *own_methods ? &own_methods[index] : NULL;
}
