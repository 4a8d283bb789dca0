#include "py/report/suggest_hint.h"

#include <string.h>

#if PYTHON_KNOWS_OTHER_LANGUAGES

#define USE_SET  "Did you mean to use a 'set' object?"
#define USE_LIST "Did you mean to use a 'list' object?"
#define USE_DICT "Did you mean to use a 'dict' object?"
#define USE_INT \
    "Did you mean to use an 'int' object? Bitwise operators are not supported by 'float'."
#define MEANT(name) "Did you mean '." name "'?"

/* _CROSS_LANGUAGE_HINTS of 3.15's traceback.py, in its order. */
static const struct {
    const char *wrong;
    PyTypeObject *type;
    const char *sentence;
} hints[] = {
    { "push", &PyList_Type, MEANT("append") },
    { "concat", &PyList_Type, MEANT("extend") },
    { "addAll", &PyList_Type, MEANT("extend") },
    { "contains", &PyList_Type, "Use 'x in list'." },
    { "add", &PyList_Type, USE_SET },
    { "add", &PyFrozenSet_Type, USE_SET },
    { "toUpperCase", &PyUnicode_Type, MEANT("upper") },
    { "toLowerCase", &PyUnicode_Type, MEANT("lower") },
    { "trimStart", &PyUnicode_Type, MEANT("lstrip") },
    { "trimEnd", &PyUnicode_Type, MEANT("rstrip") },
    { "keySet", &PyDict_Type, MEANT("keys") },
    { "entrySet", &PyDict_Type, MEANT("items") },
    { "entries", &PyDict_Type, MEANT("items") },
    { "putAll", &PyDict_Type, MEANT("update") },
    { "put", &PyDict_Type, "Use d[k] = v." },
    { "append", &PyTuple_Type, USE_LIST },
    { "extend", &PyTuple_Type, USE_LIST },
    { "insert", &PyTuple_Type, USE_LIST },
    { "remove", &PyTuple_Type, USE_LIST },
    { "remove", &PyFrozenSet_Type, USE_SET },
    { "discard", &PyFrozenSet_Type, USE_SET },
    { "update", &PyFrozenSet_Type, USE_SET },
    { "update", &PyFrozenDict_Type, USE_DICT },
    { "__or__", &PyFloat_Type, USE_INT },
    { "__and__", &PyFloat_Type, USE_INT },
    { "__xor__", &PyFloat_Type, USE_INT },
    { "__lshift__", &PyFloat_Type, USE_INT },
    { "__rshift__", &PyFloat_Type, USE_INT },
};

const char *suggest_hint(PyObject *object, const char *wrong)
{
    for (size_t i = 0; object && i < sizeof hints / sizeof *hints; i++)
        if (strcmp(hints[i].wrong, wrong) == 0 && PyObject_TypeCheck(object, hints[i].type))
            return hints[i].sentence;
    return NULL;
}

#else

const char *suggest_hint(PyObject *object, const char *wrong)
{
    (void)object;
    (void)wrong;
    return NULL;
}

#endif
