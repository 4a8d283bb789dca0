#include "py/report/traceback.h"

#include <snug/snug.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"
#include "py/report/message.h"
#include "py/report/python_frame.h"
#include "py/report/report.h"
#include "py/report/sourcetext.h"
#include "py/report/suggest.h"

/* ---- stack ---- */

/* The frames of a traceback, as StackSummary formats them.
 *
 * Bounded where Python is not: of more than 4,000 entries the middle is left out, and
 * of more than 20,000 in one report that of each further traceback but 20. In one of more than
 * 40, a line that was shown three times is only counted from then on.
 *
 * The caller holds the interpreter. No exception is left set. */

/* A frame's lines, kept for when the same instruction comes again. */
typedef struct stack_rendered {
    PyCodeObject *code; /* owned */
    int lasti, line;
    str text;
} stack_rendered;

enum { STACK_RENDERED = 8 };

/* What the tracebacks of one report share. */
typedef struct stack {
    const source_lines *lines;
    sourcetext source;
    stack_rendered rendered[STACK_RENDERED];
    size_t next; /* of those, to be replaced */
    size_t entries_left, search_bytes;
} stack;

enum { MAX_ENTRIES = 4000, MAX_ENTRIES_OF_ALL = 20000, MIN_ENTRIES = 20, RECURSIVE_CUTOFF = 3 };
/* A recursion through several places: in a traceback of more than MIN_FOLDED entries each place is
 * shown RECURSIVE_CUTOFF times, too; of more than MAX_PLACES the others are shown as they come. */
enum { MIN_FOLDED = 40, MAX_PLACES = 64 };

static void stack_init(stack *s, const source_lines *lines)
{
    *s = (stack){ .lines = lines,
                  .entries_left = MAX_ENTRIES_OF_ALL,
                  .search_bytes = FRAME_SEARCH_BYTES };
    sourcetext_init(&s->source, lines);
}

static void stack_free(stack *s)
{
    for (size_t i = 0; i < STACK_RENDERED; i++) {
        Py_CLEAR(s->rendered[i].code);
        str_free(&s->rendered[i].text);
    }
    sourcetext_free(&s->source);
}

/* Whether it is of the session's own code in Python, which no cell wrote, or of the importer, which
 * CPython leaves out of most tracebacks; a cell cannot give these names to compile
 * (py/guard/audit.c). */
static int is_hidden_entry(const PyTracebackObject *entry)
{
    static const char importer[] = "<frozen importlib.";
    PyCodeObject *code = PyFrame_GetCode(entry->tb_frame);
    PyObject *name = code->co_filename;
    int is_plain = PyUnicode_CheckExact(name) && PyUnicode_IS_COMPACT_ASCII(name);
    const char *text = is_plain ? PyUnicode_DATA(name) : "";
    int answer =
        strncmp(text, "<snug ", 6) == 0 || strncmp(text, importer, sizeof importer - 1) == 0;
    Py_DECREF(code);
    return answer;
}

/* Takes the reference to entry. */
static PyTracebackObject *skip_hidden(PyTracebackObject *entry)
{
    while (entry && is_hidden_entry(entry)) {
        PyTracebackObject *next = (PyTracebackObject *)Py_XNewRef(entry->tb_next);
        Py_DECREF(entry);
        entry = next;
    }
    return entry;
}

/* The first entry of a cell's code, borrowed, or NULL. */
static PyTracebackObject *first_of_cell(PyTracebackObject *entry, const source_lines *lines)
{
    for (; entry; entry = entry->tb_next) {
        PyCodeObject *code = PyFrame_GetCode(entry->tb_frame);
        int is_cell = lines->is_cell(lines->payload, code->co_filename);
        Py_DECREF(code);
        if (is_cell)
            return entry;
    }
    return NULL;
}

/* The first entry of exc's traceback that is shown; owned, or NULL. */
static PyTracebackObject *stack_first(PyObject *exc, const source_lines *lines)
{
    PyObject *entry = PyException_GetTraceback(exc);
    PyTracebackObject *first = NULL;

    if (!entry || !PyTraceBack_Check(entry)) {
        Py_XDECREF(entry);
        return NULL;
    }

    if (lines && lines->is_cell)
        first = first_of_cell((PyTracebackObject *)entry, lines);
    if (!first)
        return skip_hidden((PyTracebackObject *)entry);

    Py_INCREF(first);
    Py_DECREF(entry);
    return first;
}

/* The entry after this one, which is released: a finalizer of the guest may cut the
 * list while it is walked. */
static PyTracebackObject *stack_next(PyTracebackObject *entry)
{
    PyTracebackObject *next = entry->tb_next;
    Py_XINCREF(next);
    Py_DECREF(entry);
    return skip_hidden(next);
}

static size_t stack_count(const PyTracebackObject *entry)
{
    size_t count = 0;
    for (; entry; entry = entry->tb_next)
        count += !is_hidden_entry(entry);
    return count;
}

/* The lines of an entry; valid until the next call. */
static span render_entry(report *r, stack *s, PyTracebackObject *entry, PyCodeObject *code,
                         const frame_position *position)
{
    stack_rendered *kept;

    for (size_t i = 0; i < STACK_RENDERED; i++) {
        kept = &s->rendered[i];
        if (kept->code == code && kept->lasti == entry->tb_lasti && kept->line == position->line)
            return (span){ str_text(&kept->text), kept->text.len };
    }

    kept = &s->rendered[s->next++ % STACK_RENDERED];
    Py_INCREF(code);
    Py_XSETREF(kept->code, code);
    kept->lasti = entry->tb_lasti;
    kept->line = position->line;
    str_clear(&kept->text);
    report_fail(r, frame_format(&kept->text, &s->source, code, position));
    return (span){ str_text(&kept->text), kept->text.len };
}

/* A place in the code, and how often it has come. */
typedef struct repetition {
    PyCodeObject *code; /* owned */
    int line;
    size_t count;
} repetition;

/* What was shown of one traceback. */
typedef struct shown_entries {
    repetition last;               /* the entry last shown, and how often it has come in a row */
    repetition places[MAX_PLACES]; /* of a long traceback */
    size_t place_count, most_places, left_out;
} shown_entries;

static int is_same_place(const repetition *last, PyCodeObject *code, int line)
{
    if (!last->code || line < 0 || last->line != line)
        return 0;
    if (last->code == code)
        return 1;
    return PyUnicode_Compare(last->code->co_filename, code->co_filename) == 0 &&
           PyUnicode_Compare(last->code->co_name, code->co_name) == 0;
}

/* Says what was left out since the last entry that is shown. */
static void put_repetition(report *r, shown_entries *shown)
{
    size_t more = shown->last.count > RECURSIVE_CUTOFF ? shown->last.count - RECURSIVE_CUTOFF : 0;

    if (more || shown->left_out)
        report_begin(r, '|');
    if (more)
        report_printf(r, "  [Previous line repeated %zu more time%s]\n", more, more > 1 ? "s" : "");
    if (shown->left_out)
        report_printf(r, "  [Lines above repeated in %zu more frame%s]\n", shown->left_out,
                      shown->left_out > 1 ? "s" : "");
    shown->last.count = shown->left_out = 0;
    Py_CLEAR(shown->last.code);
}

/* Counts the place, and answers whether it was shown often enough. */
static int was_shown(shown_entries *shown, PyCodeObject *code, int line)
{
    for (size_t i = 0; i < shown->place_count; i++)
        if (is_same_place(&shown->places[i], code, line))
            return ++shown->places[i].count > RECURSIVE_CUTOFF;

    if (shown->place_count < shown->most_places) {
        Py_INCREF(code);
        shown->places[shown->place_count++] = (repetition){ code, line, 1 };
    }
    return 0;
}

static void put_entry(report *r, stack *s, shown_entries *shown, PyTracebackObject *entry)
{
    PyCodeObject *code = PyFrame_GetCode(entry->tb_frame);
    frame_position position;

    frame_position_of(&position, entry, code, &s->search_bytes);
    if (is_same_place(&shown->last, code, position.line)) {
        shown->last.count++;
    } else if (entry->tb_next && was_shown(shown, code, position.line)) {
        if (!shown->left_out)
            put_repetition(r, shown);
        shown->left_out++;
    } else {
        put_repetition(r, shown);
        Py_INCREF(code);
        shown->last = (repetition){ code, position.line, 1 };
    }

    if (!shown->left_out && shown->last.count <= RECURSIVE_CUTOFF) {
        report_begin(r, '|');
        report_put(r, render_entry(r, s, entry, code, &position));
    }
    Py_DECREF(code);
}

static void put_gap(report *r, shown_entries *shown, size_t count)
{
    put_repetition(r, shown);
    report_begin(r, '|');
    report_printf(r, "  [%zu frames left out]\n", count);
}

/* Releases entry. Of more than allowed, the first and the last half of those. */
static void put_entries(report *r, stack *s, PyTracebackObject *entry, size_t count)
{
    size_t allowed = s->entries_left < MIN_ENTRIES ? MIN_ENTRIES : s->entries_left;
    shown_entries shown = { .most_places = count > MIN_FOLDED ? MAX_PLACES : 0 };

    if (allowed > MAX_ENTRIES)
        allowed = MAX_ENTRIES;
    size_t gap = count > allowed ? count - allowed : 0, gap_start = allowed / 2;
    for (size_t i = 0; entry && i < count; i++, entry = stack_next(entry)) {
        if (gap && i == gap_start)
            put_gap(r, &shown, gap);
        if (i >= gap_start && i < gap_start + gap)
            continue;
        put_entry(r, s, &shown, entry);
        s->entries_left -= s->entries_left > 0;
    }

    Py_XDECREF(entry);
    put_repetition(r, &shown);
    while (shown.place_count > 0)
        Py_DECREF(shown.places[--shown.place_count].code);
}

/* sys.tracebacklimit, as traceback.py understands it. */
static size_t entry_limit(void)
{
    PyObject *limit = PySys_GetObject("tracebacklimit");
    int overflow;

    if (!limit || !PyLong_Check(limit))
        return SIZE_MAX;
    long value = PyLong_AsLongAndOverflow(limit, &overflow);
    if (overflow > 0)
        return SIZE_MAX;
    return value < 0 ? 0 : (size_t)value;
}

/* The heading and the entries; nothing if there are none. */
static void stack_put(report *r, stack *s, PyObject *exc, const char *heading, char margin)
{
    PyTracebackObject *entry = stack_first(exc, s->lines);
    size_t count = stack_count(entry), limit = entry_limit();

    if (count > limit)
        count = limit;
    if (!count) {
        Py_XDECREF(entry);
        return;
    }

    report_begin(r, margin);
    report_add(r, heading);
    put_entries(r, s, entry, count);
}

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
