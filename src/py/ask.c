/*
 * Questions to an interpreter that are no cells: a prompt's, and a scan's.
 */
#include <stdlib.h>

#include "base/error.h"
#include "py/describe.h"
#include "py/gate.h"
#include "py/names.h"
#include "py/runtime.h"
#include "py/scan.h"
#include "py/state.h"
#include "py/value.h"

/* ---- for prompts --------------------------------------------------------- */

typedef struct question {
    interp *in;
    const char *source;
    size_t len, cursor;
    const char **modules;
    name_list *names;
    int answer;
} question;

static int ask(question *q, void (*fn)(void *arg))
{
    guard_end end;
    int number;
    int error = interp_guarded(q->in, fn, q, &end, &number);
    return error ? error : q->answer;
}

static void is_complete(void *arg)
{
    question *q = arg;
    q->answer = describe_is_complete(q->source, q->len, q->in->compiler_flags);
    PyErr_Clear();
}

int interp_is_complete(interp *in, const char *source, size_t len)
{
    question q = { .in = in, .source = source, .len = len };
    return ask(&q, is_complete);
}

/* The guest's __getattr__, properties and __dir__ run. */
static void complete(void *arg)
{
    question *q = arg;
    q->answer = describe_complete(q->names, q->in->main, q->modules, q->source, q->len, q->cursor);
    PyErr_Clear();
}

int interp_complete(struct name_list *out, interp *in, const char *source, size_t len,
                    size_t cursor)
{
    size_t count = allowlist_count(in->options.modules);
    const char **modules = calloc(count + 1, sizeof *modules);
    if (!modules)
        return error_no_memory();
    for (size_t i = 0; i < count; i++)
        modules[i] = allowlist_name(in->options.modules, i);
    question q = { in, source, len, cursor, modules, out, 0 };
    int error = ask(&q, complete);
    free(modules);
    return error;
}

/* ---- for people ---------------------------------------------------------- */

enum { MOST_DESCRIPTION_BYTES = 16 * 1024 * 1024 };

typedef struct description {
    interp *in;
    str *out;
    const char *function, *argument;
    int error;
} description;

/* Takes the exception that is set. */
static int tell_failure(const interp *in)
{
    char why[ERROR_MESSAGE_BYTES];
    int error = interp_tell_stop(in);
    if (!error)
        return interp_python_error("the session could not answer");
    strcpy(why, error_message());
    return error_set(error, "the answer of the session %s", why);
}

static void describe(void *arg)
{
    description *d = arg;
    PyObject *module = gate_load(d->in, "_snug_describe");
    PyObject *answer = !module       ? NULL
                       : d->argument ? PyObject_CallMethod(module, d->function, "s", d->argument)
                                     : PyObject_CallMethod(module, d->function, NULL);
    if (!answer || !value_json(d->out, answer, MOST_DESCRIPTION_BYTES))
        d->error = answer ? error_set(SNUG_EPYTHON, "the answer is too large to be told")
                          : tell_failure(d->in);
    Py_XDECREF(answer);
    Py_XDECREF(module);
    PyErr_Clear();
}

int interp_describe(str *out, interp *in, const char *function, const char *argument)
{
    description d = { in, out, function, argument, SNUG_OK };
    guard_end end;
    int number;
    int error = interp_guarded(in, describe, &d, &end, &number);
    return error ? error : d.error;
}

/* ---- for scans ----------------------------------------------------------- */

typedef struct scan {
    scan_findings *out;
    interp *in;
    const allowlist *modules;
    const char *source;
    size_t len;
    uint64_t max_bytes;
    int error;
} scan;

static void judge(void *arg)
{
    scan *s = arg;
    s->in->is_guarded = 0; /* no guest's code runs here, and _snug_scan is in no profile */
    s->error = scan_source(s->out, s->modules, s->source, s->len, s->max_bytes);
}

int interp_scan(struct scan_findings *out, interp *in, const allowlist *modules, const char *source,
                size_t len, uint64_t max_bytes)
{
    guard_end end;
    int number;
    scan s = { out, in, modules, source, len, max_bytes, 0 };
    int error = interp_guarded(in, judge, &s, &end, &number);
    return error ? error : s.error;
}
