/*
 * blake2.c - the module _blake2, for programs: from 3.14 on the archives of libpython that Debian
 * has lack the objects that CPython's is made with. hashlib logs an error at its import without it.
 *
 * It makes OpenSSL's hashes, which have neither keys nor other sizes of digests: those are refused.
 */
#include "py/core/python.h"

static PyObject *make_hash(PyObject *arguments, PyObject *named, const char *format,
                           const char *name, Py_ssize_t bytes)
{
    char data_word[] = "data", size_word[] = "digest_size", use_word[] = "usedforsecurity";
    char *words[] = { data_word, size_word, use_word, NULL };
    PyObject *data = NULL, *use = NULL;
    Py_ssize_t wanted = bytes;

    if (!PyArg_ParseTupleAndKeywords(arguments, named, format, words, &data, &wanted, &use))
        return NULL;
    if (wanted != bytes)
        return PyErr_Format(PyExc_ValueError, "digest_size must be %zd in this Python", bytes);
    /* hashlib has imported it, which a cell may not. */
    PyObject *openssl = PyImport_AddModuleRef("_hashlib");
    PyObject *hash = NULL;
    if (openssl && data)
        hash = PyObject_CallMethod(openssl, "new", "sO", name, data);
    else if (openssl)
        hash = PyObject_CallMethod(openssl, "new", "s", name);
    Py_XDECREF(openssl);
    return hash;
}

static PyObject *blake2b(PyObject *module, PyObject *arguments, PyObject *named)
{
    (void)module;
    return make_hash(arguments, named, "|O$nO:blake2b", "blake2b512", 64);
}

static PyObject *blake2s(PyObject *module, PyObject *arguments, PyObject *named)
{
    (void)module;
    return make_hash(arguments, named, "|O$nO:blake2s", "blake2s256", 32);
}

static PyMethodDef functions[] = {
    { "blake2b", (PyCFunction)(void (*)(void))blake2b, METH_VARARGS | METH_KEYWORDS,
      "Return a new BLAKE2b hash object." },
    { "blake2s", (PyCFunction)(void (*)(void))blake2s, METH_VARARGS | METH_KEYWORDS,
      "Return a new BLAKE2s hash object." },
    { NULL, NULL, 0, NULL },
};

static PyModuleDef_Slot slots[] = {
    { Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED },
    { 0, NULL },
};

static PyModuleDef module = { .m_base = PyModuleDef_HEAD_INIT,
                              .m_name = "_blake2",
                              .m_doc = "BLAKE2b and BLAKE2s.",
                              .m_methods = functions,
                              .m_slots = slots };

/* As the table of built-in modules has it. */
PyMODINIT_FUNC PyInit__blake2(void);
PyMODINIT_FUNC PyInit__blake2(void)
{
    return PyModuleDef_Init(&module);
}
