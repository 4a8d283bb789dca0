#include "py/core/cell_notes.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/utf8.h"
#include "py/core/raised.h"

enum { MOST_DETAIL_BYTES = 500 };

static void note_denial(interp *in, const char *event, const char *detail, size_t len)
{
    if (in->notes.denial_count >= OUTCOME_DENIALS)
        return;
    if (!in->notes.denials)
        in->notes.denials = calloc(OUTCOME_DENIALS, sizeof *in->notes.denials);
    if (!in->notes.denials)
        return;

    outcome_denial *denial = &in->notes.denials[in->notes.denial_count];
    size_t fault = 0;
    if (utf8_check(detail, len, &fault) != UTF8_FINE)
        len = fault;
    if (len > MOST_DETAIL_BYTES)
        len = utf8_floor(detail, len, MOST_DETAIL_BYTES);
    if (str_add(&denial->event, event) != SNUG_OK)
        return;
    if (str_append(&denial->detail, detail, len) == SNUG_OK)
        in->notes.denial_count++;
}

void notes_begin(interp *in)
{
    in->notes.denial_count = 0;
    Py_CLEAR(in->notes.hinted);
    Py_CLEAR(in->notes.streams);
}

void notes_hand_over(outcome *out, interp *in)
{
    out->denials = in->notes.denials;
    out->denial_count = in->notes.denial_count;
    in->notes.denials = NULL;
    in->notes.denial_count = 0;
}

void interp_deny(interp *in, const char *event, const char *detail, size_t len)
{
    pthread_mutex_lock(&in->notes.denying);
    note_denial(in, event, detail, len);
    pthread_mutex_unlock(&in->notes.denying);
}

void interp_hint(interp *in, PyObject *exc, const char *hint)
{
    Py_XSETREF(in->notes.hinted, Py_NewRef(exc));
    str_clear(&in->notes.hint);
    str_add(&in->notes.hint, hint);
}

int interp_python_error(const char *what)
{
    PyObject *exc = raised_take(), *text = NULL;
    const char *utf8 = NULL;

    if (exc)
        text = PyObject_Str(exc);
    if (text)
        utf8 = PyUnicode_AsUTF8(text);
    if (!utf8)
        utf8 = "unknown error";
    else if (!*utf8) /* as of most MemoryErrors */
        utf8 = Py_TYPE(exc)->tp_name;

    int error = error_set(SNUG_EPYTHON, "%s: %s", what, utf8);
    PyErr_Clear();
    Py_XDECREF(text);
    Py_XDECREF(exc);
    return error;
}
