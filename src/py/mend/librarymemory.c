#include "py/mend/librarymemory.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#define SQLITE_CORE /* the declarations, without macros that take them from a table */
#include <sqlite3ext.h>

#include "limits/guard.h"
#include "limits/memory.h"

static memory_account *payer(void)
{
    return memory_here && memory_here->counts_libraries ? memory_here : NULL;
}

/* ---- SQLite ---- */

/* The exception to "no file-level state": the library is the process's. As it was before ours. */
static sqlite3_mem_methods sqlite;

static void *count(void *block, int64_t paid)
{
    if (payer())
        memory_release(payer(), paid - (block ? sqlite.xSize(block) : 0));
    return block;
}

static int pay(int64_t bytes)
{
    memory_account *m = payer();
    if (!m || memory_charge(m, bytes))
        return 1;
    if (memory_is_hopeless(m) && m->on_hopeless)
        m->on_hopeless(m);
    return 0;
}

static void *sqlite_malloc(int bytes)
{
    return pay(bytes) ? count(sqlite.xMalloc(bytes), bytes) : NULL;
}

static void *sqlite_realloc(void *block, int bytes)
{
    int had = sqlite.xSize(block), more = bytes > had ? bytes - had : 0;
    if (!pay(more))
        return NULL;
    void *grown = sqlite.xRealloc(block, bytes);
    return grown ? count(grown, (int64_t)had + more) : count(NULL, more);
}

static void sqlite_free(void *block)
{
    count(NULL, block ? sqlite.xSize(block) : 0);
    sqlite.xFree(block);
}

/* https://www.sqlite.org/c3ref/c_config_covering_index_scan.html: refused with SQLITE_MISUSE once
 * the library is in use. What the host's threads allocate is passed on, with whatever allocator
 * the host has set. */
void librarymemory_count_sqlite(void *extension)
{
    __typeof__(sqlite3_config) *config;
    *(void **)&config = dlsym(extension, "sqlite3_config");
    if (guard_is_interposed() || sqlite.xMalloc || !config ||
        config(SQLITE_CONFIG_GETMALLOC, &sqlite) != SQLITE_OK)
        return;

    sqlite3_mem_methods ours = sqlite;
    ours.xMalloc = sqlite_malloc;
    ours.xRealloc = sqlite_realloc;
    ours.xFree = sqlite_free;
    config(SQLITE_CONFIG_MALLOC, &ours);
}

/* ---- scrypt ---- */

typedef PyObject *(*keyword_function)(PyObject *self, PyObject *const *args, Py_ssize_t count,
                                      PyObject *names);

/* The same: _hashlib's own. */
static _Atomic(keyword_function) derive;

/* 0 for what the function itself will refuse. */
static uint64_t number(const char *name, PyObject *const *args, PyObject *names)
{
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); i++) {
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), name) != 0 ||
            !PyLong_Check(args[i]))
            continue;
        unsigned long value = PyLong_AsUnsignedLong(args[i]);
        if (!PyErr_Occurred())
            return value;
        PyErr_Clear();
    }
    return 0;
}

/* RFC 7914, section 6, and two blocks that libcrypto works in. */
static int64_t scrypt_bytes(PyObject *const *values, PyObject *names)
{
    uint64_t r = number("r", values, names), all;
    if (__builtin_add_overflow(number("n", values, names), number("p", values, names), &all) ||
        __builtin_add_overflow(all, 2, &all) || __builtin_mul_overflow(all, r, &all) ||
        __builtin_mul_overflow(all, 128, &all) || all > INT64_MAX)
        return INT64_MAX;
    return (int64_t)all;
}

static PyObject *derive_within(PyObject *self, PyObject *const *args, Py_ssize_t count,
                               PyObject *names)
{
    memory_account *m = payer();
    int64_t bytes = m ? scrypt_bytes(args + count, names) : 0;
    if (m && !memory_charge(m, bytes)) {
        PyErr_Format(PyExc_MemoryError,
                     "scrypt with these n, r and p needs %lld MiB, which the session has not left",
                     (long long)(bytes >> 20));
        return NULL;
    }

    /* The interposer charges what libcrypto really takes. */
    if (m && guard_is_interposed())
        memory_release(m, bytes);
    PyObject *key = atomic_load(&derive)(self, args, count, names);
    if (m && !guard_is_interposed())
        memory_release(m, bytes);
    return key;
}

/* In the extension's own table, as sqlite.c does. */
int librarymemory_adopt_hashlib(interp *in, PyObject *module)
{
    (void)in;
    PyModuleDef *definition = PyModule_GetDef(module);
    for (PyMethodDef *method = definition ? definition->m_methods : NULL; method && method->ml_name;
         method++) {
        keyword_function now = (keyword_function)(void (*)(void))method->ml_meth;
        if (strcmp(method->ml_name, "scrypt") != 0 || now == derive_within ||
            method->ml_flags != (METH_FASTCALL | METH_KEYWORDS))
            continue;
        atomic_store(&derive, now);
        __atomic_store_n(&method->ml_meth, (PyCFunction)(void (*)(void))derive_within,
                         __ATOMIC_RELEASE);
    }

    return 0;
}
