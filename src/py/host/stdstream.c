#include "py/host/stdstream.h"

#include <snug/snug.h>

#include <string.h>

#include "base/utf8.h"
#include "py/core/fixed.h"
#include "py/core/raised.h"
#include "py/core/state.h"
#include "py/core/wait.h"
#include "py/host/tool.h"

typedef struct stdstream {
    PyObject_HEAD
    int which;        /* capture_stream; CAPTURE_STREAMS for stdin */
    int is_binary;    /* sys.stdout.buffer: takes bytes */
    PyObject *buffer; /* the binary twin of a text stream; NULL for the twin itself */
    const char *name;
} stdstream;

/* A character that no more bytes will finish. */
static int give_up_unfinished(interp *in, int which)
{
    if (!in->unfinished[which].len)
        return SNUG_OK;
    in->unfinished[which].len = 0;
    return capture_write(in->options.output, (capture_stream)which, "\xef\xbf\xbd", 3);
}

/* More than a piece waits for the listener only behind what was there before. */
enum { PIECE_BYTES = 64 * 1024 };

/* Without a listener, and with one that keeps up, a text is written in one piece. */
static size_t piece_of(interp *in, const char *text, size_t len)
{
    if (len <= PIECE_BYTES || !in->options.output->on_text)
        return len;
    size_t piece = utf8_floor(text, len, PIECE_BYTES);
    return piece > 0 ? piece : len;
}

static int emit_pieces(stdstream *self, interp *in, const char *text, size_t left)
{
    int error = give_up_unfinished(in, self->which);
    while (!error && left > 0) {
        size_t piece = piece_of(in, text, left);
        if (in->options.output->on_text && wait_for_listener(in) != 0)
            return -1;
        error = capture_write(in->options.output, (capture_stream)self->which, text, piece);
        text += piece;
        left -= piece;
    }

    if (error)
        PyErr_NoMemory();
    return error ? -1 : 0;
}

static int emit_text(stdstream *self, const char *text, Py_ssize_t len)
{
    interp *in = interp_current;
    str fixed = { 0 };

    if (!in)
        return 0;
    int answer = fixed_rewrite(&fixed, in, text, (size_t)len);
    if (answer == 0)
        return emit_pieces(self, in, text, (size_t)len);
    if (answer > 0)
        answer = emit_pieces(self, in, fixed.data, fixed.len);
    else
        PyErr_NoMemory();
    str_free(&fixed);
    return answer;
}

void stdstream_flush(interp *in)
{
    static const char *const names[] = { "stdout", "stderr" };

    if (!in->has_buffer)
        return;
    raised_exception before = raised_set_aside();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        PyObject *object = Py_XNewRef(PySys_GetObject(names[i]));
        if (object && !stdstream_is_output(object))
            Py_XDECREF(PyObject_CallMethod(object, "flush", NULL));
        PyErr_Clear();
        Py_XDECREF(object);
    }
    raised_put_back(before);
}

int stdstream_finish(interp *in)
{
    int error = SNUG_OK;
    for (int i = 0; !error && i < CAPTURE_STREAMS; i++)
        error = give_up_unfinished(in, i);
    return error;
}

/* io.UnsupportedOperation, as other streams raise it. */
static void raise_unsupported(const char *what)
{
    PyObject *io = PyDict_GetItemString(PyImport_GetModuleDict(), "_io"); /* borrowed */
    PyObject *type = io ? PyObject_GetAttrString(io, "UnsupportedOperation") : NULL;
    PyErr_Clear();
    PyErr_SetString(type && PyExceptionClass_Check(type) ? type : PyExc_OSError, what);
    Py_XDECREF(type);
}

static int check_output(stdstream *self)
{
    if (self->which != CAPTURE_STREAMS)
        return 1;
    raise_unsupported("not writable");
    return 0;
}

/* Text that has no UTF-8 (a lone surrogate) is shown escaped, as Python's stderr
 * does, rather than failing a print. */
static int emit_escaped(stdstream *self, PyObject *text)
{
    PyErr_Clear();
    PyObject *bytes = PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
    if (!bytes)
        return -1;
    int answer = emit_text(self, PyBytes_AS_STRING(bytes), PyBytes_GET_SIZE(bytes));
    Py_DECREF(bytes);
    return answer;
}

static PyObject *write_text(stdstream *self, PyObject *text)
{
    Py_ssize_t len;

    if (!PyUnicode_Check(text))
        return PyErr_Format(PyExc_TypeError, "write() argument must be str, not %.100s",
                            Py_TYPE(text)->tp_name);

    int failed;
    const char *utf8 = PyUnicode_AsUTF8AndSize(text, &len);
    if (utf8)
        failed = emit_text(self, utf8, len);
    else
        failed = emit_escaped(self, text);

    if (failed)
        return NULL;
    return PyLong_FromSsize_t(PyUnicode_GET_LENGTH(text));
}

/* The bytes behind the start of a character that an earlier write left; owned. */
static PyObject *join_unfinished(struct unfinished_char *start, const Py_buffer *view)
{
    PyObject *joined = PyBytes_FromStringAndSize(NULL, start->len + view->len);
    if (!joined)
        return NULL;
    memcpy(PyBytes_AS_STRING(joined), start->bytes, (size_t)start->len);
    memcpy(PyBytes_AS_STRING(joined) + start->len, view->buf, (size_t)view->len);
    start->len = 0;
    return joined;
}

/* Writes what is whole; the start of a character at the end waits for the next write. */
static int emit_bytes(stdstream *self, struct unfinished_char *start, const char *bytes,
                      Py_ssize_t len)
{
    /* 3.11 does not set it for a text that is ASCII. */
    Py_ssize_t whole = len, utf8_len = 0;
    PyObject *text = PyUnicode_DecodeUTF8Stateful(bytes, len, "replace", &whole);
    const char *utf8 = text ? PyUnicode_AsUTF8AndSize(text, &utf8_len) : NULL;
    int failed = !utf8 || (utf8_len > 0 && emit_text(self, utf8, utf8_len) != 0);

    Py_XDECREF(text);
    /* An error handler of the guest's may have put other bytes in their place. */
    Py_ssize_t rest = len - whole;
    if (!failed && whole >= 0 && rest > 0 && rest <= (Py_ssize_t)sizeof start->bytes) {
        start->len = (int)rest;
        memcpy(start->bytes, bytes + whole, (size_t)rest);
    }

    return failed ? -1 : 0;
}

static PyObject *write_bytes(stdstream *self, PyObject *bytes)
{
    interp *in = interp_current;
    Py_buffer view;

    if (PyObject_GetBuffer(bytes, &view, PyBUF_SIMPLE) != 0)
        return NULL;
    struct unfinished_char *start = in ? &in->unfinished[self->which] : NULL;
    PyObject *joined = start && start->len ? join_unfinished(start, &view) : NULL;
    int failed = PyErr_Occurred() != NULL;
    if (!failed && joined)
        failed = emit_bytes(self, start, PyBytes_AS_STRING(joined), PyBytes_GET_SIZE(joined));
    else if (!failed && start)
        failed = emit_bytes(self, start, view.buf, view.len);

    Py_ssize_t len = view.len;
    Py_XDECREF(joined);
    PyBuffer_Release(&view);
    if (failed)
        return NULL;
    return PyLong_FromSsize_t(len);
}

static PyObject *stream_write_method(PyObject *object, PyObject *data)
{
    stdstream *self = (stdstream *)object;
    if (!check_output(self))
        return NULL;
    if (self->is_binary)
        return write_bytes(self, data);
    return write_text(self, data);
}

static PyObject *stream_writelines(PyObject *self, PyObject *lines)
{
    PyObject *iterator = PyObject_GetIter(lines), *line;
    if (!iterator)
        return NULL;

    while ((line = PyIter_Next(iterator))) {
        PyObject *written = stream_write_method(self, line);
        Py_DECREF(line);
        if (!written)
            break;
        Py_DECREF(written);
    }

    Py_DECREF(iterator);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *refuse_input(PyObject *object, PyObject *args)
{
    (void)args;
    if (((stdstream *)object)->which != CAPTURE_STREAMS)
        raise_unsupported("not readable");
    else
        PyErr_SetString(PyExc_EOFError, "nobody answers input() in this session: put the value "
                                        "into the code instead");
    return NULL;
}

static PyObject *stream_readline(PyObject *object, PyObject *args)
{
    interp *in = interp_current;
    if (!in || !in->options.has_input || ((stdstream *)object)->which != CAPTURE_STREAMS)
        return refuse_input(object, args);
    return tool_read_line(in);
}

static PyObject *stream_next(PyObject *self)
{
    PyObject *line = stream_readline(self, NULL);
    if (line && PyUnicode_GET_LENGTH(line) == 0)
        Py_CLEAR(line);
    return line;
}

static PyObject *stream_readlines(PyObject *self, PyObject *args)
{
    (void)args;
    return PySequence_List(self);
}

/* All that is left. */
static PyObject *stream_read(PyObject *self, PyObject *args)
{
    PyObject *lines = stream_readlines(self, args), *nothing = PyUnicode_FromString("");
    PyObject *text = lines && nothing ? PyUnicode_Join(nothing, lines) : NULL;
    Py_XDECREF(nothing);
    Py_XDECREF(lines);
    return text;
}

static PyObject *refuse_descriptor(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    raise_unsupported("a session's stream has no file descriptor");
    return NULL;
}

static PyObject *answer_none(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    Py_RETURN_NONE;
}

static PyObject *answer_false(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    Py_RETURN_FALSE;
}

static PyObject *answer_self(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return Py_NewRef(self);
}

static PyObject *stream_writable(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return PyBool_FromLong(((stdstream *)self)->which != CAPTURE_STREAMS);
}

static PyObject *stream_readable(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return PyBool_FromLong(((stdstream *)self)->which == CAPTURE_STREAMS);
}

static PyMethodDef methods[] = {
    { "write", stream_write_method, METH_O, NULL },
    { "writelines", stream_writelines, METH_O, NULL },
    { "flush", answer_none, METH_NOARGS, NULL },
    { "close", answer_none, METH_NOARGS, NULL },
    { "isatty", answer_false, METH_NOARGS, NULL },
    { "seekable", answer_false, METH_NOARGS, NULL },
    { "readable", stream_readable, METH_NOARGS, NULL },
    { "writable", stream_writable, METH_NOARGS, NULL },
    { "fileno", refuse_descriptor, METH_NOARGS, NULL },
    { "reconfigure", (PyCFunction)(void (*)(void))answer_none, METH_VARARGS | METH_KEYWORDS, NULL },
    { "read", stream_read, METH_VARARGS, NULL },
    { "readline", stream_readline, METH_VARARGS, NULL },
    { "readlines", stream_readlines, METH_VARARGS, NULL },
    { "__enter__", answer_self, METH_NOARGS, NULL },
    { "__exit__", answer_none, METH_VARARGS, NULL },
    { NULL },
};

static PyObject *get_constant(PyObject *self, void *value)
{
    (void)self;
    return PyUnicode_FromString(value);
}

static PyObject *get_false(PyObject *self, void *ignored)
{
    (void)self;
    (void)ignored;
    Py_RETURN_FALSE;
}

static PyObject *get_none(PyObject *self, void *ignored)
{
    (void)self;
    (void)ignored;
    Py_RETURN_NONE;
}

static PyObject *get_name(PyObject *self, void *ignored)
{
    (void)ignored;
    return PyUnicode_FromString(((stdstream *)self)->name);
}

static PyObject *get_mode(PyObject *self, void *ignored)
{
    (void)ignored;
    return PyUnicode_FromString(((stdstream *)self)->which == CAPTURE_STREAMS ? "r" : "w");
}

static PyObject *get_buffer(PyObject *self, void *ignored)
{
    (void)ignored;
    PyObject *buffer = ((stdstream *)self)->buffer;
    if (interp_current)
        interp_current->has_buffer = 1;
    return Py_NewRef(buffer ? buffer : self);
}

static char utf8_name[] = "utf-8", escaping[] = "backslashreplace";

static PyGetSetDef attributes[] = {
    { "encoding", get_constant, NULL, NULL, utf8_name },
    { "errors", get_constant, NULL, NULL, escaping },
    { "closed", get_false, NULL, NULL, NULL },
    { "line_buffering", get_false, NULL, NULL, NULL },
    { "newlines", get_none, NULL, NULL, NULL },
    { "name", get_name, NULL, NULL, NULL },
    { "mode", get_mode, NULL, NULL, NULL },
    { "buffer", get_buffer, NULL, NULL, NULL },
    { NULL },
};

static void stream_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    Py_XDECREF(((stdstream *)object)->buffer);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyObject *make_repr(PyObject *object)
{
    return PyUnicode_FromFormat("<session stream %s>", ((stdstream *)object)->name);
}

static PyType_Slot type_slots[] = {
    { Py_tp_dealloc, stream_dealloc },
    { Py_tp_methods, methods },
    { Py_tp_getset, attributes },
    { Py_tp_iter, PyObject_SelfIter },
    { Py_tp_iternext, stream_next },
    { Py_tp_repr, make_repr },
    { 0, NULL },
};

static PyType_Spec type_spec = { "snug.Stream", sizeof(stdstream), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION |
                                     Py_TPFLAGS_IMMUTABLETYPE,
                                 type_slots };

static PyObject *make_stream(PyTypeObject *type, int which, const char *name, int is_binary)
{
    stdstream *self = PyObject_New(stdstream, type);
    if (!self)
        return NULL;

    self->which = which;
    self->is_binary = is_binary;
    self->name = name;
    self->buffer = NULL;
    if (!is_binary) {
        self->buffer = make_stream(type, which, name, 1);
        if (!self->buffer)
            Py_CLEAR(self);
    }

    return (PyObject *)self;
}

int stdstream_is_output(PyObject *object)
{
    /* Guests cannot subclass the type, so its destructor tells it in every interpreter. */
    return Py_TYPE(object)->tp_dealloc == stream_dealloc &&
           ((stdstream *)object)->which != CAPTURE_STREAMS && !((stdstream *)object)->is_binary;
}

int stdstream_emit(PyObject *to, const char *text, size_t len)
{
    return emit_text((stdstream *)to, text, (Py_ssize_t)len);
}

int stdstream_emit_str(PyObject *to, PyObject *text)
{
    PyObject *written = write_text((stdstream *)to, text);
    Py_XDECREF(written);
    return written ? 0 : -1;
}

int stdstream_install(void)
{
    static const struct {
        int which;
        const char *name, *attribute, *original;
    } streams[] = {
        { CAPTURE_STREAMS, "<stdin>", "stdin", "__stdin__" },
        { CAPTURE_STDOUT, "<stdout>", "stdout", "__stdout__" },
        { CAPTURE_STDERR, "<stderr>", "stderr", "__stderr__" },
    };
    PyObject *type = PyType_FromSpec(&type_spec);
    int failed = !type;
    for (size_t i = 0; !failed && i < sizeof streams / sizeof *streams; i++) {
        PyObject *made = make_stream((PyTypeObject *)type, streams[i].which, streams[i].name, 0);
        failed = !made || PySys_SetObject(streams[i].attribute, made) != 0 ||
                 PySys_SetObject(streams[i].original, made) != 0;
        Py_XDECREF(made);
    }

    Py_XDECREF(type);
    return failed ? -1 : 0;
}
