#define Py_BUILD_CORE 1 /* for the internal headers: python.h */

#include "py/shared/shared_values.h"

#include <stdlib.h>
#include <string.h>

#include "py/shared/shared_objects.h"
#include "py/shared/shared_table.h"

static int is_starting;
static common_list new_descriptors;
static common_table *descriptors; /* of a type, by its definition */

/* ---- values ---- */

static void make_immortal(PyObject *object)
{
    if (PyObject_GC_IsTracked(object))
        PyObject_GC_UnTrack(object);
    object->ob_refcnt = PYTHON_IMMORTAL;
}

/* Of others the UTF-8 is made when it is asked for, by the allocator of whoever asks. */
static int is_plain_ascii(PyObject *object)
{
    return PyUnicode_CheckExact(object) && PyUnicode_IS_COMPACT_ASCII(object);
}

/* ---- names ---- */

/* Others may be reading: the table is not made larger, and its lists are whole at any time. */
static int publish_name(_Py_hashtable_t *names, PyObject *name)
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

static int set_name(_Py_hashtable_t *names, PyObject *name)
{
    return _Py_hashtable_set(names, name, name);
}

/* The string is one of the runtime's interned strings then, among which each interpreter looks
 * before it looks among its own; or there is an equal one. It is whole before others see it. */
static void share_name(PyObject *name, int (*add)(_Py_hashtable_t *names, PyObject *name))
{
    _Py_hashtable_t *names = _PyRuntime.cached_objects.interned_strings;
    PyASCIIObject *text = (PyASCIIObject *)name;
    if (text->state.interned == SSTATE_INTERNED_IMMORTAL_STATIC)
        return;

    (void)PyObject_Hash(name);
    make_immortal(name);
    if (text->length < 2 || !names || _Py_hashtable_get(names, name))
        return;

    unsigned before = text->state.interned;
    text->state.interned = SSTATE_INTERNED_IMMORTAL_STATIC;
    text->state.statically_allocated = 1;
    if (add(names, name) != 0) {
        text->state.interned = before & 3U;
        text->state.statically_allocated = 0;
    }
}

static void share_names(int (*add)(_Py_hashtable_t *names, PyObject *name))
{
    PyObject *interned = PyInterpreterState_Get()->cached_objects.interned_strings;
    PyObject *name, *same;
    Py_ssize_t at = 0;
    while (interned && PyDict_Next(interned, &at, &name, &same))
        if (is_plain_ascii(name))
            share_name(name, add);
}

void common_share_names(void)
{
    share_names(publish_name);
}

/* ---- others ---- */

int common_share_value(PyObject *object)
{
    if (object == Py_None || object == Py_Ellipsis || PyBool_Check(object))
        return 1;
    if (is_plain_ascii(object)) {
        share_name(object, publish_name);
        return 1;
    }

    if (PyBytes_CheckExact(object))
        (void)PyObject_Hash(object); /* it keeps it */
    else if (!PyLong_CheckExact(object) && !PyFloat_CheckExact(object))
        return 0;

    make_immortal(object);
    return 1;
}

void common_share_hidden(PyObject *tuple)
{
    make_immortal(tuple);
}

/* ---- texts ---- */

extern PyObject *snug_python_from_string(const char *text);

static common_list new_texts;
static _Thread_local int is_making;

/* What documents types and modules, and lists of names. */
PyObject *PyUnicode_FromString(const char *text)
{
    PyObject *made = snug_python_from_string(text);

    if (__builtin_expect(!is_making && !is_starting, 1))
        return made;
    if (!made || !is_plain_ascii(made))
        return made;
    if (is_starting) {
        common_list_add(&new_texts, NULL, NULL, made);
        return made;
    }

    PyObject *same = _Py_hashtable_get(_PyRuntime.cached_objects.interned_strings, made);
    if (same)
        Py_SETREF(made, Py_NewRef(same));
    return made;
}

/* Those that are in use. */
static void share_texts(void)
{
    for (size_t i = 0; i < new_texts.count; i++) {
        PyObject *text = new_texts.rows[i].object;
        if (Py_REFCNT(text) > 1)
            share_name(text, set_name);
        Py_DECREF(text);
    }
    common_list_free(&new_texts);
}

void common_make_begin(void)
{
    is_making = 1;
}

void common_make_end(void)
{
    is_making = 0;
}

/* ---- descriptors ---- */

extern PyObject *snug_python_new_method(PyTypeObject *type, PyMethodDef *definition);
extern PyObject *snug_python_new_class_method(PyTypeObject *type, PyMethodDef *definition);
extern PyObject *snug_python_new_member(PyTypeObject *type, PyMemberDef *definition);
extern PyObject *snug_python_new_getset(PyTypeObject *type, PyGetSetDef *definition);
extern PyObject *snug_python_new_wrapper(PyTypeObject *type, struct wrapperbase *definition,
                                         void *wrapped);

static PyObject *find_descriptor(PyTypeObject *type, const void *definition)
{
    if (!(type->tp_flags & _Py_TPFLAGS_STATIC_BUILTIN))
        return NULL;
    return common_table_find(descriptors, type, definition);
}

static PyObject *note_descriptor(PyTypeObject *type, const void *definition, PyObject *made)
{
    if (made && is_starting && type->tp_flags & _Py_TPFLAGS_STATIC_BUILTIN)
        common_list_add(&new_descriptors, type, definition, made);
    return made;
}

/* Its qualified name is made when it is asked for; nothing else of it ever changes. */
static int share_descriptor(PyObject *descriptor)
{
    PyObject *name = PyObject_GetAttrString(descriptor, "__qualname__");
    int is_shared = name && common_share_value(name);
    PyErr_Clear();
    Py_XDECREF(name);
    if (is_shared)
        make_immortal(descriptor);
    return is_shared;
}

PyObject *PyDescr_NewMethod(PyTypeObject *type, PyMethodDef *definition)
{
    PyObject *found = find_descriptor(type, definition);
    if (found)
        return found;
    return note_descriptor(type, definition, snug_python_new_method(type, definition));
}

PyObject *PyDescr_NewClassMethod(PyTypeObject *type, PyMethodDef *definition)
{
    PyObject *found = find_descriptor(type, definition);
    if (found)
        return found;
    return note_descriptor(type, definition, snug_python_new_class_method(type, definition));
}

PyObject *PyDescr_NewMember(PyTypeObject *type, PyMemberDef *definition)
{
    PyObject *found = find_descriptor(type, definition);
    if (found)
        return found;
    return note_descriptor(type, definition, snug_python_new_member(type, definition));
}

PyObject *PyDescr_NewGetSet(PyTypeObject *type, PyGetSetDef *definition)
{
    PyObject *found = find_descriptor(type, definition);
    if (found)
        return found;
    return note_descriptor(type, definition, snug_python_new_getset(type, definition));
}

PyObject *PyDescr_NewWrapper(PyTypeObject *type, struct wrapperbase *definition, void *wrapped)
{
    PyObject *found = find_descriptor(type, definition);
    if (found && ((PyWrapperDescrObject *)found)->d_wrapped == wrapped)
        return found;
    return note_descriptor(type, definition, snug_python_new_wrapper(type, definition, wrapped));
}

/* ---- the start ---- */

void common_begin(void)
{
    is_starting = 1;
    common_code_begin();
}

void common_share(void)
{
    is_starting = 0;
    share_names(set_name);
    share_texts();
    common_list shared = { 0 };
    for (size_t i = 0; i < new_descriptors.count; i++) {
        const common_row *r = &new_descriptors.rows[i];
        if (share_descriptor(r->object))
            common_list_add(&shared, r->of, r->which, r->object);
    }

    descriptors = common_table_new(&shared);
    common_list_free(&shared);
    common_list_free(&new_descriptors);
    common_code_share();
}
