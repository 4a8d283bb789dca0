#include "py/report/stack.h"

#include <string.h>

#include <snug/snug.h>

enum { MAX_ENTRIES = 4000, MAX_ENTRIES_OF_ALL = 20000, MIN_ENTRIES = 20, RECURSIVE_CUTOFF = 3 };
/* A recursion through several places: in a traceback of more than MIN_FOLDED entries each place is
 * shown RECURSIVE_CUTOFF times, too; of more than MAX_PLACES the others are shown as they come. */
enum { MIN_FOLDED = 40, MAX_PLACES = 64 };

void stack_init(stack *s, const source_lines *lines)
{
    *s = (stack){ .lines = lines,
                  .entries_left = MAX_ENTRIES_OF_ALL,
                  .search_bytes = FRAME_SEARCH_BYTES };
    sourcetext_init(&s->source, lines);
}

void stack_free(stack *s)
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

PyTracebackObject *stack_first(PyObject *exc, const source_lines *lines)
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

PyTracebackObject *stack_next(PyTracebackObject *entry)
{
    PyTracebackObject *next = entry->tb_next;
    Py_XINCREF(next);
    Py_DECREF(entry);
    return skip_hidden(next);
}

size_t stack_count(const PyTracebackObject *entry)
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

void stack_put(report *r, stack *s, PyObject *exc, const char *heading, char margin)
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
