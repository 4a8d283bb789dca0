/*
 * show.h - a value as a notebook shows it: text, and what it says of itself in other MIME
 * types. The caller holds the interpreter; code of the guest's runs (__repr__, _repr_html_).
 */
#ifndef SNUG_PY_SHOW_H
#define SNUG_PY_SHOW_H

#include "capture/display.h"
#include "py/core/state.h"

/* The text of value: its repr where that is short and plain, else as frozen/pretty.py has
 * it. At most max_bytes: longer ones lose their middle. 0, or -1 with an exception. */
int show_text(str *out, interp *in, PyObject *value, uint64_t max_bytes);
/* What else the value shows, without its text; *out NULL if it is nothing, or if the displays of
 * the cell have no room for it: then it is counted as left out. *is_shown: it has displayed itself
 * (_ipython_display_). 0, or -1 with an exception. */
int show_rich(display **out, int *is_shown, interp *in, PyObject *value);

/* A bundle as frozen/display.py makes it, a list of (type, data, is JSON), and a dict of
 * metadata. *bytes is what it counts as a display. Beyond max_bytes nothing is copied: then *bytes
 * is more, if not always all, and what is answered is not whole. NULL with an exception. */
display *show_bundle(uint64_t *bytes, PyObject *list, PyObject *metadata, uint64_t max_bytes);

#endif
