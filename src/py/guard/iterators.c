#include "py/guard/iterators.h"
#include "py/core/stopping.h"

/* itertools has more, but they are fed by these, by code that polls, or by a sequence; count and
 * cycle poll in mend/mendused.c. */
#define ENDLESS(X)                   \
    X(combinations)                  \
    X(combinations_with_replacement) \
    X(permutations)                  \
    X(product)                       \
    X(repeat)

/* The types of itertools, then those that have no module to be found in. */
#define NUMBER(name) NUMBER_##name,
enum { ENDLESS(NUMBER) NUMBER_CALLABLE, NUMBER_range, COUNT };

/* The same function for a type in each interpreter, so writing it again changes nothing. */
static _Atomic(iternextfunc) originals[COUNT];

static PyObject *poll_and_advance(int number, PyObject *iterator)
{
    interp *in = interp_current;
    if (in && interp_check_stop(in) != 0)
        return NULL;
    return atomic_load_explicit(&originals[number], memory_order_relaxed)(iterator);
}

#define NEXT(name)                                        \
    static PyObject *next_##name(PyObject *iterator)      \
    {                                                     \
        return poll_and_advance(NUMBER_##name, iterator); \
    }
ENDLESS(NEXT)
NEXT(range)

/* As CPython has it, in no header. */
typedef struct callable_iterator {
    PyObject_HEAD
    PyObject *callable;
} callable_iterator;

/* The callable stays, though code that it runs may ask the same iterator until it is exhausted. */
static PyObject *next_callable(PyObject *iterator)
{
    PyObject *callable = Py_XNewRef(((callable_iterator *)iterator)->callable);
    PyObject *item = poll_and_advance(NUMBER_CALLABLE, iterator);
    Py_XDECREF(callable);
    return item;
}

/* Interpreters that share the type may do this at the same time. */
static void take_over(PyTypeObject *type, int number, iternextfunc ours)
{
    iternextfunc was = __atomic_load_n(&type->tp_iternext, __ATOMIC_RELAXED);
    if (!was || was == ours)
        return;
    atomic_store(&originals[number], was);
    __atomic_store_n(&type->tp_iternext, ours, __ATOMIC_RELEASE);
}

int endless_adopt(interp *in, PyObject *module)
{
    static const struct {
        const char *name;
        iternextfunc ours;
    } types[] = {
#define ROW(name) { #name, next_##name },
        ENDLESS(ROW)
    };
    (void)in;

    for (int i = 0; i < NUMBER_CALLABLE; i++) {
        PyObject *type = PyDict_GetItemString(PyModule_GetDict(module), types[i].name);
        if (type && PyType_Check(type))
            take_over((PyTypeObject *)type, i, types[i].ours);
    }

    return 0;
}

void endless_adopt_builtin(void)
{
    take_over(&PyCallIter_Type, NUMBER_CALLABLE, next_callable);
    if (PYTHON_KEEPS_FREED_INTS)
        take_over(&PyRangeIter_Type, NUMBER_range, next_range);
}
