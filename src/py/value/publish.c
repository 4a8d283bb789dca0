#include "py/value/publish.h"

#include <string.h>

#include <snug/snug.h>

#include "py/core/wait.h"
#include "py/guard/gate.h"
#include "py/value/show.h"

enum { TEXT_BYTES = 16 * 1024, MOST_ID_BYTES = 256 };

/* In the place of what is over the limit goes a sentence, if that is not too. */
static int leave_out(capture *output, uint64_t bytes)
{
    output->displays.left_out++;
    display *d = display_new();
    display_part *part = d ? display_add(d, "text/plain") : NULL;
    int error = SNUG_ENOMEM;
    if (part)
        error =
            str_printf(&part->data,
                       "<a display of %llu bytes is left out: display_bytes is %llu for the "
                       "displays of a cell together>",
                       (unsigned long long)bytes, (unsigned long long)output->displays.limit_bytes);

    if (!error && capture_display(output, d) < 0)
        error = SNUG_ENOMEM;
    display_drop(d);
    return error;
}

PyObject *publish_display(PyObject *module, PyObject *args)
{
    interp *in = interp_current;
    PyObject *parts, *metadata;
    const char *id;
    int is_update;

    (void)module;
    if (!PyArg_ParseTuple(args, "OOsp:publish", &parts, &metadata, &id, &is_update))
        return NULL;
    if (strlen(id) > MOST_ID_BYTES)
        return PyErr_Format(PyExc_ValueError, "a display_id has at most %d bytes", MOST_ID_BYTES);

    if (!in)
        Py_RETURN_NONE;
    capture *output = in->options.output;
    if (wait_for_listener(in) != 0)
        return NULL;

    uint64_t bytes, room = capture_room(output, is_update ? id : "");
    display *d = show_bundle(&bytes, parts, metadata, room);
    if (!d)
        return NULL;

    d->is_update = is_update;
    int shown = -1;
    if (str_add(&d->id, id) == SNUG_OK)
        shown = bytes > room ? 0 : capture_display(output, d);
    if (shown == 0 && leave_out(output, bytes))
        shown = -1;
    display_drop(d);
    if (shown < 0)
        return PyErr_NoMemory();
    Py_RETURN_NONE;
}

PyObject *publish_clear(PyObject *module, PyObject *wait)
{
    interp *in = interp_current;
    (void)module;
    if (in && capture_clear(in->options.output, wait == Py_True))
        return PyErr_NoMemory();
    Py_RETURN_NONE;
}

PyObject *publish_text(PyObject *module, PyObject *value)
{
    interp *in = interp_current;
    str text = { 0 };

    (void)module;
    if (!in)
        return PyObject_Repr(value);

    PyObject *answer = NULL;
    if (show_text(&text, in, value, TEXT_BYTES) == 0)
        answer = PyUnicode_DecodeUTF8(str_text(&text), (Py_ssize_t)text.len, NULL);
    str_free(&text);
    return answer;
}

/* ---- builtins ---- */

/* Calls a function of a frozen module, which is loaded at the first call. */
static PyObject *call_frozen(const char *module_name, const char *name, PyObject *args,
                             PyObject *keywords)
{
    interp *in = interp_current;

    if (!in)
        Py_RETURN_NONE;
    PyObject *module = gate_load(in, module_name);
    PyObject *function = module ? PyObject_GetAttrString(module, name) : NULL;
    PyObject *answer = function ? PyObject_Call(function, args, keywords) : NULL;
    Py_XDECREF(function);
    Py_XDECREF(module);
    return answer;
}

static PyObject *display_builtin(PyObject *self, PyObject *args, PyObject *keywords)
{
    (void)self;
    return call_frozen("_snug_display", "display", args, keywords);
}

static PyObject *get_ipython_builtin(PyObject *self, PyObject *args)
{
    (void)self;
    return call_frozen("_snug_ipython", "get_ipython", args, NULL);
}

static PyMethodDef methods[] = {
    { "display", (PyCFunction)(void (*)(void))display_builtin, METH_VARARGS | METH_KEYWORDS,
      "display(*objects, include=None, exclude=None, metadata=None, display_id=None, raw=False)\n\n"
      "Show objects where the notebook shows output, each as it describes itself." },
    { "get_ipython", get_ipython_builtin, METH_VARARGS,
      "get_ipython()\n\nWhat runs magics by call: run_line_magic, run_cell_magic, user_ns." },
};

int publish_install(interp *in)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < sizeof methods / sizeof *methods; i++) {
        PyObject *function = PyCFunction_New(&methods[i], NULL);
        failed = !function || PyDict_SetItemString(in->builtins, methods[i].ml_name, function) != 0;
        Py_XDECREF(function);
    }
    return failed ? -1 : 0;
}
