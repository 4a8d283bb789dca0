#include "py/codecache.h"

void cell_code_clear(cell_code *code)
{
    Py_CLEAR(code->code);
    Py_CLEAR(code->rebound);
    Py_CLEAR(code->magic);
}

static void release(codecache *cache, codecache_entry *entry)
{
    if (!entry->source)
        return;
    cache->source_bytes -= (size_t)PyUnicode_GET_LENGTH(entry->source);
    Py_CLEAR(entry->source);
    cell_code_clear(&entry->code);
}

codecache_entry *codecache_find(codecache *cache, uint64_t hash, PyObject *source, int flags)
{
    for (size_t i = 0; i < CODECACHE_ENTRIES; i++) {
        codecache_entry *entry = &cache->entries[i];
        if (cache->hashes[i] == hash && entry->source && entry->flags == flags &&
            PyUnicode_Compare(entry->source, source) == 0)
            return entry;
    }
    return NULL;
}

void codecache_add(codecache *cache, uint64_t hash, PyObject *source, int flags, uint64_t number,
                   const cell_code *code)
{
    size_t bytes = (size_t)PyUnicode_GET_LENGTH(source);
    if (bytes > CODECACHE_SOURCE_BYTES / 4)
        return;
    codecache_entry *entry = &cache->entries[cache->next];
    release(cache, entry);
    for (size_t i = 1; cache->source_bytes + bytes > CODECACHE_SOURCE_BYTES; i++)
        release(cache, &cache->entries[(cache->next + i) % CODECACHE_ENTRIES]);
    cache->hashes[cache->next] = hash;
    *entry = (codecache_entry){ .flags = flags, .number = number, .code = *code };
    entry->source = Py_NewRef(source);
    Py_XINCREF(code->code);
    Py_XINCREF(code->rebound);
    Py_XINCREF(code->magic);
    cache->source_bytes += bytes;
    cache->next = (cache->next + 1) % CODECACHE_ENTRIES;
}

void codecache_clear(codecache *cache)
{
    for (size_t i = 0; i < CODECACHE_ENTRIES; i++)
        release(cache, &cache->entries[i]);
}

static void rename_code(PyObject *object, PyObject *filename)
{
    PyCodeObject *code = (PyCodeObject *)object;
    Py_INCREF(filename);
    Py_SETREF(code->co_filename, filename);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_consts); i++) {
        PyObject *constant = PyTuple_GET_ITEM(code->co_consts, i);
        if (PyCode_Check(constant))
            rename_code(constant, filename);
    }
}

void cell_code_rename(cell_code *code, PyObject *filename)
{
    rename_code(code->code, filename);
}
