/* The internal headers want this. */
#define Py_BUILD_CORE 1

#include "py/common.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "py/loader.h"
#include "py/runtime.h"

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
    PyObject *object; /* owned; NULL: free. Written last, for others read meanwhile */
} row;

/* By hash, at most half full. Rows are only added. */
typedef struct table {
    size_t count, cap; /* cap: a power of two */
    row rows[];
} table;

/* Of a type, by its definition; and by qualified name and first line. A larger one takes the place
 * of each when it is full, and the other stays: somebody may be reading it. */
static table *descriptors, *codes;
/* What this thread makes is remembered. */
static _Thread_local int is_noting;
static struct list {
    row *rows;
    size_t count, cap;
} new_descriptors, new_codes;

static void note(struct list *list, const void *of, const void *which, PyObject *object)
{
    if (list->count == list->cap) {
        size_t cap = list->cap ? list->cap * 2 : 1024;
        row *grown = realloc(list->rows, cap * sizeof *grown);
        if (!grown)
            return;
        list->rows = grown;
        list->cap = cap;
    }
    list->rows[list->count++] = (row){ of, which, Py_NewRef(object) };
}

static void forget(struct list *list)
{
    free(list->rows);
    *list = (struct list){ 0 };
}

static size_t place(const table *t, const void *of, const void *which)
{
    size_t hash = ((size_t)of >> 4) * 31 + (size_t)which;
    return (hash * 0x9E3779B97F4A7C15U >> 20) & (t->cap - 1);
}

static void put(table *t, const row *r)
{
    size_t at = place(t, r->of, r->which);
    while (t->rows[at].object)
        at = (at + 1) & (t->cap - 1);
    t->rows[at].of = r->of;
    t->rows[at].which = r->which;
    __atomic_store_n(&t->rows[at].object, r->object, __ATOMIC_RELEASE);
    t->count++;
}

/* -1: no memory for a larger one. */
static int put_all(table **into, const struct list *list)
{
    table *t = *into;
    size_t count = t ? t->count : 0, cap = t ? t->cap : 1024;
    while (cap < (count + list->count) * 2)
        cap *= 2;
    if (!t || cap > t->cap) {
        if (!(t = calloc(1, sizeof *t + cap * sizeof *t->rows)))
            return -1;
        t->cap = cap;
        for (size_t i = 0; *into && i < (*into)->cap; i++)
            if ((*into)->rows[i].object)
                put(t, &(*into)->rows[i]);
    }
    for (size_t i = 0; i < list->count; i++)
        put(t, &list->rows[i]);
    __atomic_store_n(into, t, __ATOMIC_RELEASE);
    return 0;
}

/* The next row with that key behind *at, which begins at SIZE_MAX; NULL: there is none. */
static PyObject *find(const table *t, const void *of, const void *which, size_t *at)
{
    PyObject *object;
    for (*at = *at == SIZE_MAX ? place(t, of, which) : (*at + 1) & (t->cap - 1);
         (object = __atomic_load_n(&t->rows[*at].object, __ATOMIC_ACQUIRE));
         *at = (*at + 1) & (t->cap - 1))
        if (t->rows[*at].of == of && t->rows[*at].which == which)
            return object;
    return NULL;
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

/* Others may be reading: the table is not made larger, and its lists are whole at any time. */
static int add_name(_Py_hashtable_t *names, PyObject *name)
{
    _Py_hashtable_entry_t *entry = PyMem_RawMalloc(sizeof *entry);
    if (!entry)
        return -1;
    entry->key_hash = names->hash_func(name);
    entry->key = entry->value = name;
    _Py_slist_t *list = &names->buckets[entry->key_hash & (names->nbuckets - 1)];
    entry->_Py_slist_item.next = list->head;
    __atomic_store_n(&list->head, &entry->_Py_slist_item, __ATOMIC_RELEASE);
    names->nentries++;
    return 0;
}

static int add_first_name(_Py_hashtable_t *names, PyObject *name)
{
    return _Py_hashtable_set(names, name, name);
}

/* Interned strings of the first interpreter become the runtime's: each interpreter looks there
 * before it looks among its own. */
static void share_names(int (*add)(_Py_hashtable_t *names, PyObject *name))
{
    _Py_hashtable_t *names = _PyRuntime.cached_objects.interned_strings;
    PyObject *interned = PyInterpreterState_Get()->cached_objects.interned_strings;
    PyObject *name, *same;
    Py_ssize_t at = 0;
    while (names && interned && PyDict_Next(interned, &at, &name, &same)) {
        PyASCIIObject *text = (PyASCIIObject *)name;
        if (!is_ascii(name) || text->state.interned == SSTATE_INTERNED_IMMORTAL_STATIC)
            continue;
        (void)PyObject_Hash(name);
        make_immortal(name);
        if (add(names, name) == 0) {
            text->state.interned = SSTATE_INTERNED_IMMORTAL_STATIC;
            text->state.statically_allocated = 1;
        }
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
    size_t at = SIZE_MAX;
    return descriptors && type->tp_flags & _Py_TPFLAGS_STATIC_BUILTIN
               ? find(descriptors, type, definition, &at)
               : NULL;
}

static PyObject *note_descriptor(PyTypeObject *type, const void *definition, PyObject *made)
{
    if (made && is_noting && type->tp_flags & _Py_TPFLAGS_STATIC_BUILTIN)
        note(&new_descriptors, type, definition, made);
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
    if (code && is_noting) {
        note(&new_codes, code->co_qualname, line_of(code), (PyObject *)code);
        return code;
    }
    const table *t = code ? __atomic_load_n(&codes, __ATOMIC_ACQUIRE) : NULL;
    size_t at = SIZE_MAX;
    PyObject *found;
    while (t && (found = find(t, code->co_qualname, line_of(code), &at))) {
        PyCodeObject *other = (PyCodeObject *)found;
        if (other->co_filename == code->co_filename) {
            take_parts(code, other);
            break;
        }
    }
    return code;
}

static void share_codes(void)
{
    for (size_t i = 0; i < new_codes.count; i++)
        share_code((PyCodeObject *)new_codes.rows[i].object);
    put_all(&codes, &new_codes);
    forget(&new_codes);
}

/* ---- the start ------------------------------------------------------------ */

void common_begin(void)
{
    is_noting = 1;
}

void common_share(void)
{
    is_noting = 0;
    share_names(add_first_name);
    struct list shared = { 0 };
    for (size_t i = 0; i < new_descriptors.count; i++) {
        const row *r = &new_descriptors.rows[i];
        if (share_descriptor(r->object))
            note(&shared, r->of, r->which, r->object);
    }
    put_all(&descriptors, &shared);
    forget(&shared);
    forget(&new_descriptors);
    share_codes();
}

/* ---- the library ---------------------------------------------------------- */

enum { MOST_MODULES = 2000 };

static struct {
    pthread_mutex_t lock;
    char *sources[MOST_MODULES]; /* all that were noted */
    size_t count, read;
} library = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int is_known(const char *source)
{
    for (size_t i = 0; i < library.count; i++)
        if (strcmp(library.sources[i], source) == 0)
            return 1;
    return 0;
}

void common_note(const char *source)
{
    pthread_mutex_lock(&library.lock);
    if (descriptors && library.count < MOST_MODULES && !is_known(source) &&
        (library.sources[library.count] = strdup(source)))
        library.count++;
    pthread_mutex_unlock(&library.lock);
}

static const char *next_module(void)
{
    pthread_mutex_lock(&library.lock);
    const char *source = library.read < library.count ? library.sources[library.read++] : NULL;
    pthread_mutex_unlock(&library.lock);
    return source;
}

void common_update(void)
{
    void *saved;
    const char *source = next_module();
    if (source && runtime_enter_main(&saved) == SNUG_OK) {
        PyGC_Disable();
        is_noting = 1;
        for (; source; source = next_module())
            Py_XDECREF(loader_read_cached(source));
        is_noting = 0;
        share_names(add_name);
        share_codes();
        runtime_leave_main(saved);
    }
}
