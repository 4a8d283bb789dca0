/* The internal headers want this. */
#define Py_BUILD_CORE 1

#include "py/commonvalues.h"

#include <stdlib.h>
#include <string.h>

#include <marshal.h>
#include <pthread.h>

#include "py/common.h"
#include "py/commontable.h"
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
#include <internal/pycore_object.h>
#pragma GCC diagnostic pop

/* Code itself is each interpreter's: it is specialised as it runs. But it is made from code that
 * the first interpreter has read, with the parts of that, and not read again. */

/* ---- copies --------------------------------------------------------------- */

/* 0: it has a part that is not to be shared. */
static int share_frozenset(PyObject *set)
{
    PyObject *items = PySequence_List(set);
    int is_shared = items != NULL;
    for (Py_ssize_t i = 0; is_shared && i < PyList_GET_SIZE(items); i++)
        is_shared = common_share_value(PyList_GET_ITEM(items, i));
    Py_XDECREF(items);
    PyErr_Clear();
    return is_shared;
}

static int share_code(PyCodeObject *code)
{
    PyObject *bytes = PyCode_GetCode(code); /* which keeps it */
    PyObject *parts[] = { bytes,
                          code->co_filename,
                          code->co_name,
                          code->co_qualname,
                          code->co_names,
                          code->co_linetable,
                          code->co_exceptiontable,
                          code->co_localsplusnames,
                          code->co_localspluskinds };
    int is_shared = bytes != NULL;
    PyErr_Clear();
    for (size_t i = 0; is_shared && i < sizeof parts / sizeof *parts; i++)
        is_shared = common_share_value(parts[i]);
    Py_XDECREF(bytes);
    for (Py_ssize_t i = 0; is_shared && i < PyTuple_GET_SIZE(code->co_consts); i++) {
        PyObject *value = PyTuple_GET_ITEM(code->co_consts, i);
        is_shared = PyCode_Check(value)             ? share_code((PyCodeObject *)value)
                    : PyFrozenSet_CheckExact(value) ? share_frozenset(value)
                                                    : common_share_value(value);
    }
    common_share_value(code->co_consts); /* where it has neither code nor sets */
    return is_shared;
}

static PyObject *copy_code(const PyCodeObject *of);

static PyObject *copy_constants(PyObject *of)
{
    if (_Py_IsImmortal(of))
        return of;
    PyObject *copy = PyTuple_New(PyTuple_GET_SIZE(of));
    for (Py_ssize_t i = 0; copy && i < PyTuple_GET_SIZE(of); i++) {
        PyObject *value = PyTuple_GET_ITEM(of, i);
        PyObject *own = PyCode_Check(value)             ? copy_code((PyCodeObject *)value)
                        : PyFrozenSet_CheckExact(value) ? PyFrozenSet_New(value)
                                                        : value; /* immortal */
        if (own)
            PyTuple_SET_ITEM(copy, i, own);
        else
            Py_CLEAR(copy);
    }
    return copy;
}

/* CPython interns the names again, which stores each where it stands already. */
static PyObject *copy_code(const PyCodeObject *of)
{
    PyObject *constants = copy_constants(of->co_consts);
    struct _PyCodeConstructor parts = {
        .filename = of->co_filename,
        .name = of->co_name,
        .qualname = of->co_qualname,
        .flags = of->co_flags,
        .code = of->_co_cached->_co_code,
        .firstlineno = of->co_firstlineno,
        .linetable = of->co_linetable,
        .consts = constants,
        .names = of->co_names,
        .localsplusnames = of->co_localsplusnames,
        .localspluskinds = of->co_localspluskinds,
        .argcount = of->co_argcount,
        .posonlyargcount = of->co_posonlyargcount,
        .kwonlyargcount = of->co_kwonlyargcount,
        .stacksize = of->co_stacksize,
        .exceptiontable = of->co_exceptiontable,
    };
    PyObject *copy = constants ? (PyObject *)_PyCode_New(&parts) : NULL;
    Py_XDECREF(constants);
    return copy;
}

/* ---- what is frozen -------------------------------------------------------- */

static int is_starting;
static common_list read_at_start;
static common_table *frozen; /* by the place and the length of its bytecode */

extern PyObject *snug_python_read_object(const char *bytes, Py_ssize_t len);

PyObject *PyMarshal_ReadObjectFromString(const char *bytes, Py_ssize_t len)
{
    PyObject *known = common_table_find(frozen, bytes, (const void *)len);
    if (known)
        return copy_code((PyCodeObject *)known);
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

/* ---- the library ---------------------------------------------------------- */

enum { MOST_MODULES = 2000 };

/* All that were noted, read of them so far. What is read does not change. */
static struct {
    pthread_mutex_t lock;
    struct module {
        char *source;
        loader_stamp stamp;
        PyObject *code; /* NULL: it can not be shared */
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
    if (frozen && library.count < MOST_MODULES && !find_module(source) &&
        (library.modules[library.count].source = strdup(source)))
        library.count++;
    pthread_mutex_unlock(&library.lock);
}

PyObject *common_code(const char *source)
{
    PyCodeObject *code = NULL;
    loader_stamp stamp = { 0 }, now;
    pthread_mutex_lock(&library.lock);
    const struct module *found = find_module(source);
    if (found) {
        code = (PyCodeObject *)found->code;
        stamp = found->stamp;
    }
    pthread_mutex_unlock(&library.lock);
    if (!code || loader_take_stamp(&now, source) != 0 || memcmp(&now, &stamp, sizeof now) != 0)
        return NULL;
    PyObject *copy = copy_code(code);
    PyErr_Clear();
    return copy;
}

static struct module *next_module(void)
{
    pthread_mutex_lock(&library.lock);
    struct module *next = library.read < library.count ? &library.modules[library.read++] : NULL;
    pthread_mutex_unlock(&library.lock);
    return next;
}

static void read_module(struct module *module)
{
    loader_stamp before, after;
    if (loader_take_stamp(&before, module->source) != 0)
        return;
    PyObject *code = loader_read_cached(module->source);
    common_share_names();
    if (code && loader_take_stamp(&after, module->source) == 0 &&
        memcmp(&before, &after, sizeof after) == 0 && share_code((PyCodeObject *)code)) {
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
    struct module *next = next_module();
    if (next && runtime_enter_main(&saved) == SNUG_OK) {
        PyGC_Disable();
        for (; next; next = next_module())
            read_module(next);
        runtime_leave_main(saved);
    }
}
