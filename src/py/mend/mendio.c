/*
 * io: what Python code is given of a buffer is a copy, and no stream is made again or taken apart
 * while a call goes on in it.
 *
 * A BufferedReader gives its raw stream's readinto() a memoryview of its own buffer, which can be
 * kept until after the buffer is gone; a BufferedWriter gives one to write(). So a raw stream that
 * may be of Python's is put into a stand-in, which passes a copy on. Nobody sees the stand-in:
 * "raw" and detach_raw() answer with what is in it.
 */
#include "py/mend/mend.h"

#include <string.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <structmember.h> /* PyMemberDef, before 3.12 */
#pragma GCC diagnostic pop

/* ---- the stand-in for a raw stream ---- */

typedef struct standin {
    PyObject_HEAD
    PyObject *raw;
    PyObject *owner; /* the buffered stream that calls; borrowed */
} standin;

static int standin_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((standin *)self)->raw);
    return 0;
}

static int standin_clear(PyObject *self)
{
    Py_CLEAR(((standin *)self)->raw);
    return 0;
}

static void standin_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    standin_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

/* Calls the raw stream; its stream is in use meanwhile. One that is being freed calls close(), and
 * must not be kept. */
static PyObject *call_raw(PyObject *self, const char *name, PyObject *args)
{
    standin *s = (standin *)self;
    PyObject *raw = Py_NewRef(s->raw ? s->raw : Py_None);
    PyObject *method = PyObject_GetAttrString(raw, name), *answer = NULL;
    int is_alive = s->owner && Py_REFCNT(s->owner) > 0;
    mend_use use;

    if (is_alive)
        mend_begin(&use, s->owner);
    if (method)
        answer = PyObject_CallObject(method, args);
    if (is_alive)
        mend_end(&use);
    Py_XDECREF(method);
    Py_DECREF(raw);
    return answer;
}

static PyObject *call_with_view(PyObject *self, const char *name, PyObject *copy)
{
    PyObject *given = PyMemoryView_FromObject(copy);
    PyObject *args = given ? PyTuple_Pack(1, given) : NULL;
    PyObject *answer = args ? call_raw(self, name, args) : NULL;
    Py_XDECREF(args);
    Py_XDECREF(given);
    return answer;
}

/* As many bytes as it says, and both have: the copy may have been made smaller. */
static int copy_back(const Py_buffer *view, PyObject *copy, PyObject *answer)
{
    Py_ssize_t wanted = answer == Py_None ? 0 : PyNumber_AsSsize_t(answer, NULL);
    if (wanted == -1 && PyErr_Occurred())
        return -1;

    Py_ssize_t has = PyByteArray_GET_SIZE(copy);
    Py_ssize_t count = Py_MIN(wanted, Py_MIN(has, view->len));
    if (count > 0)
        memcpy(view->buf, PyByteArray_AS_STRING(copy), (size_t)count);
    return 0;
}

static PyObject *standin_readinto(PyObject *self, PyObject *buffer)
{
    Py_buffer view;

    if (PyObject_GetBuffer(buffer, &view, PyBUF_WRITABLE) != 0)
        return NULL;
    PyObject *answer = NULL, *copy = PyByteArray_FromStringAndSize(NULL, view.len);
    if (!copy)
        goto done;

    memset(PyByteArray_AS_STRING(copy), 0, (size_t)view.len);
    answer = call_with_view(self, "readinto", copy);
    if (answer && PyIndex_Check(answer))
        Py_SETREF(answer, PyNumber_Index(answer));
    int is_count = answer && (answer == Py_None || PyLong_Check(answer));
    if (is_count && copy_back(&view, copy, answer) != 0)
        Py_CLEAR(answer);

done:
    Py_XDECREF(copy);
    PyBuffer_Release(&view);
    return answer;
}

static PyObject *standin_write(PyObject *self, PyObject *buffer)
{
    PyObject *copy = PyBytes_FromObject(buffer);
    if (!copy)
        return NULL;
    PyObject *answer = call_with_view(self, "write", copy);
    Py_DECREF(copy);
    return answer;
}

#define PASSED_ON(X) X(close) X(flush) X(seek) X(tell) X(truncate)
#define PASS_ON(name)                                               \
    static PyObject *standin_##name(PyObject *self, PyObject *args) \
    {                                                               \
        return call_raw(self, #name, args);                         \
    }
PASSED_ON(PASS_ON)

#define PASSED_ON_ROW(name) { #name, standin_##name, METH_VARARGS, NULL },
static PyMethodDef standin_methods[] = {
    PASSED_ON(PASSED_ON_ROW){ "readinto", standin_readinto, METH_O, NULL },
    { "write", standin_write, METH_O, NULL },
    { 0 },
};

/* All else is asked of the raw stream. */
static PyObject *standin_getattr(PyObject *self, PyObject *name)
{
    for (PyMethodDef *method = standin_methods; method->ml_name; method++)
        if (PyUnicode_CompareWithASCIIString(name, method->ml_name) == 0)
            return PyObject_GenericGetAttr(self, name);
    PyObject *raw = Py_XNewRef(((standin *)self)->raw);
    PyObject *value = raw ? PyObject_GetAttr(raw, name) : NULL;
    Py_XDECREF(raw);
    return value;
}

static PyType_Spec standin_spec = {
    .name = "_io.raw",
    .basicsize = sizeof(standin),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE |
             Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots =
        (PyType_Slot[]){
            { Py_tp_dealloc, standin_dealloc },
            { Py_tp_traverse, standin_traverse },
            { Py_tp_clear, standin_clear },
            { Py_tp_getattro, standin_getattr },
            { Py_tp_methods, standin_methods },
            { 0 },
        },
};

static int is_standin(PyObject *object)
{
    return object && Py_TYPE(object)->tp_getattro == standin_getattr;
}

static PyObject *standin_new(interp *in, PyObject *raw, PyObject *owner)
{
    PyTypeObject *type = (PyTypeObject *)in->raw_type;
    if (!type) { /* the interpreter is ending */
        PyErr_SetString(PyExc_RuntimeError, "no stream can be opened any more");
        return NULL;
    }

    standin *made = (standin *)type->tp_alloc(type, 0);
    if (made) {
        made->raw = Py_NewRef(raw);
        made->owner = owner;
    }

    return (PyObject *)made;
}

/* ---- buffered streams ---- */

/* In each of them at the same place. */
static _Atomic(Py_ssize_t) raw_offset;

/* Borrowed, or NULL. */
static PyObject *raw_of(PyObject *self)
{
    Py_ssize_t offset = atomic_load_explicit(&raw_offset, memory_order_relaxed);
    return offset > 0 ? *(PyObject **)((char *)self + offset) : NULL;
}

/* A new reference to what the guest may see. */
static PyObject *shown_raw(PyObject *raw)
{
    PyObject *inside = is_standin(raw) ? ((standin *)raw)->raw : raw;
    return Py_NewRef(inside ? inside : Py_None);
}

static PyObject *get_raw(PyObject *self, void *closure)
{
    (void)closure;
    return shown_raw(raw_of(self));
}

static PyGetSetDef raw_attribute = { "raw", get_raw, NULL, NULL, NULL };

/* Those are CPython's own, and keep nothing. */
static int is_own_file(PyObject *raw)
{
    PyTypeObject *type = Py_TYPE(raw);
    return strcmp(type->tp_name, "_io.FileIO") == 0 &&
           (!PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) ||
            PyType_HasFeature(type, Py_TPFLAGS_IMMUTABLETYPE));
}

static PyObject *args_with(PyObject *args, PyObject *first)
{
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    PyObject *made = PyTuple_New(count);
    for (Py_ssize_t i = 0; made && i < count; i++)
        PyTuple_SET_ITEM(made, i, Py_NewRef(i == 0 ? first : PyTuple_GET_ITEM(args, i)));
    return made;
}

static PyObject *keywords_with(PyObject *keywords, PyObject *raw)
{
    PyObject *made = PyDict_Copy(keywords);
    if (made && PyDict_SetItemString(made, "raw", raw) != 0)
        Py_CLEAR(made);
    return made;
}

/* The raw stream is the first argument, or the one of that name. */
static int init_with_standin(initproc original, PyObject *self, PyObject *args, PyObject *keywords,
                             PyObject *raw)
{
    int answer = -1;
    PyObject *inside = standin_new(interp_current, raw, self);
    if (!inside)
        return -1;

    if (PyTuple_GET_SIZE(args) > 0) {
        PyObject *given = args_with(args, inside);
        if (given)
            answer = original(self, given, keywords);
        Py_XDECREF(given);
    } else {
        PyObject *named = keywords_with(keywords, inside);
        if (named)
            answer = original(self, args, named);
        Py_XDECREF(named);
    }

    Py_DECREF(inside);
    return answer;
}

static int init_buffered(PyObject *self, PyObject *args, PyObject *keywords,
                         _Atomic(mend_function) *original)
{
    initproc init = (initproc)atomic_load_explicit(original, memory_order_relaxed);
    PyObject *raw = NULL;

    if (PyTuple_GET_SIZE(args) > 0)
        raw = PyTuple_GET_ITEM(args, 0);
    else if (keywords)
        raw = PyDict_GetItemString(keywords, "raw"); /* borrowed */

    if (mend_refuse(self) != 0)
        return -1;
    if (!interp_current || !raw || is_own_file(raw))
        return init(self, args, keywords);
    return init_with_standin(init, self, args, keywords, raw);
}

static mend_method detach_buffered[1];

static PyObject *detach_raw(MEND_PARAMETERS)
{
    if (mend_refuse(self) != 0)
        return NULL;
    PyObject *raw = MEND_ORIGINAL(&detach_buffered[0])(MEND_ARGUMENTS);
    if (raw)
        Py_SETREF(raw, shown_raw(raw));
    return raw;
}

static mend_method detach_buffered[] = {
    { .name = "detach", .ours = (PyCFunction)(mend_function)detach_raw },
};

/* ---- raw streams of Python's ---- */

static mend_method read_raw[1];

/* The original takes readinto()'s word for how much there is in the bytearray it gave. */
static PyObject *read_some(PyObject *self, Py_ssize_t wanted)
{
    PyObject *got = NULL, *answer = NULL;
    PyObject *bytes = PyByteArray_FromStringAndSize(NULL, wanted);
    if (!bytes)
        return NULL;

    memset(PyByteArray_AS_STRING(bytes), 0, (size_t)wanted);
    got = PyObject_CallMethod(self, "readinto", "O", bytes);
    if (!got)
        goto done;
    if (got == Py_None) {
        answer = Py_NewRef(Py_None);
        goto done;
    }

    Py_ssize_t count = PyNumber_AsSsize_t(got, PyExc_ValueError);
    if (PyErr_Occurred())
        goto done;

    if (count < 0 || count > PyByteArray_GET_SIZE(bytes))
        PyErr_Format(PyExc_ValueError, "readinto returned %zd outside buffer size %zd", count,
                     PyByteArray_GET_SIZE(bytes));
    else
        answer = PyBytes_FromStringAndSize(PyByteArray_AS_STRING(bytes), count);

done:
    Py_XDECREF(got);
    Py_DECREF(bytes);
    return answer;
}

static PyObject *raw_read(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    Py_ssize_t wanted = -1;
    int has_size = count == 1 && args[0] != Py_None;

    if (count > 1 || (has_size && !PyIndex_Check(args[0]))) {
        mend_function original = (mend_function)atomic_load(&read_raw[0].original);
        return ((_PyCFunctionFast)original)(self, args, count);
    }

    if (has_size)
        wanted = PyNumber_AsSsize_t(args[0], PyExc_OverflowError);
    if (wanted == -1 && PyErr_Occurred())
        return NULL;
    if (wanted < 0)
        return PyObject_CallMethod(self, "readall", NULL);
    return read_some(self, wanted);
}

static mend_method read_raw[] = {
    { .name = "read", .ours = (PyCFunction)(mend_function)raw_read },
};

/* ---- text ---- */

/* Between its calls of a stream and of a decoder of Python's it keeps pointers to what it has. */
#define OF_TEXT(X) \
    X(close)       \
    X(flush)       \
    X(read)        \
    X(readline)    \
    X(seek)        \
    X(tell)        \
    X(truncate)    \
    X(write)
#define NUMBER(name) NUMBER_##name,
enum { OF_TEXT(NUMBER) NUMBER_detach, NUMBER_reconfigure, TEXT_METHODS };
static mend_method of_text[TEXT_METHODS];
static _Atomic(mend_function) init_text, next_text;

#define USED(name)                                                                 \
    static PyObject *text_##name(MEND_PARAMETERS)                                  \
    {                                                                              \
        mend_use use;                                                              \
        mend_begin(&use, self);                                                    \
        PyObject *answer = MEND_ORIGINAL(&of_text[NUMBER_##name])(MEND_ARGUMENTS); \
        mend_end(&use);                                                            \
        return answer;                                                             \
    }
OF_TEXT(USED)

static _Atomic(Py_ssize_t) buffer_offset;

/* Also for the stream below, which is taken out of this one, and may be freed. */
static int refuse_text(PyObject *self)
{
    Py_ssize_t offset = atomic_load_explicit(&buffer_offset, memory_order_relaxed);
    PyObject *below = offset > 0 ? *(PyObject **)((char *)self + offset) : NULL;
    if (mend_refuse(self) != 0)
        return -1;
    return below ? mend_refuse(below) : 0;
}

static PyObject *text_detach(MEND_PARAMETERS)
{
    if (refuse_text(self) != 0)
        return NULL;
    return MEND_ORIGINAL(&of_text[NUMBER_detach])(MEND_ARGUMENTS);
}

#if PYTHON_RECONFIGURE_TRUSTS_TEXTS
/* The original looks into whatever it is given as into a str. */
static int are_texts(PyObject *const *values, PyObject *names)
{
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); i++) {
        const char *name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i));
        if (!name)
            return 0;
        if ((strcmp(name, "encoding") == 0 || strcmp(name, "errors") == 0) &&
            values[i] != Py_None && !PyUnicode_Check(values[i])) {
            PyErr_Format(PyExc_TypeError, "%s must be str or None, not %.100s", name,
                         Py_TYPE(values[i])->tp_name);
            return 0;
        }
    }
    return 1;
}
#endif

static PyObject *text_reconfigure(MEND_PARAMETERS)
{
    if (refuse_text(self) != 0)
        return NULL;
#if PYTHON_RECONFIGURE_TRUSTS_TEXTS
    if (!are_texts((PyObject *const *)a + (Py_ssize_t)(intptr_t)b, c))
        return NULL;
#endif
    return MEND_ORIGINAL(&of_text[NUMBER_reconfigure])(MEND_ARGUMENTS);
}

#define TEXT_ROW(method) \
    [NUMBER_##method] = { .name = #method, .ours = (PyCFunction)(mend_function)text_##method },
static mend_method of_text[TEXT_METHODS] = { OF_TEXT(TEXT_ROW) TEXT_ROW(detach)
                                                 TEXT_ROW(reconfigure) };

static int text_init(PyObject *self, PyObject *args, PyObject *keywords)
{
    initproc original = (initproc)atomic_load(&init_text);
    if (refuse_text(self) != 0)
        return -1;
    return original(self, args, keywords);
}

static PyObject *text_next(PyObject *self)
{
    mend_use use;
    mend_begin(&use, self);
    PyObject *line = ((iternextfunc)atomic_load_explicit(&next_text, memory_order_relaxed))(self);
    mend_end(&use);
    return line;
}

/* ---- the module ---- */

static mend_function *place_of_init(PyTypeObject *type)
{
    return (mend_function *)(void *)&type->tp_init;
}

static mend_function *place_of_next(PyTypeObject *type)
{
    return (mend_function *)(void *)&type->tp_iternext;
}

#define BUFFERED(X)   \
    X(BufferedRandom) \
    X(BufferedReader) \
    X(BufferedWriter)
#define INIT(name)                                                             \
    static _Atomic(mend_function) original_##name;                             \
    static int init_##name(PyObject *self, PyObject *args, PyObject *keywords) \
    {                                                                          \
        return init_buffered(self, args, keywords, &original_##name);          \
    }
BUFFERED(INIT)

static const struct {
    const char *name, *full_name;
    mend_function init;
    _Atomic(mend_function) *original;
} buffered[] = {
#define BUFFERED_ROW(name) { #name, "_io." #name, (mend_function)init_##name, &original_##name },
    BUFFERED(BUFFERED_ROW)
};

/* 0 where it is done already, too. */
static int hide_raw(PyTypeObject *type)
{
    int error = 0;
    PyObject *dict = python_type_dict(type);
    if (!dict)
        return -1;

    PyObject *found = PyDict_GetItemString(dict, "raw"); /* borrowed */
    if (found && Py_IS_TYPE(found, &PyMemberDescr_Type)) {
        atomic_store(&raw_offset, ((PyMemberDescrObject *)found)->d_member->offset);
        PyObject *made = PyDescr_NewGetSet(type, &raw_attribute);
        error = made ? PyDict_SetItemString(dict, "raw", made) : -1;
        Py_XDECREF(made);
        PyType_Modified(type);
    }

    Py_DECREF(dict);
    return error;
}

static int mend_buffered(PyObject *module)
{
    for (size_t i = 0; i < sizeof buffered / sizeof *buffered; i++) {
        PyTypeObject *type = mend_type(module, buffered[i].name, buffered[i].full_name);
        if (!type)
            continue;
        if (hide_raw(type) != 0 ||
            mend_slots(type, place_of_init, buffered[i].init, buffered[i].original) != 0)
            return -1;
        mend_methods(type, detach_buffered, 1);
    }
    return 0;
}

static int find_buffer(PyTypeObject *type)
{
    PyObject *dict = python_type_dict(type);
    if (!dict)
        return -1;

    PyObject *found = PyDict_GetItemString(dict, "buffer"); /* borrowed */
    if (found && Py_IS_TYPE(found, &PyMemberDescr_Type))
        atomic_store(&buffer_offset, ((PyMemberDescrObject *)found)->d_member->offset);
    Py_DECREF(dict);
    return 0;
}

static int mend_text(PyObject *module)
{
    PyTypeObject *type = mend_type(module, "TextIOWrapper", "_io.TextIOWrapper");
    if (!type)
        return 0;

    if (find_buffer(type) != 0)
        return -1;
    mend_methods(type, of_text, TEXT_METHODS);
    if (mend_slots(type, place_of_init, (mend_function)text_init, &init_text) != 0)
        return -1;
    return mend_slots(type, place_of_next, (mend_function)text_next, &next_text);
}

int mend_io(interp *in, PyObject *module)
{
    PyTypeObject *raw = mend_type(module, "_RawIOBase", "_io._RawIOBase");

    if (raw)
        mend_methods(raw, read_raw, 1);
    if (!in->raw_type)
        in->raw_type = PyType_FromSpec(&standin_spec);
    if (!in->raw_type)
        return -1;
    if (mend_buffered(module) != 0 || mend_text(module) != 0 || mend_init(in, module) != 0)
        return -1;
    return mend_bytesio(module);
}
