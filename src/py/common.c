/* The internal headers want this. */
#define Py_BUILD_CORE 1

#include "py/common.h"

#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wshadow"
#include <internal/pycore_code.h>
#include <internal/pycore_descrobject.h>
#include <internal/pycore_hashtable.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_object.h>
#include <internal/pycore_runtime.h>
#pragma GCC diagnostic pop

/* Objects of the first interpreter, by two words that say which. */
typedef struct row {
    const void *of, *which;
    PyObject *object; /* owned */
} row;

typedef struct table {
    row *rows; /* by hash once it is shared: a power of two, the free ones without an object */
    size_t count, cap;
} table;

static table descriptors; /* of a type, by its definition */
static table codes;       /* by qualified name and first line */
static enum { IDLE, NOTING, SHARING } state;

static void note(table *t, const void *of, const void *which, PyObject *object)
{
    if (t->count == t->cap) {
        size_t cap = t->cap ? t->cap * 2 : 1024;
        row *grown = realloc(t->rows, cap * sizeof *grown);
        if (!grown)
            return;
        t->rows = grown;
        t->cap = cap;
    }
    t->rows[t->count++] = (row){ of, which, Py_NewRef(object) };
}

static size_t place(const table *t, const void *of, const void *which)
{
    size_t hash = ((size_t)of >> 4) * 31 + ((size_t)which >> 3);
    return (hash * 0x9E3779B97F4A7C15U >> 20) & (t->cap - 1);
}

/* From a list to a table by hash. Of two with the same key both are in it. */
static int spread(table *t)
{
    table to = { NULL, t->count, 16 };
    while (to.cap < t->count * 2)
        to.cap *= 2;
    if (!(to.rows = calloc(to.cap, sizeof *to.rows)))
        return -1;
    for (size_t i = 0; i < t->count; i++) {
        size_t at = place(&to, t->rows[i].of, t->rows[i].which);
        while (to.rows[at].object)
            at = (at + 1) & (to.cap - 1);
        to.rows[at] = t->rows[i];
    }
    free(t->rows);
    *t = to;
    return 0;
}

/* ---- values --------------------------------------------------------------- */

static void make_immortal(PyObject *object)
{
    if (PyObject_GC_IsTracked(object))
        PyObject_GC_UnTrack(object);
    object->ob_refcnt = _Py_IMMORTAL_REFCNT;
}

/* Of others the UTF-8 is made when it is asked for, by the allocator of whoever asks. */
static int is_ascii(PyObject *object)
{
    return PyUnicode_CheckExact(object) && PyUnicode_IS_COMPACT_ASCII(object);
}

/* 0: it has a part that is not to be shared. Asked again of one that is shared already, the answer
 * is the same. */
static int share(PyObject *object)
{
    if (is_ascii(object) || PyBytes_CheckExact(object)) {
        if (PyObject_Hash(object) == -1)
            PyErr_Clear(); /* it can not */
    } else if (PyTuple_CheckExact(object)) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); i++)
            if (!share(PyTuple_GET_ITEM(object, i)))
                return 0;
    } else if (object == Py_None || object == Py_Ellipsis || PyBool_Check(object)) {
        return 1;
    } else if (!PyLong_CheckExact(object) && !PyFloat_CheckExact(object)) {
        return 0;
    }
    make_immortal(object);
    return 1;
}

static int is_same(PyObject *a, PyObject *b)
{
    if (a == b)
        return 1;
    if (Py_TYPE(a) != Py_TYPE(b))
        return 0;
    if (is_ascii(a) && is_ascii(b))
        return PyUnicode_GET_LENGTH(a) == PyUnicode_GET_LENGTH(b) &&
               memcmp(PyUnicode_DATA(a), PyUnicode_DATA(b), (size_t)PyUnicode_GET_LENGTH(a)) == 0;
    if (PyBytes_CheckExact(a))
        return PyBytes_GET_SIZE(a) == PyBytes_GET_SIZE(b) &&
               memcmp(PyBytes_AS_STRING(a), PyBytes_AS_STRING(b), (size_t)PyBytes_GET_SIZE(a)) == 0;
    if (PyFloat_CheckExact(a))
        return memcmp(&((PyFloatObject *)a)->ob_fval, &((PyFloatObject *)b)->ob_fval,
                      sizeof(double)) == 0;
    if (PyLong_CheckExact(a))
        return PyObject_RichCompareBool(a, b, Py_EQ) == 1;
    if (!PyTuple_CheckExact(a) || PyTuple_GET_SIZE(a) != PyTuple_GET_SIZE(b))
        return 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(a); i++)
        if (!is_same(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i)))
            return 0;
    return 1;
}

/* ---- names ---------------------------------------------------------------- */

/* Interned strings of the first interpreter become the runtime's: each interpreter looks there
 * first, before its own. Nothing is added once there are others, which read without a lock. */
static void share_names(void)
{
    _Py_hashtable_t *names = _PyRuntime.cached_objects.interned_strings;
    PyObject *interned = PyInterpreterState_Get()->cached_objects.interned_strings;
    PyObject *name, *same;
    Py_ssize_t at = 0;
    while (names && interned && PyDict_Next(interned, &at, &name, &same)) {
        if (!is_ascii(name) || _Py_hashtable_get(names, name) ||
            _Py_hashtable_set(names, name, name) < 0)
            continue;
        make_immortal(name);
        ((PyASCIIObject *)name)->state.interned = SSTATE_INTERNED_IMMORTAL_STATIC;
        ((PyASCIIObject *)name)->state.statically_allocated = 1;
    }
}

/* ---- descriptors ---------------------------------------------------------- */

extern PyObject *snug_python_new_method(PyTypeObject *type, PyMethodDef *definition);
extern PyObject *snug_python_new_class_method(PyTypeObject *type, PyMethodDef *definition);
extern PyObject *snug_python_new_member(PyTypeObject *type, PyMemberDef *definition);
extern PyObject *snug_python_new_getset(PyTypeObject *type, PyGetSetDef *definition);
extern PyObject *snug_python_new_wrapper(PyTypeObject *type, struct wrapperbase *definition,
                                         void *wrapped);

static PyObject *find_descriptor(PyTypeObject *type, const void *definition)
{
    if (state != SHARING || !(type->tp_flags & _Py_TPFLAGS_STATIC_BUILTIN))
        return NULL;
    for (size_t at = place(&descriptors, type, definition); descriptors.rows[at].object;
         at = (at + 1) & (descriptors.cap - 1))
        if (descriptors.rows[at].of == type && descriptors.rows[at].which == definition)
            return descriptors.rows[at].object;
    return NULL;
}

static PyObject *note_descriptor(PyTypeObject *type, const void *definition, PyObject *made)
{
    if (made && state == NOTING && (type->tp_flags & _Py_TPFLAGS_STATIC_BUILTIN))
        note(&descriptors, type, definition, made);
    return made;
}

/* Its qualified name is made when it is asked for; nothing else of it ever changes. */
static int share_descriptor(PyObject *descriptor)
{
    PyObject *name = PyObject_GetAttrString(descriptor, "__qualname__");
    int is_shared = name && share(name);
    PyErr_Clear();
    Py_XDECREF(name);
    if (is_shared)
        make_immortal(descriptor);
    return is_shared;
}

PyObject *PyDescr_NewMethod(PyTypeObject *type, PyMethodDef *definition)
{
    PyObject *found = find_descriptor(type, definition);
    return found ? found
                 : note_descriptor(type, definition, snug_python_new_method(type, definition));
}

PyObject *PyDescr_NewClassMethod(PyTypeObject *type, PyMethodDef *definition)
{
    PyObject *found = find_descriptor(type, definition);
    return found
               ? found
               : note_descriptor(type, definition, snug_python_new_class_method(type, definition));
}

PyObject *PyDescr_NewMember(PyTypeObject *type, PyMemberDef *definition)
{
    PyObject *found = find_descriptor(type, definition);
    return found ? found
                 : note_descriptor(type, definition, snug_python_new_member(type, definition));
}

PyObject *PyDescr_NewGetSet(PyTypeObject *type, PyGetSetDef *definition)
{
    PyObject *found = find_descriptor(type, definition);
    return found ? found
                 : note_descriptor(type, definition, snug_python_new_getset(type, definition));
}

PyObject *PyDescr_NewWrapper(PyTypeObject *type, struct wrapperbase *definition, void *wrapped)
{
    PyObject *found = find_descriptor(type, definition);
    if (found && ((PyWrapperDescrObject *)found)->d_wrapped == wrapped)
        return found;
    return note_descriptor(type, definition, snug_python_new_wrapper(type, definition, wrapped));
}

/* ---- code ----------------------------------------------------------------- */

/* Code itself is each interpreter's: it is specialised as it runs. Not so its parts. */

extern PyCodeObject *snug_python_new_code(struct _PyCodeConstructor *from);
PyCodeObject *_PyCode_New(struct _PyCodeConstructor *from);

static const void *line_of(const PyCodeObject *code)
{
    return (const void *)(size_t)code->co_firstlineno;
}

static void share_code(const PyCodeObject *code)
{
    PyObject *parts[] = { code->co_names, code->co_linetable, code->co_exceptiontable,
                          code->co_localsplusnames, code->co_localspluskinds };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        share(parts[i]);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_consts); i++)
        share(PyTuple_GET_ITEM(code->co_consts, i));
    share(code->co_consts);
}

/* Another interpreter's part in place of an equal one, of which the caller has no other use. */
static int take_part(PyObject **part, PyObject *other)
{
    if (*part == other || !_Py_IsImmortal(other) || !is_same(*part, other))
        return *part == other;
    PyObject *own = *part;
    *part = other;
    Py_DECREF(own);
    return 1;
}

static void take_parts(PyCodeObject *code, const PyCodeObject *other)
{
    take_part(&code->co_names, other->co_names);
    take_part(&code->co_linetable, other->co_linetable);
    take_part(&code->co_exceptiontable, other->co_exceptiontable);
    take_part(&code->co_localsplusnames, other->co_localsplusnames);
    take_part(&code->co_localspluskinds, other->co_localspluskinds);
    PyTupleObject *own = (PyTupleObject *)code->co_consts;
    const PyTupleObject *others = (const PyTupleObject *)other->co_consts;
    if (Py_SIZE(own) != Py_SIZE(others) || take_part(&code->co_consts, other->co_consts))
        return;
    for (Py_ssize_t i = 0; i < Py_SIZE(own); i++)
        take_part(&own->ob_item[i], others->ob_item[i]);
}

PyCodeObject *_PyCode_New(struct _PyCodeConstructor *from)
{
    PyCodeObject *code = snug_python_new_code(from);
    if (!code || state == IDLE)
        return code;
    if (state == NOTING) {
        note(&codes, code->co_qualname, line_of(code), (PyObject *)code);
        return code;
    }
    for (size_t at = place(&codes, code->co_qualname, line_of(code)); codes.rows[at].object;
         at = (at + 1) & (codes.cap - 1)) {
        const row *found = &codes.rows[at];
        PyCodeObject *other = (PyCodeObject *)found->object;
        if (found->of == code->co_qualname && found->which == line_of(code) &&
            other->co_filename == code->co_filename) {
            take_parts(code, other);
            break;
        }
    }
    return code;
}

/* ---- all ------------------------------------------------------------------ */

void common_begin(void)
{
    state = NOTING;
}

void common_share(void)
{
    state = IDLE;
    share_names();
    size_t kept = 0;
    for (size_t i = 0; i < descriptors.count; i++)
        if (share_descriptor(descriptors.rows[i].object))
            descriptors.rows[kept++] = descriptors.rows[i];
    descriptors.count = kept;
    for (size_t i = 0; i < codes.count; i++)
        share_code((PyCodeObject *)codes.rows[i].object);
    if (spread(&descriptors) == 0 && spread(&codes) == 0)
        state = SHARING;
}
