#include "py/mend/pins.h"

#include "py/core/internals.h"

#if PYTHON_OWN_GIL

int pins_make(void)
{
    return 0;
}

void pins_after_birth(int is_born)
{
    (void)is_born;
}

int pins_hold_types(PyObject *module, int has_run)
{
    (void)module;
    (void)has_run;
    return 0;
}

int pins_adopt_arrays(PyObject *module)
{
    (void)module;
    return 0;
}

#else

enum { COPIES = 2, DEFINITIONS = 256 };

/* The exception to "no file-level state": CPython keeps these for the process. Under the GIL. */
static struct {
    PyModuleDef *copied[COPIES];
    PyObject *copy;                   /* empty */
    PyObject *no_type, *no_reference; /* an entry of tp_subclasses that nobody sees */
    const PyModuleDef *held[DEFINITIONS];
    size_t held_count;
} pins;

/* ---- names of sys and builtins ---- */

/* A copy of the names of these two is made at each birth, kept for the process, and dropped at the
 * next one. If its session was torn in a collection, its objects are in no state to be dropped: so
 * it goes at once, and an empty one is in its place. Nobody asks for it: loader.c answers a
 * session that imports one of the two again with its own. */
static int pin_copies(void)
{
    static const char *const names[COPIES] = { "sys", "builtins" };

    if (!(pins.copy = PyDict_New()))
        return -1;

    for (size_t i = 0; i < COPIES; i++) {
        PyObject *module = PyDict_GetItemString(PyImport_GetModuleDict(), names[i]); /* borrowed */
        PyModuleDef *definition = module ? PyModule_GetDef(module) : NULL;
        if (!definition) {
            PyErr_Format(PyExc_SystemError, "%s is not as expected", names[i]);
            return -1;
        }
        pins.copied[i] = definition;
        Py_XSETREF(definition->m_base.m_copy, Py_NewRef(pins.copy));
    }

    return 0;
}

/* Where the birth failed, an interpreter has gone without putting its objects in order. */
void pins_after_birth(int is_born)
{
    for (size_t i = 0; i < COPIES; i++) {
        PyObject *copy = pins.copied[i]->m_base.m_copy;
        pins.copied[i]->m_base.m_copy = Py_NewRef(pins.copy);
        if (is_born || copy == pins.copy)
            Py_XDECREF(copy);
    }
}

/* ---- types ---- */

static int is_static(PyObject *type)
{
    return PyType_Check(type) && !PyType_HasFeature((PyTypeObject *)type, Py_TPFLAGS_HEAPTYPE);
}

/* A dict of subclasses is of the collector of the session that has made the first one, and is
 * freed with the last one, in whichever session that is. With an entry that stays it is not. */
static int hold_subclasses(PyTypeObject *type)
{
    if (!type->tp_subclasses && !(type->tp_subclasses = PyDict_New()))
        return -1;
    int failed = PyDict_SetItem(type->tp_subclasses, pins.no_type, pins.no_reference) != 0;
    internals_take_from_collector(type->tp_subclasses);
    return failed ? -1 : 0;
}

/* What a static type has lives as long as the process, and all sessions meet it: no session's
 * collector may have it. */
static int hold_type(PyTypeObject *type)
{
    PyObject *name, *value;
    PyObject *const parts[] = { type->tp_dict, type->tp_bases, type->tp_mro };

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i])
            internals_take_from_collector(parts[i]);

    for (Py_ssize_t at = 0; type->tp_dict && PyDict_Next(type->tp_dict, &at, &name, &value);)
        internals_take_from_collector(value);
    return hold_subclasses(type);
}

static int is_type_held(PyTypeObject *type)
{
    return type->tp_subclasses && PyDict_GetItemWithError(type->tp_subclasses, pins.no_type);
}

/* Type and all below it that are static; the references to these too, for weakref.ref answers with
 * them. */
static int hold_below(PyTypeObject *type)
{
    PyObject *key, *reference;
    int failed = !is_type_held(type) && hold_type(type) != 0;

    for (Py_ssize_t at = 0; !failed && PyDict_Next(type->tp_subclasses, &at, &key, &reference);) {
        PyObject *below = PyWeakref_GET_OBJECT(reference); /* borrowed */
        if (!is_static(below))
            continue;
        internals_take_from_collector(reference);
        failed = hold_below((PyTypeObject *)below) != 0;
    }

    return failed ? -1 : 0;
}

/* Whether what the module brings is held already. */
static int is_held(const PyModuleDef *definition)
{
    for (size_t i = 0; i < pins.held_count; i++)
        if (pins.held[i] == definition)
            return 1;
    return 0;
}

static void note_held(const PyModuleDef *definition)
{
    if (pins.held_count < DEFINITIONS)
        pins.held[pins.held_count++] = definition;
}

int pins_hold_types(PyObject *module, int has_run)
{
    PyModuleDef *definition = PyModule_Check(module) ? PyModule_GetDef(module) : NULL;
    if (!pins.no_reference || !definition || is_held(definition))
        return 0; /* or a process for full sessions, with one interpreter */

    if (hold_below(&PyBaseObject_Type) != 0)
        return -1;
    if (has_run || !definition->m_slots)
        note_held(definition);
    return 0;
}

/* The entry that holds dicts of subclasses: no type has its address, and its reference is dead. */
static int make_entry(void)
{
    PyObject *object = PySet_New(NULL);
    if (!object)
        return -1;

    pins.no_reference = PyWeakref_NewRef(object, NULL);
    Py_DECREF(object);
    pins.no_type = PyLong_FromLong(0);
    return pins.no_reference && pins.no_type ? 0 : -1;
}

static void note_loaded_modules(void)
{
    PyObject *name, *module;
    PyObject *loaded = PyImport_GetModuleDict(); /* borrowed */

    for (Py_ssize_t at = 0; PyDict_Next(loaded, &at, &name, &module);)
        if (PyModule_Check(module) && PyModule_GetDef(module))
            note_held(PyModule_GetDef(module));
}

static int pin_types(void)
{
    if (make_entry() != 0)
        return -1;

    /* object is below no type, so hold_below meets no reference to it: one stays for good. */
    if (!PyWeakref_NewRef((PyObject *)&PyBaseObject_Type, NULL))
        return -1;
    if (hold_below(&PyBaseObject_Type) != 0)
        return -1;

    note_loaded_modules();
    return 0;
}

/* ---- pointers ---- */

/* The address of a table of unicodedata's, twice, which goes with the module that was asked. */
static int use_names(void)
{
    PyObject *named = PyUnicode_DecodeUnicodeEscape("\\N{BULLET}", 10, NULL);
    PyObject *bytes = named ? PyUnicode_AsEncodedString(named, "ascii", "namereplace") : NULL;
    Py_XDECREF(named);
    Py_XDECREF(bytes);
    return bytes ? 0 : -1;
}

/* The empty nodes that all contexts rest on. */
static int use_context(void)
{
    PyObject *variable = PyContextVar_New("", NULL), *context = PyContext_New(), *token = NULL;

    if (variable && context && PyContext_Enter(context) == 0) {
        token = PyContextVar_Set(variable, Py_None);
        PyContext_Exit(context);
    }

    Py_XDECREF(variable);
    Py_XDECREF(context);
    Py_XDECREF(token);
    return token ? 0 : -1;
}

/* The function that makes an array of a pickle: see pins_adopt_arrays. */
static int use_array(void)
{
    PyObject *module = PyImport_ImportModule("array");
    PyObject *array = module ? PyObject_CallMethod(module, "array", "s", "i") : NULL;
    PyObject *reduced = array ? PyObject_CallMethod(array, "__reduce_ex__", "i", 4) : NULL;
    Py_XDECREF(module);
    Py_XDECREF(array);
    Py_XDECREF(reduced);
    return reduced ? 0 : -1;
}

/* CPython's keeps the module _strptime of the session that came first. */
static PyObject *parse_time(PyObject *type, PyObject *args)
{
    PyObject *text, *format;

    if (!PyArg_ParseTuple(args, "UU:strptime", &text, &format))
        return NULL;
    PyObject *module = PyImport_ImportModule("_strptime");
    if (!module)
        return NULL;

    PyObject *time = PyObject_CallMethod(module, "_strptime_datetime", "OOO", type, text, format);
    Py_DECREF(module);
    return time;
}

static PyMethodDef strptime_method = {
    "strptime", parse_time, METH_VARARGS | METH_CLASS,
    "string, format -> new datetime parsed from a string (like time.strptime())."
};

/* Its types are static, so it is done for all sessions. */
static int replace_strptime(void)
{
    PyObject *module = PyImport_ImportModule("_datetime");
    PyObject *type = module ? PyObject_GetAttrString(module, "datetime") : NULL;
    PyObject *method = type ? PyDescr_NewClassMethod((PyTypeObject *)type, &strptime_method) : NULL;
    int failed =
        !method || PyDict_SetItemString(((PyTypeObject *)type)->tp_dict, "strptime", method) != 0;

    if (!failed)
        PyType_Modified((PyTypeObject *)type);
    Py_XDECREF(method);
    Py_XDECREF(type);
    Py_XDECREF(module);
    return failed ? -1 : 0;
}

/* ---- arrays ---- */

static struct {
    PyCMethod reduce; /* CPython's */
    PyModuleDef *definition;
} arrays;

/* Of a session's own module; self may be of a class below it. */
static PyTypeObject *array_type(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);

    while (type) {
        PyObject *module = PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)
                               ? ((PyHeapTypeObject *)type)->ht_module
                               : NULL;
        if (module && PyModule_GetDef(module) == arrays.definition)
            return type;
        type = type->tp_base;
    }

    return NULL;
}

/* A tuple with that in the first place. */
static PyObject *with_first(PyObject *tuple, PyObject *first)
{
    PyObject *answer = PyTuple_New(PyTuple_GET_SIZE(tuple));
    for (Py_ssize_t i = 0; answer && i < PyTuple_GET_SIZE(tuple); i++)
        PyTuple_SET_ITEM(answer, i, Py_NewRef(i ? PyTuple_GET_ITEM(tuple, i) : first));
    return answer;
}

/* With the function of the array's own module: CPython's has the one of the first interpreter, and
 * pickle finds that it is not the one that is imported by that name. */
static PyObject *reduce_array(PyObject *self, PyObject *protocol)
{
    PyTypeObject *type = array_type(self);
    if (!type)
        return PyErr_Format(PyExc_SystemError, "array is not as expected");

    PyObject *reduced = arrays.reduce(self, type, &protocol, 1, NULL);
    if (!reduced || !PyTuple_CheckExact(reduced) ||
        !PyCFunction_Check(PyTuple_GET_ITEM(reduced, 0)))
        return reduced;

    PyObject *module = ((PyHeapTypeObject *)type)->ht_module; /* borrowed */
    PyObject *function = PyObject_GetAttrString(module, "_array_reconstructor");
    Py_SETREF(reduced, function ? with_first(reduced, function) : NULL);
    Py_XDECREF(function);
    return reduced;
}

static PyMethodDef reduce_method = { "__reduce_ex__", reduce_array, METH_O,
                                     "Return state information for pickling." };

/* -1 without an exception where the type has no such method as CPython's. */
static int replace_reduce(PyObject *module, PyTypeObject *type)
{
    enum { FLAGS = METH_METHOD | METH_FASTCALL | METH_KEYWORDS };
    PyObject *before = PyDict_GetItemString(type->tp_dict, "__reduce_ex__"); /* borrowed */
    if (!before || !Py_IS_TYPE(before, &PyMethodDescr_Type))
        return -1;

    const PyMethodDef *known = ((PyMethodDescrObject *)before)->d_method;
    if (known == &reduce_method)
        return 0;
    if (known->ml_flags != FLAGS)
        return -1;

    arrays.reduce = (PyCMethod)(void (*)(void))known->ml_meth;
    arrays.definition = PyModule_GetDef(module);
    PyObject *method = PyDescr_NewMethod(type, &reduce_method);
    if (!method)
        return -1;

    int error = PyDict_SetItemString(type->tp_dict, "__reduce_ex__", method);
    PyType_Modified(type);
    Py_DECREF(method);
    return error;
}

int pins_adopt_arrays(PyObject *module)
{
    PyObject *type = PyObject_GetAttrString(module, "array");
    if (!type && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
        return 0; /* its code has not run yet */
    }

    if (!type)
        return -1;

    int failed = replace_reduce(module, (PyTypeObject *)type) != 0;
    if (failed && !PyErr_Occurred())
        PyErr_SetString(PyExc_SystemError, "array is not as expected");
    Py_DECREF(type);
    return failed ? -1 : 0;
}

int pins_make(void)
{
    /* Nothing of a session's is ever in its lists. */
    PyGC_Disable();
    if (pin_copies() != 0 || use_names() != 0 || use_context() != 0 || use_array() != 0 ||
        replace_strptime() != 0 || pin_types() != 0)
        return -1;
    return 0;
}

#endif
