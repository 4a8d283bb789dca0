#define Py_BUILD_CORE 1 /* for the internal headers: python.h */

#include "py/shared/shared_values.h"

#include <stdlib.h>
#include <string.h>

#include <marshal.h>
#include <pthread.h>

#include <snug/snug.h>

#include "py/core/home.h"
#include "py/core/librarycode.h"
#include "py/shared/shared_objects.h"
#include "py/shared/shared_table.h"

/* Code itself is each interpreter's: it is specialised as it runs. But it is made from code that
 * the first interpreter has read, with the parts of that, and not read again. */

/* ---- copies ---- */

static int share_part(PyObject *object);

static int share_items(PyObject *of)
{
    PyObject *items = PySequence_List(of);
    int is_shared = items != NULL;
    for (Py_ssize_t i = 0; is_shared && i < PyList_GET_SIZE(items); i++)
        is_shared = share_part(PyList_GET_ITEM(items, i));
    Py_XDECREF(items);
    PyErr_Clear();
    return is_shared;
}

/* Python code gets at all of them but for the names of variables, whose tuple is shared too. */
static int share_code(PyCodeObject *code)
{
    PyObject *bytes = PyCode_GetCode(code); /* which keeps it */
    PyObject *parts[] = { bytes,
                          code->co_filename,
                          code->co_name,
                          code->co_qualname,
                          code->co_linetable,
                          code->co_exceptiontable,
                          code->co_localspluskinds };
    int is_shared = bytes && share_items(code->co_names) && share_items(code->co_consts) &&
                    share_items(code->co_localsplusnames);

    PyErr_Clear();
    for (size_t i = 0; is_shared && i < sizeof parts / sizeof *parts; i++)
        is_shared = common_share_value(parts[i]);
    Py_XDECREF(bytes);
    if (is_shared)
        common_share_hidden(code->co_localsplusnames);
    return is_shared;
}

/* A constant since 3.14. */
static int share_slice(const PySliceObject *slice)
{
    return common_share_value(slice->start) && common_share_value(slice->stop) &&
           common_share_value(slice->step);
}

/* 0: it has a part that can neither be shared nor copied. */
static int share_part(PyObject *object)
{
    if (PyCode_Check(object))
        return share_code((PyCodeObject *)object);
    if (PySlice_Check(object))
        return share_slice((PySliceObject *)object);
    if (PyTuple_CheckExact(object) || PyFrozenSet_CheckExact(object))
        return share_items(object);
    return common_share_value(object);
}

static PyObject *copy_shared_code(const PyCodeObject *of);
static PyObject *copy_part(PyObject *of);

static PyObject *copy_tuple(PyObject *of)
{
    PyObject *made = PyTuple_New(PyTuple_GET_SIZE(of));

    for (Py_ssize_t i = 0; made && i < PyTuple_GET_SIZE(of); i++) {
        PyObject *own = copy_part(PyTuple_GET_ITEM(of, i));
        if (own)
            PyTuple_SET_ITEM(made, i, own);
        else
            Py_CLEAR(made);
    }

    return made;
}

static PyObject *copy_frozenset(PyObject *of)
{
    PyObject *made = PyFrozenSet_New(NULL), *item;
    Py_ssize_t at = 0;
    Py_hash_t hash;

    while (made && _PySet_NextEntry(of, &at, &item, &hash)) {
        PyObject *own = copy_part(item);
        if (!own || PySet_Add(made, own) != 0)
            Py_CLEAR(made);
        Py_XDECREF(own);
    }

    return made;
}

static PyObject *copy_slice(const PySliceObject *of)
{
    return PySlice_New(of->start, of->stop, of->step);
}

static PyObject *copy_part(PyObject *of)
{
    if (PyCode_Check(of))
        return copy_shared_code((PyCodeObject *)of);
    if (PySlice_Check(of))
        return copy_slice((PySliceObject *)of);
    if (PyTuple_CheckExact(of))
        return copy_tuple(of);
    if (PyFrozenSet_CheckExact(of))
        return copy_frozenset(of);
    return of; /* immortal */
}

/* CPython interns the names of variables again, which stores each where it stands already. */
static PyObject *copy_shared_code(const PyCodeObject *of)
{
    PyObject *constants = copy_tuple(of->co_consts), *names = copy_tuple(of->co_names);
    struct _PyCodeConstructor parts = {
        .filename = of->co_filename,
        .name = of->co_name,
        .qualname = of->co_qualname,
        .flags = of->co_flags,
        .code = of->_co_cached->_co_code,
        .firstlineno = of->co_firstlineno,
        .linetable = of->co_linetable,
        .consts = constants,
        .names = names,
        .localsplusnames = of->co_localsplusnames,
        .localspluskinds = of->co_localspluskinds,
        .argcount = of->co_argcount,
        .posonlyargcount = of->co_posonlyargcount,
        .kwonlyargcount = of->co_kwonlyargcount,
        .stacksize = of->co_stacksize,
        .exceptiontable = of->co_exceptiontable,
    };
    PyObject *made = constants && names ? (PyObject *)_PyCode_New(&parts) : NULL;

    Py_XDECREF(constants);
    Py_XDECREF(names);
    return made;
}

/* ---- what is frozen ---- */

static int is_starting;
static common_list read_at_start;
static common_table *frozen; /* by the place and the length of its bytecode */

extern PyObject *snug_python_read_object(const char *bytes, Py_ssize_t len);

PyObject *PyMarshal_ReadObjectFromString(const char *bytes, Py_ssize_t len)
{
    PyObject *known = common_table_find(frozen, bytes, (const void *)len);
    if (known)
        return copy_shared_code((PyCodeObject *)known);
    PyObject *object = snug_python_read_object(bytes, len);
    if (object && is_starting && PyCode_Check(object))
        common_list_add(&read_at_start, bytes, (const void *)len, object);
    return object;
}

void common_code_begin(void)
{
    is_starting = 1;
}

void common_code_share(void)
{
    common_list shared = { 0 };

    is_starting = 0;
    for (size_t i = 0; i < read_at_start.count; i++) {
        const common_row *r = &read_at_start.rows[i];
        if (share_code((PyCodeObject *)r->object))
            common_list_add(&shared, r->of, r->which, r->object);
    }

    frozen = common_table_new(&shared);
    common_list_free(&shared);
    common_list_free(&read_at_start);
}

/* ---- the library ---- */

/* A guest may have any file of the library read: of all there are more than a thousand. */
enum { MOST_MODULES = 400, MOST_AT_ONCE = 50 };

/* All that were noted, read of them so far. What is read does not change. */
static struct {
    pthread_mutex_t lock;
    struct module {
        char *source;
        librarycode_stamp stamp;
        PyObject *code; /* NULL: it cannot be shared */
    } modules[MOST_MODULES];
    size_t count, read;
} library = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Under the lock. */
static const struct module *find_module(const char *source)
{
    for (size_t i = 0; i < library.count; i++)
        if (strcmp(library.modules[i].source, source) == 0)
            return &library.modules[i];
    return NULL;
}

void common_note(const char *source)
{
    pthread_mutex_lock(&library.lock);
    if (frozen && library.count < MOST_MODULES && !find_module(source)) {
        char *copy = strdup(source);
        if (copy)
            library.modules[library.count++].source = copy;
    }
    pthread_mutex_unlock(&library.lock);
}

PyObject *common_code(const char *source)
{
    PyCodeObject *code = NULL;
    librarycode_stamp stamp = { 0 }, now;

    pthread_mutex_lock(&library.lock);
    const struct module *found = find_module(source);
    if (found) {
        code = (PyCodeObject *)found->code;
        stamp = found->stamp;
    }

    pthread_mutex_unlock(&library.lock);

    if (!code || librarycode_take_stamp(&now, source) != 0)
        return NULL;
    if (memcmp(&now, &stamp, sizeof now) != 0)
        return NULL;

    PyObject *made = copy_shared_code(code);
    PyErr_Clear();
    return made;
}

/* The next one that nobody has read yet, and is now the caller's to read; NULL: none. */
static struct module *take_next_module(void)
{
    struct module *next = NULL;

    pthread_mutex_lock(&library.lock);
    if (library.read < library.count)
        next = &library.modules[library.read++];
    pthread_mutex_unlock(&library.lock);
    return next;
}

static void read_module(struct module *module)
{
    librarycode_stamp before, after;

    if (librarycode_take_stamp(&before, module->source) != 0)
        return;

    PyObject *code = librarycode_read_cached(module->source);
    common_share_names();
    int is_same = code && librarycode_take_stamp(&after, module->source) == 0 &&
                  memcmp(&before, &after, sizeof after) == 0;
    if (is_same && share_code((PyCodeObject *)code)) {
        pthread_mutex_lock(&library.lock);
        module->stamp = after;
        module->code = Py_NewRef(code);
        pthread_mutex_unlock(&library.lock);
    }

    Py_XDECREF(code);
}

void common_update(void)
{
    void *saved;
    struct module *next = take_next_module();

    if (next && home_enter_main(&saved) == SNUG_OK) {
        PyGC_Disable();
        for (int i = 1; next; i++) {
            read_module(next);
            next = i < MOST_AT_ONCE ? take_next_module() : NULL;
        }
        home_leave_main(saved);
    }
}
