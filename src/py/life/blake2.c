/*
 * blake2.c - the module _blake2, for programs: from 3.14 on the archives of libpython that Debian
 * has lack the objects that CPython's is made with. hashlib has no other BLAKE2.
 *
 * The algorithm is RFC 7693, the parameters are those of the BLAKE2 paper, and names, limits and
 * messages are CPython's.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "py/core/python.h"

enum { MOST_BLOCK_BYTES = 128, MOST_DIGEST_BYTES = 64, MOST_SALT_BYTES = 16, MOST_ROUNDS = 12 };

/* What the two differ in. */
typedef struct variant {
    const char *name, *title;
    size_t word_bytes, salt_bytes;
    uint64_t most_node_offset;
} variant;

static const variant variants[] = {
    { "blake2b", "Blake2b", 8, 16, UINT64_MAX },
    { "blake2s", "Blake2s", 4, 8, (UINT64_C(1) << 48) - 1 },
};

static size_t block_bytes(const variant *v)
{
    return 16 * v->word_bytes;
}

static size_t most_digest_bytes(const variant *v)
{
    return 8 * v->word_bytes;
}

typedef struct hash {
    PyObject_HEAD
    const variant *variant;
    union {
        uint64_t b[8];
        uint32_t s[8];
    } chain;
    uint64_t count, count_high; /* bytes; the second is the first's carry */
    unsigned char block[MOST_BLOCK_BYTES];
    size_t filled; /* of the block */
    size_t digest_bytes;
    int is_last_node;
} hash;

/* ---- the algorithm ---- */

static const unsigned char order[MOST_ROUNDS][16] = {
    { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
    { 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3 },
    { 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4 },
    { 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8 },
    { 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13 },
    { 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9 },
    { 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11 },
    { 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10 },
    { 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5 },
    { 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0 },
    { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
    { 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3 },
};

static const uint64_t start_b[8] = {
    UINT64_C(0x6a09e667f3bcc908), UINT64_C(0xbb67ae8584caa73b), UINT64_C(0x3c6ef372fe94f82b),
    UINT64_C(0xa54ff53a5f1d36f1), UINT64_C(0x510e527fade682d1), UINT64_C(0x9b05688c2b3e6c1f),
    UINT64_C(0x1f83d9abfb41bd6b), UINT64_C(0x5be0cd19137e2179),
};

static const uint32_t start_s[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

/* Numbers are little-endian, whatever the machine's are. */
static uint64_t read_number(const unsigned char *bytes, size_t count)
{
    uint64_t number = 0;
    while (count-- > 0)
        number = number << 8 | bytes[count];
    return number;
}

static void write_number(unsigned char *out, uint64_t number, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (unsigned char)(number >> 8 * i);
}

#define ROTATE(word, by, bits) ((word) >> (by) | (word) << ((bits) - (by)))
#define MIX(a, b, c, d, x, y, bits, r1, r2, r3, r4) \
    do {                                            \
        v[a] += v[b] + (x);                         \
        v[d] = ROTATE(v[d] ^ v[a], r1, bits);       \
        v[c] += v[d];                               \
        v[b] = ROTATE(v[b] ^ v[c], r2, bits);       \
        v[a] += v[b] + (y);                         \
        v[d] = ROTATE(v[d] ^ v[a], r3, bits);       \
        v[c] += v[d];                               \
        v[b] = ROTATE(v[b] ^ v[c], r4, bits);       \
    } while (0)

/* A function for each width of words. low and high: the count of bytes. */
#define COMPRESS(function, word, start, bits, rounds, ...)                                        \
    static void function(word *chain, const unsigned char *block, word low, word high, word last, \
                         word last_node)                                                          \
    {                                                                                             \
        word v[16], m[16];                                                                        \
        for (size_t i = 0; i < 16; i++)                                                           \
            m[i] = (word)read_number(block + i * sizeof(word), sizeof(word));                     \
        memcpy(v, chain, 8 * sizeof(word));                                                       \
        memcpy(v + 8, start, 8 * sizeof(word));                                                   \
        v[12] ^= low;                                                                             \
        v[13] ^= high;                                                                            \
        v[14] ^= last;                                                                            \
        v[15] ^= last_node;                                                                       \
        for (size_t round = 0; round < (rounds); round++) {                                       \
            const unsigned char *o = order[round];                                                \
            MIX(0, 4, 8, 12, m[o[0]], m[o[1]], bits, __VA_ARGS__);                                \
            MIX(1, 5, 9, 13, m[o[2]], m[o[3]], bits, __VA_ARGS__);                                \
            MIX(2, 6, 10, 14, m[o[4]], m[o[5]], bits, __VA_ARGS__);                               \
            MIX(3, 7, 11, 15, m[o[6]], m[o[7]], bits, __VA_ARGS__);                               \
            MIX(0, 5, 10, 15, m[o[8]], m[o[9]], bits, __VA_ARGS__);                               \
            MIX(1, 6, 11, 12, m[o[10]], m[o[11]], bits, __VA_ARGS__);                             \
            MIX(2, 7, 8, 13, m[o[12]], m[o[13]], bits, __VA_ARGS__);                              \
            MIX(3, 4, 9, 14, m[o[14]], m[o[15]], bits, __VA_ARGS__);                              \
        }                                                                                         \
        for (size_t i = 0; i < 8; i++)                                                            \
            chain[i] ^= v[i] ^ v[i + 8];                                                          \
    }
COMPRESS(compress_b, uint64_t, start_b, 64, 12, 32, 24, 16, 63)
COMPRESS(compress_s, uint32_t, start_s, 32, 10, 16, 12, 8, 7)

static void take_block(hash *h, const unsigned char *block, size_t bytes, int is_last)
{
    uint64_t last = is_last ? UINT64_MAX : 0,
             last_node = is_last && h->is_last_node ? UINT64_MAX : 0;

    h->count += bytes;
    h->count_high += h->count < bytes;
    if (h->variant->word_bytes == 8)
        compress_b(h->chain.b, block, h->count, h->count_high, last, last_node);
    else
        compress_s(h->chain.s, block, (uint32_t)h->count, (uint32_t)(h->count >> 32),
                   (uint32_t)last, (uint32_t)last_node);
}

/* The last block, which may be a whole one, waits for its end. */
static void take_bytes(hash *h, const unsigned char *bytes, size_t len)
{
    const size_t size = block_bytes(h->variant);

    while (len > 0) {
        if (h->filled == size) {
            take_block(h, h->block, size, 0);
            h->filled = 0;
        }
        for (; h->filled == 0 && len > size; bytes += size, len -= size)
            take_block(h, bytes, size, 0);

        size_t part = size - h->filled < len ? size - h->filled : len;
        memcpy(h->block + h->filled, bytes, part);
        h->filled += part;
        bytes += part;
        len -= part;
    }
}

/* Of a copy, for more may come. */
static void write_digest(unsigned char *out, const hash *h)
{
    hash end = *h;
    unsigned char whole[MOST_DIGEST_BYTES] = { 0 };

    memset(end.block + end.filled, 0, sizeof end.block - end.filled);
    take_block(&end, end.block, end.filled, 1);
    for (size_t i = 0; i < 8; i++)
        write_number(whole + i * h->variant->word_bytes,
                     h->variant->word_bytes == 8 ? end.chain.b[i] : end.chain.s[i],
                     h->variant->word_bytes);
    memcpy(out, whole, h->digest_bytes);
}

/* ---- parameters ---- */

typedef struct parameters {
    int digest_bytes, fanout, depth, node_depth, inner_bytes, is_last_node;
    uint64_t leaf_bytes, node_offset;
    Py_buffer key, salt, person;
} parameters;

static int check_range(int value, int least, int most, const char *message)
{
    if (value >= least && value <= most)
        return 0;
    PyErr_SetString(PyExc_ValueError, message);
    return -1;
}

static int check_length(const Py_buffer *given, size_t most, const char *name)
{
    if ((size_t)given->len <= most)
        return 0;
    PyErr_Format(PyExc_ValueError, "maximum %s length is %zu bytes", name, most);
    return -1;
}

/* What was given as a number that may be large; NULL: zero. */
static int take_number(uint64_t *out, PyObject *given, uint64_t most, const char *name)
{
    if (given && PyLong_Check(given) && PyLong_IsNegative(given)) {
        PyErr_SetString(PyExc_ValueError, "Cannot convert negative int");
        return -1;
    }

    *out = given ? PyLong_AsUnsignedLongLong(given) : 0;
    if (given && *out == UINT64_MAX && PyErr_Occurred())
        return -1;
    if (*out <= most)
        return 0;
    PyErr_Format(PyExc_OverflowError, "%s is too large", name);
    return -1;
}

static int check_parameters(const parameters *p, const variant *v)
{
    int most = (int)most_digest_bytes(v);

    if (p->digest_bytes < 1 || p->digest_bytes > most) {
        PyErr_Format(PyExc_ValueError,
                     "digest_size for %s must be between 1 and %d bytes, here it is %d", v->title,
                     most, p->digest_bytes);
        return -1;
    }
    if (check_length(&p->salt, v->salt_bytes, "salt") != 0 ||
        check_length(&p->person, v->salt_bytes, "person") != 0 ||
        check_length(&p->key, (size_t)most, "key") != 0 ||
        check_range(p->fanout, 0, 255, "fanout must be between 0 and 255") != 0 ||
        check_range(p->depth, 1, 255, "depth must be between 1 and 255") != 0 ||
        check_range(p->node_depth, 0, 255, "node_depth must be between 0 and 255") != 0)
        return -1;
    if (p->inner_bytes >= 0 && p->inner_bytes <= most)
        return 0;
    PyErr_Format(PyExc_ValueError, "inner_size must be between 0 and is %d", most);
    return -1;
}

static void copy_given(unsigned char *out, const Py_buffer *given)
{
    if (given->len > 0)
        memcpy(out, given->buf, (size_t)given->len);
}

/* The block of parameters is as long as a digest. */
static void begin_hash(hash *h, const variant *v, const parameters *p)
{
    unsigned char block[MOST_DIGEST_BYTES] = { 0 };
    size_t size = most_digest_bytes(v);
    size_t offset_bytes = v->word_bytes == 8 ? 8 : 6;

    block[0] = (unsigned char)p->digest_bytes;
    block[1] = (unsigned char)p->key.len;
    block[2] = (unsigned char)p->fanout;
    block[3] = (unsigned char)p->depth;
    write_number(block + 4, p->leaf_bytes, 4);
    write_number(block + 8, p->node_offset, offset_bytes);
    block[8 + offset_bytes] = (unsigned char)p->node_depth;
    block[9 + offset_bytes] = (unsigned char)p->inner_bytes;
    copy_given(block + size - 2 * v->salt_bytes, &p->salt);
    copy_given(block + size - v->salt_bytes, &p->person);

    h->variant = v;
    h->digest_bytes = (size_t)p->digest_bytes;
    h->is_last_node = p->is_last_node;
    for (size_t i = 0; i < 8; i++) {
        uint64_t word = read_number(block + i * v->word_bytes, v->word_bytes);
        if (v->word_bytes == 8)
            h->chain.b[i] = start_b[i] ^ word;
        else
            h->chain.s[i] = start_s[i] ^ (uint32_t)word;
    }

    if (p->key.len > 0) {
        copy_given(h->block, &p->key);
        h->filled = block_bytes(v);
    }
}

/* ---- the types ---- */

static int take_data(hash *h, PyObject *data)
{
    Py_buffer bytes;

    if (PyUnicode_Check(data)) {
        PyErr_SetString(PyExc_TypeError, "Strings must be encoded before hashing");
        return -1;
    }
    if (PyObject_GetBuffer(data, &bytes, PyBUF_SIMPLE) != 0)
        return -1;
    take_bytes(h, bytes.buf, (size_t)bytes.len);
    PyBuffer_Release(&bytes);
    return 0;
}

static PyObject *make_hash(PyTypeObject *type, const variant *v, PyObject *args, PyObject *keywords)
{
    static const char *const names[] = { "data",
                                         "digest_size",
                                         "key",
                                         "salt",
                                         "person",
                                         "fanout",
                                         "depth",
                                         "leaf_size",
                                         "node_offset",
                                         "node_depth",
                                         "inner_size",
                                         "last_node",
                                         "usedforsecurity",
                                         "string",
                                         NULL };
    parameters p = { .digest_bytes = (int)most_digest_bytes(v), .fanout = 1, .depth = 1 };
    PyObject *data = NULL, *text = NULL, *leaf = NULL, *offset = NULL;
    int is_for_security = 1;
    hash *made = NULL;

    if (!PyArg_ParseTupleAndKeywords(
            args, keywords, "|O$iy*y*y*iiOOiippO", (char **)(uintptr_t)names, &data,
            &p.digest_bytes, &p.key, &p.salt, &p.person, &p.fanout, &p.depth, &leaf, &offset,
            &p.node_depth, &p.inner_bytes, &p.is_last_node, &is_for_security, &text))
        goto done;
    if (data && text) {
        PyErr_SetString(PyExc_TypeError,
                        "'data' and 'string' are mutually exclusive and support for 'string' "
                        "keyword parameter is slated for removal in a future version.");
        goto done;
    }
    if (take_number(&p.leaf_bytes, leaf, UINT32_MAX, "leaf_size") != 0 ||
        take_number(&p.node_offset, offset, v->most_node_offset, "node_offset") != 0 ||
        check_parameters(&p, v) != 0 || !(made = (hash *)type->tp_alloc(type, 0)))
        goto done;

    begin_hash(made, v, &p);
    if ((data || text) && take_data(made, data ? data : text) != 0)
        Py_CLEAR(made);

done:
    PyBuffer_Release(&p.key);
    PyBuffer_Release(&p.salt);
    PyBuffer_Release(&p.person);
    return (PyObject *)made;
}

static PyObject *make_b(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    return make_hash(type, &variants[0], args, keywords);
}

static PyObject *make_s(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    return make_hash(type, &variants[1], args, keywords);
}

static void free_hash(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *update(PyObject *self, PyObject *data)
{
    if (take_data((hash *)self, data) != 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *digest(PyObject *self, PyObject *none)
{
    (void)none;
    unsigned char out[MOST_DIGEST_BYTES];
    write_digest(out, (hash *)self);
    return PyBytes_FromStringAndSize((char *)out, (Py_ssize_t)((hash *)self)->digest_bytes);
}

static PyObject *hexdigest(PyObject *self, PyObject *none)
{
    PyObject *bytes = digest(self, none);
    PyObject *text = bytes ? PyObject_CallMethod(bytes, "hex", NULL) : NULL;
    Py_XDECREF(bytes);
    return text;
}

static PyObject *copy(PyObject *self, PyObject *none)
{
    (void)none;
    const hash *h = (hash *)self;
    hash *made = (hash *)Py_TYPE(self)->tp_alloc(Py_TYPE(self), 0);
    if (!made)
        return NULL;

    const size_t head = offsetof(hash, variant);
    memcpy((char *)made + head, (const char *)h + head, sizeof *h - head);
    return (PyObject *)made;
}

static PyObject *get_name(PyObject *self, void *none)
{
    (void)none;
    return PyUnicode_FromString(((hash *)self)->variant->name);
}

static PyObject *get_block_size(PyObject *self, void *none)
{
    (void)none;
    return PyLong_FromSize_t(block_bytes(((hash *)self)->variant));
}

static PyObject *get_digest_size(PyObject *self, void *none)
{
    (void)none;
    return PyLong_FromSize_t(((hash *)self)->digest_bytes);
}

static PyMethodDef methods[] = {
    { "copy", copy, METH_NOARGS, "Return a copy of the hash object." },
    { "digest", digest, METH_NOARGS, "Return the digest value as a bytes object." },
    { "hexdigest", hexdigest, METH_NOARGS,
      "Return the digest value as a string of hexadecimal digits." },
    { "update", update, METH_O,
      "Update this hash object's state with the provided bytes-like object." },
    { NULL, NULL, 0, NULL },
};

static PyGetSetDef getters[] = {
    { "name", get_name, NULL, NULL, NULL },
    { "block_size", get_block_size, NULL, NULL, NULL },
    { "digest_size", get_digest_size, NULL, NULL, NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

#define SLOTS(make)                                                                             \
    {                                                                                           \
        { Py_tp_new, (make) }, { Py_tp_dealloc, free_hash }, { Py_tp_methods, methods },        \
            { Py_tp_getset, getters },                                                          \
            { Py_tp_doc, (void *)(uintptr_t) "Return a new BLAKE2 hash object." }, { 0, NULL }, \
    }
static PyType_Slot slots_b[] = SLOTS(make_b);
static PyType_Slot slots_s[] = SLOTS(make_s);

static PyType_Spec specs[] = {
    { "_blake2.blake2b", sizeof(hash), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, slots_b },
    { "_blake2.blake2s", sizeof(hash), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, slots_s },
};

/* ---- the module ---- */

static int set_size(PyObject *module, PyObject *type, const char *title, const char *name,
                    size_t size)
{
    char full[64];
    PyObject *number = PyLong_FromSize_t(size);
    PyObject *names = ((PyTypeObject *)type)->tp_dict;

    snprintf(full, sizeof full, "%s_%s", title, name);
    int failed = !number || PyDict_SetItemString(names, name, number) != 0 ||
                 PyModule_AddObjectRef(module, full, number) != 0;
    Py_XDECREF(number);
    return failed ? -1 : 0;
}

static int fill_module(PyObject *module)
{
    static const char *const titles[] = { "BLAKE2B", "BLAKE2S" };

    for (size_t i = 0; i < 2; i++) {
        const variant *v = &variants[i];
        PyObject *type = PyType_FromModuleAndSpec(module, &specs[i], NULL);
        int failed =
            !type || PyModule_AddType(module, (PyTypeObject *)type) != 0 ||
            set_size(module, type, titles[i], "SALT_SIZE", v->salt_bytes) != 0 ||
            set_size(module, type, titles[i], "PERSON_SIZE", v->salt_bytes) != 0 ||
            set_size(module, type, titles[i], "MAX_KEY_SIZE", most_digest_bytes(v)) != 0 ||
            set_size(module, type, titles[i], "MAX_DIGEST_SIZE", most_digest_bytes(v)) != 0;
        if (type)
            PyType_Modified((PyTypeObject *)type);
        Py_XDECREF(type);
        if (failed)
            return -1;
    }

    return 0;
}

static PyModuleDef_Slot module_slots[] = {
    { Py_mod_exec, fill_module },
    { Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED },
    { 0, NULL },
};

static PyModuleDef module = { .m_base = PyModuleDef_HEAD_INIT,
                              .m_name = "_blake2",
                              .m_doc = "BLAKE2b and BLAKE2s.",
                              .m_slots = module_slots };

/* As the table of built-in modules has it. */
PyMODINIT_FUNC PyInit__blake2(void);
PyMODINIT_FUNC PyInit__blake2(void)
{
    return PyModuleDef_Init(&module);
}
