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

static int64_t block_bytes(void *block)
{
    return block ? sqlite.xSize(block) : 0;
}

/* Gives back what was paid beyond the block's size; answers the block. */
static void *settle_payment(void *block, int64_t paid)
{
    memory_account *m = payer();
    if (m)
        memory_release(m, paid - block_bytes(block));
    return block;
}

static int charge_payer(int64_t bytes)
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
    if (!charge_payer(bytes))
        return NULL;
    return settle_payment(sqlite.xMalloc(bytes), bytes);
}

static void *sqlite_realloc(void *block, int bytes)
{
    int had = sqlite.xSize(block), more = bytes > had ? bytes - had : 0;
    if (!charge_payer(more))
        return NULL;
    void *grown = sqlite.xRealloc(block, bytes);
    /* Without memory the block is as it was, and paid for. */
    return settle_payment(grown, grown ? (int64_t)had + more : more);
}

static void sqlite_free(void *block)
{
    settle_payment(NULL, block_bytes(block));
    sqlite.xFree(block);
}

/* https://www.sqlite.org/c3ref/c_config_covering_index_scan.html: refused with SQLITE_MISUSE once
 * the library is in use. What the host's threads allocate is passed on, with whatever allocator
 * the host has set. */
void librarymemory_count_sqlite(void *extension)
{
    __typeof__(sqlite3_config) *config;
    *(void **)&config = dlsym(extension, "sqlite3_config");
    if (guard_is_interposed() || sqlite.xMalloc || !config)
        return;
    if (config(SQLITE_CONFIG_GETMALLOC, &sqlite) != SQLITE_OK)
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
static uint64_t keyword_number(const char *name, PyObject *const *args, PyObject *names)
{
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); i++) {
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), name) != 0)
            continue;
        if (!PyLong_Check(args[i]))
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
    uint64_t n = keyword_number("n", values, names), p = keyword_number("p", values, names);
    uint64_t r = keyword_number("r", values, names), blocks, bytes;
    if (__builtin_add_overflow(n, p, &blocks) || __builtin_add_overflow(blocks, 2, &blocks))
        return INT64_MAX;
    if (__builtin_mul_overflow(blocks, r, &bytes) || __builtin_mul_overflow(bytes, 128, &bytes))
        return INT64_MAX;
    return bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes;
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
    if (!definition || !definition->m_methods)
        return 0;

    for (PyMethodDef *method = definition->m_methods; method->ml_name; method++) {
        keyword_function now = (keyword_function)(void (*)(void))method->ml_meth;
        if (strcmp(method->ml_name, "scrypt") != 0 || now == derive_within)
            continue;
        if (method->ml_flags != (METH_FASTCALL | METH_KEYWORDS))
            continue;
        atomic_store(&derive, now);
        __atomic_store_n(&method->ml_meth, (PyCFunction)(void (*)(void))derive_within,
                         __ATOMIC_RELEASE);
    }

    return 0;
}
