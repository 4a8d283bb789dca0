#include "py/core/codecache.h"

#include <string.h>

void cell_code_clear(cell_code *code)
{
    Py_CLEAR(code->code);
    Py_CLEAR(code->rebound);
    Py_CLEAR(code->magic);
}

static void release_entry(codecache *cache, codecache_entry *entry)
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

/* Whether the entry's source is these bytes: one that is_as_sent is ASCII, a byte a character. */
static int matches_sent(const codecache_entry *entry, const char *source, size_t len, int flags)
{
    return entry->source && entry->is_as_sent && entry->flags == flags &&
           (size_t)PyUnicode_GET_LENGTH(entry->source) == len &&
           memcmp(PyUnicode_DATA(entry->source), source, len) == 0;
}

codecache_entry *codecache_find_sent(codecache *cache, uint64_t hash, const char *source,
                                     size_t len, int flags)
{
    for (size_t i = 0; i < CODECACHE_ENTRIES; i++)
        if (cache->hashes[i] == hash && matches_sent(&cache->entries[i], source, len, flags))
            return &cache->entries[i];
    return NULL;
}

/* Whether that source was here a while ago; it is from now on. */
static int note_seen(codecache *cache, uint64_t hash)
{
    for (size_t i = 0; i < CODECACHE_ENTRIES; i++)
        if (cache->seen[i] == hash)
            return 1;
    cache->seen[cache->seen_next] = hash;
    cache->seen_next = (cache->seen_next + 1) % CODECACHE_ENTRIES;
    return 0;
}

codecache_entry *codecache_add(codecache *cache, uint64_t hash, PyObject *source, int flags,
                               uint64_t number, const cell_code *code)
{
    size_t bytes = (size_t)PyUnicode_GET_LENGTH(source);
    if (bytes > CODECACHE_SOURCE_BYTES / 4 || !note_seen(cache, hash))
        return NULL;

    codecache_entry *entry = &cache->entries[cache->next];
    release_entry(cache, entry);
    for (size_t i = 1; cache->source_bytes + bytes > CODECACHE_SOURCE_BYTES; i++)
        release_entry(cache, &cache->entries[(cache->next + i) % CODECACHE_ENTRIES]);

    cache->hashes[cache->next] = hash;
    *entry = (codecache_entry){ .flags = flags, .number = number, .code = *code };
    entry->source = Py_NewRef(source);
    Py_XINCREF(code->code);
    Py_XINCREF(code->rebound);
    Py_XINCREF(code->magic);

    cache->source_bytes += bytes;
    cache->next = (cache->next + 1) % CODECACHE_ENTRIES;
    return entry;
}

void codecache_clear(codecache *cache)
{
    for (size_t i = 0; i < CODECACHE_ENTRIES; i++)
        release_entry(cache, &cache->entries[i]);
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
