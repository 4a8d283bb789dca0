#include "py/report/traceback.h"

#include <snug/snug.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/utf8.h"
#include "py/report/message.h"
#include "py/report/report.h"
#include "py/report/stack.h"
#include "py/report/suggest.h"

enum {
    /* traceback.py's */
    MAX_GROUP_WIDTH = 15,
    MAX_GROUP_DEPTH = 10,
    /* Ours: the causes before are left out, with a line that says so. */
    MAX_EXCEPTIONS = 1000,
    VALUE_BYTES = 64 * 1024
};

/* ---- exceptions and what they came from ---- */

/* An exception with its text, and the ones that are shown before or within it. */
typedef struct node {
    PyObject *exc, *text, *notes;         /* owned; text and notes may be NULL */
    struct node *cause, *context, *outer; /* outer: whose cause or context this is */
    struct node **members;                /* of a group */
    size_t member_count;
    int is_group, is_cut; /* is_cut: it has a cause or context that is left out */
    struct node *below;   /* in the list of those to be looked at */
} node;

/* All nodes, for freeing them and for finding exceptions that were met. */
typedef struct forest {
    node **items;
    size_t count, cap;
} forest;

static void forest_free(forest *f)
{
    for (size_t i = 0; i < f->count; i++) {
        Py_XDECREF(f->items[i]->exc);
        Py_XDECREF(f->items[i]->text);
        Py_XDECREF(f->items[i]->notes);
        free(f->items[i]->members);
        free(f->items[i]);
    }
    free(f->items);
}

static int is_known(const forest *f, PyObject *exc)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->items[i]->exc == exc)
            return 1;
    return 0;
}

/* *out stays NULL if there are enough. */
static int add_node(node **out, forest *f, PyObject *exc)
{
    *out = NULL;
    if (f->count == MAX_EXCEPTIONS)
        return SNUG_OK;

    if (array_reserve(&f->items, &f->cap, f->count + 1, sizeof(node *)))
        return SNUG_ENOMEM;

    node *n = calloc(1, sizeof *n);
    if (!n)
        return SNUG_ENOMEM;

    f->items[f->count++] = n;
    n->exc = Py_NewRef(exc);
    n->is_group = PyObject_TypeCheck(exc, (PyTypeObject *)PyExc_BaseExceptionGroup);
    n->text = message_text(exc);
    n->notes = message_notes(exc);
    *out = n;
    return SNUG_OK;
}

/* other: the cause or context of of; owned, may be NULL; is released. */
static int add_outer(node **out, forest *f, node *of, PyObject *other)
{
    int error = SNUG_OK;

    if (other && PyExceptionInstance_Check(other) && !is_known(f, other)) {
        error = add_node(out, f, other);
        if (*out)
            (*out)->outer = of;
        else
            of->is_cut = 1;
    }

    Py_XDECREF(other);
    return error;
}

/* The members of a group; borrowed, NULL for other exceptions. */
static PyObject *members_of(const node *n)
{
    PyObject *all = n->is_group ? ((PyBaseExceptionGroupObject *)n->exc)->excs : NULL;
    return all && PyTuple_Check(all) ? all : NULL;
}

static int add_members(forest *f, node *n)
{
    PyObject *all = members_of(n);
    size_t count = all ? (size_t)PyTuple_GET_SIZE(all) : 0;

    /* A group larger than what is left keeps those that are shown. */
    if (count > MAX_EXCEPTIONS - f->count && count > MAX_GROUP_WIDTH)
        count = MAX_GROUP_WIDTH;
    if (!count)
        return SNUG_OK;
    if (!(n->members = calloc(count, sizeof(node *))))
        return SNUG_ENOMEM;

    for (size_t i = 0; i < count; i++) {
        int error = add_node(&n->members[i], f, PyTuple_GET_ITEM(all, (Py_ssize_t)i));
        if (error || !n->members[i])
            return error;
        n->member_count++;
    }

    return SNUG_OK;
}

static void push_node(node **list, node *n)
{
    if (n) {
        n->below = *list;
        *list = n;
    }
}

/* Finds everything that exc came from and holds, in the order of traceback.py: the
 * order decides which of two places shows an exception that both lead to. */
static int find_chain(forest *f, PyObject *exc)
{
    node *list = NULL, *n;
    int error = add_node(&n, f, exc);

    push_node(&list, n);
    while (!error && (n = list)) {
        list = n->below;
        error = add_outer(&n->cause, f, n, PyException_GetCause(n->exc));
        int has_context = !n->cause && !((PyBaseExceptionObject *)n->exc)->suppress_context;
        if (!error && has_context)
            error = add_outer(&n->context, f, n, PyException_GetContext(n->exc));
        if (!error)
            error = add_members(f, n);
        push_node(&list, n->cause);
        push_node(&list, n->context);
        for (size_t i = 0; i < n->member_count; i++)
            push_node(&list, n->members[i]);
    }

    return error;
}

/* ---- printing ---- */

typedef struct printer {
    report out;
    stack frames;
    int need_close; /* the box of the innermost group whose last member is shown */
} printer;

static const char cause_message[] =
    "\nThe above exception was the direct cause of the following exception:\n\n";
static const char context_message[] =
    "\nDuring handling of the above exception, another exception occurred:\n\n";

static void put_chain(printer *p, node *n);

static void put_group_member(printer *p, const node *group, size_t i, size_t shown, size_t total)
{
    char title[32] = "...", rule[80];

    if (i < shown)
        snprintf(title, sizeof title, "%zu", i + 1);
    const char *edge = i ? "  " : "+-";
    snprintf(rule, sizeof rule, "%s+---------------- %s ----------------\n", edge, title);
    report_rule(&p->out, rule);
    p->out.depth++;
    if (i < shown) {
        put_chain(p, group->members[i]);
    } else {
        report_begin(&p->out, '|');
        report_printf(&p->out, "and %zu more exception%s\n", total - shown,
                      total - shown > 1 ? "s" : "");
    }

    if (p->need_close) {
        report_rule(&p->out, "+------------------------------------\n");
        p->need_close = 0;
    }
    p->out.depth--;
}

static void put_group(printer *p, node *n)
{
    PyObject *all = members_of(n);
    size_t total = all ? (size_t)PyTuple_GET_SIZE(all) : 0;
    size_t shown = n->member_count < MAX_GROUP_WIDTH ? n->member_count : MAX_GROUP_WIDTH;
    size_t count = shown + (total > shown);
    int is_top = p->out.depth == 0;

    p->out.depth += (unsigned)is_top;
    stack_put(&p->out, &p->frames, n->exc, "Exception Group Traceback (most recent call last):\n",
              is_top ? '+' : '|');
    message_put(&p->out, n->exc, n->text, n->notes);
    for (size_t i = 0; i < count; i++) {
        /* A group that is itself the last member closes the box for both. */
        p->need_close = i + 1 == count;
        put_group_member(p, n, i, shown, total);
    }
    p->out.depth -= (unsigned)is_top;
}

static void put_exception(printer *p, node *n)
{
    if (!n->is_group) {
        stack_put(&p->out, &p->frames, n->exc, "Traceback (most recent call last):\n", '|');
        message_put(&p->out, n->exc, n->text, n->notes);
    } else if (p->out.depth > MAX_GROUP_DEPTH) {
        report_begin(&p->out, '|');
        report_printf(&p->out, "... (max_group_depth is %d)\n", MAX_GROUP_DEPTH);
    } else {
        put_group(p, n);
    }
}

/* What n came from, the oldest first, then n. */
static void put_chain(printer *p, node *n)
{
    node *oldest = n;

    while (oldest->cause || oldest->context)
        oldest = oldest->cause ? oldest->cause : oldest->context;
    if (oldest->is_cut) {
        report_begin(&p->out, '|');
        report_add(&p->out, "[earlier exceptions left out]\n\n");
    }

    put_exception(p, oldest);
    while (oldest != n) {
        int is_cause = oldest->outer->cause == oldest;
        oldest = oldest->outer;
        report_begin(&p->out, '|');
        report_add(&p->out, is_cause ? cause_message : context_message);
        put_exception(p, oldest);
    }
}

int traceback_format(str *out, PyObject *exc, const source_lines *lines, size_t max_bytes)
{
    printer p = { .need_close = 0 };
    forest f = { 0 };

    report_init(&p.out, max_bytes);
    stack_init(&p.frames, lines);
    int error = find_chain(&f, exc);
    if (!error) {
        put_chain(&p, f.items[0]);
        error = report_text(&p.out, out);
    }

    forest_free(&f);
    stack_free(&p.frames);
    report_free(&p.out);
    PyErr_Clear();
    return error;
}

/* ---- frames ---- */

static int collect_frame(traceback_frame *out, sourcetext *source, PyTracebackObject *entry,
                         size_t *search_bytes)
{
    PyCodeObject *code = PyFrame_GetCode(entry->tb_frame);
    frame_position position;

    frame_position_of(&position, entry, code, search_bytes);
    out->line = position.line > 0 ? (unsigned)position.line : 0;

    span line = span_strip(sourcetext_line(source, code->co_filename, position.line));
    int error = pytext_append(&out->file, code->co_filename, FRAME_NAME_BYTES);
    if (!error)
        error = pytext_append(&out->function, code->co_name, FRAME_NAME_BYTES);
    if (!error)
        error = str_append(&out->code, line.at, utf8_floor(line.at, line.len, FRAME_NAME_BYTES));

    Py_DECREF(code);
    return error;
}

int traceback_collect(traceback_frames *out, PyObject *exc, const source_lines *lines)
{
    PyTracebackObject *entry = stack_first(exc, lines);
    size_t total = stack_count(entry), half = TRACEBACK_FRAMES / 2;
    size_t search_bytes = FRAME_SEARCH_BYTES;
    sourcetext source;
    int error = SNUG_OK;

    *out = (traceback_frames){ 0 };
    sourcetext_init(&source, lines);
    size_t most = total < TRACEBACK_FRAMES ? total : TRACEBACK_FRAMES;
    if (total && !(out->items = calloc(most, sizeof *out->items)))
        error = SNUG_ENOMEM;
    for (size_t i = 0; !error && entry && out->count < most; i++, entry = stack_next(entry))
        if (total <= TRACEBACK_FRAMES || i < half || i >= total - half)
            error = collect_frame(&out->items[out->count++], &source, entry, &search_bytes);

    Py_XDECREF(entry);
    sourcetext_free(&source);
    if (error)
        traceback_frames_free(out);
    PyErr_Clear();
    return error;
}

void traceback_frames_free(traceback_frames *frames)
{
    for (size_t i = 0; i < frames->count; i++) {
        str_free(&frames->items[i].file);
        str_free(&frames->items[i].function);
        str_free(&frames->items[i].code);
    }
    free(frames->items);
    *frames = (traceback_frames){ 0 };
}

/* ---- values and suggestions ---- */

int traceback_value(str *out, PyObject *exc)
{
    PyObject *holder, *text = message_text(exc);
    report value;

    report_init(&value, VALUE_BYTES);
    report_put(&value, pytext_of(&holder, text));
    int error = report_text(&value, out);
    report_free(&value);
    Py_XDECREF(holder);
    Py_XDECREF(text);
    return error;
}

int traceback_suggestion(str *out, PyObject *exc)
{
    return suggest_name(out, exc);
}
