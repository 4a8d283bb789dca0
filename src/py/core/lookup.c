/*
 * lookup.c - _Py_dict_lookup, as a position-independent program on 3.11 defines it in libpython's
 * place (py/life/archive.py makes the original weak, and gives it a second name). Where that is not
 * so, nothing of this is linked.
 *
 * Debian's archive for such programs is compiled without a profile: there, each name that a cell
 * reads or sets costs two calls for what the other archive has in one. Most names are interned and
 * stand where they are looked for first. All others are the original's.
 */
#define Py_BUILD_CORE 1 /* for the internal headers: python.h */

#include "py/core/python.h"

extern Py_ssize_t snug_python_dict_lookup(PyDictObject *dict, PyObject *key, Py_hash_t hash,
                                          PyObject **value);

/* Tables of less than that have indices of one byte. */
enum { LOG2_OF_SHORT = 8 };

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): CPython's say nothing. */
Py_ssize_t _Py_dict_lookup(PyDictObject *dict, PyObject *key, Py_hash_t hash, PyObject **value)
{
    PyDictKeysObject *keys = dict->ma_keys;
    if (!DK_IS_UNICODE(keys) || keys->dk_log2_size >= LOG2_OF_SHORT || !PyUnicode_CheckExact(key))
        return snug_python_dict_lookup(dict, key, hash, value);

    size_t first = (size_t)hash & (((size_t)1 << keys->dk_log2_size) - 1);
    Py_ssize_t at = ((const int8_t *)keys->dk_indices)[first];
    if (at < 0)
        return snug_python_dict_lookup(dict, key, hash, value);

    PyDictUnicodeEntry *entry = &DK_UNICODE_ENTRIES(keys)[at];
    if (entry->me_key != key)
        return snug_python_dict_lookup(dict, key, hash, value);

    if (keys->dk_kind == DICT_KEYS_SPLIT)
        *value = dict->ma_values->values[at];
    else
        *value = entry->me_value;
    return at;
}
