#include "py/core/changes.h"

#include <opcode.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsontext.h"
#include "py/core/state.h"
#include "py/core/stopping.h"
#include "py/core/valuetext.h"

/* ---- names ---- */

static int is_all_digits(const char *text, Py_ssize_t len)
{
    for (Py_ssize_t i = 0; i < len; i++)
        if (text[i] < '0' || text[i] > '9')
            return 0;
    return 1;
}

int changes_is_hidden(PyObject *name)
{
    if (!PyUnicode_CheckExact(name))
        return 1;
    if (!PyUnicode_IS_COMPACT_ASCII(name))
        return 0;

    const char *text = PyUnicode_DATA(name);
    Py_ssize_t len = PyUnicode_GET_LENGTH(name);
    if (text[0] != '_')
        return strcmp(text, "In") == 0 || strcmp(text, "Out") == 0 || text[0] == '<';

    return is_all_digits(text + 1, len - 1) || strcmp(text, "__") == 0 ||
           strcmp(text, "___") == 0 ||
           (len > 4 && text[1] == '_' && strcmp(text + len - 2, "__") == 0);
}

enum { MOST_HELD_BYTES = 1024 };

/* Values that nobody can watch going away. */
static int is_plain_value(PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);
    return type == &PyFloat_Type || type == &PyLong_Type || type == &PyUnicode_Type ||
           type == &PyBytes_Type || type == &PyBool_Type || value == Py_None;
}

static int is_cheap_to_hold(PyObject *value)
{
    if (PyUnicode_CheckExact(value))
        return PyUnicode_GET_LENGTH(value) <= MOST_HELD_BYTES;
    if (PyBytes_CheckExact(value))
        return PyBytes_GET_SIZE(value) <= MOST_HELD_BYTES;
    if (PyLong_Check(value))
        return _PyLong_NumBits(value) / 8 <= MOST_HELD_BYTES;
    return 1;
}

static void release_known(known_name *known)
{
    Py_CLEAR(known->name);
    Py_CLEAR(known->held);
}

static void note_known(known_name *known, PyObject *name, PyObject *value)
{
    if (known->key != name) {
        known->key = name;
        known->name = PyUnicode_CheckExact(name) ? Py_NewRef(name) : NULL;
        known->is_hidden = changes_is_hidden(name);
    }

    known->value = value;
    if (!known->is_hidden && is_plain_value(value) && is_cheap_to_hold(value))
        Py_XSETREF(known->held, Py_NewRef(value));
    else
        Py_CLEAR(known->held);
}

/* ---- what is reported ---- */

/* An entry is made, or changed: what was deleted and set again is rebound. */
static int grow_changes(outcome *out)
{
    size_t cap = out->change_cap ? out->change_cap * 2 : 4;
    outcome_change *grown = realloc(out->changes, cap * sizeof *grown);
    if (!grown)
        return 0;
    out->changes = grown;
    out->change_cap = cap;
    return 1;
}

/* {"name": "x", "type": "int", "op": "rebound"} without the texts. */
enum { BYTES_OF_A_CHANGE = 48, MOST_TYPE_BYTES = 1000 };

/* Of a short text what it may have at most: looking at each of its bytes would show in the time of
 * a small cell. */
static uint64_t bytes_in_json(const char *text, size_t len)
{
    enum { SHORT = 24, LONGEST_ESCAPE = 6 };
    if (len <= SHORT)
        return len * LONGEST_ESCAPE;
    return jsontext_quoted_bytes(text, len);
}

static int reserve_change(outcome *out, const char *text, Py_ssize_t len, PyObject *value)
{
    uint64_t bytes = BYTES_OF_A_CHANGE + bytes_in_json(text, (size_t)len);
    const char *type = value ? Py_TYPE(value)->tp_name : "";

    if (out->change_count == OUTCOME_CHANGES)
        return 0;
    bytes += bytes_in_json(type, strnlen(type, MOST_TYPE_BYTES));
    if (bytes > out->most_change_bytes - out->change_bytes)
        return 0;
    out->change_bytes += bytes;
    return 1;
}

static void report_change(outcome *out, PyObject *name, PyObject *value, const char *op)
{
    Py_ssize_t len;
    const char *text = PyUnicode_AsUTF8AndSize(name, &len);

    PyErr_Clear();
    if (!out || !text)
        return;
    if (!reserve_change(out, text, len, value)) {
        out->more_changes++;
        return;
    }

    if (out->change_count == out->change_cap && !grow_changes(out))
        return;
    str *texts = &out->change_texts;
    outcome_change change = { .name = texts->len, .name_len = (size_t)len, .op = op };
    if (str_append(texts, text, (size_t)len + 1))
        return;

    change.type = texts->len;
    if (value && value_type(texts, value) != 0)
        PyErr_Clear();
    if (str_append(texts, "", 1) == SNUG_OK)
        out->changes[out->change_count++] = change;
}

static int grow_known(known_names *names)
{
    size_t cap = names->cap ? names->cap * 2 : 32;
    known_name *grown = realloc(names->items, cap * sizeof *grown);
    if (!grown)
        return 0;
    names->items = grown;
    names->cap = cap;
    return 1;
}

/* ---- comparing ---- */

/* The namespace keeps the order in which names were made, so that both are walked side by
 * side. A name that was deleted is missing; one that was made again stands at the end. */
typedef struct walk {
    known_names *names;
    size_t from, to;  /* known names from `from` on are still to be met; those before `to` are */
    known_name *gone; /* known, and not met where they should be */
    size_t gone_count;
    PyObject *places; /* a dict of their names and places in gone; NULL: none are */
    outcome *out;
    PyObject *rebound;
} walk;

/* No exception, and no code of the guest's: a key that is not a plain str is not looked for. */
static known_name *find_gone(const walk *w, PyObject *name)
{
    if (!w->places || !PyUnicode_CheckExact(name))
        return NULL;

    PyObject *place = PyDict_GetItemWithError(w->places, name); /* borrowed */
    PyErr_Clear();
    if (!place)
        return NULL;
    return &w->gone[PyLong_AsSize_t(place)];
}

static void remember_place(walk *w, PyObject *name, size_t index)
{
    PyObject *place = name ? PyLong_FromSize_t(index) : NULL;
    /* A collection would run finalizers, which may change the namespace under the walk. */
    int collects = PyGC_Disable();

    if (!w->places)
        w->places = PyDict_New();
    if (collects)
        PyGC_Enable();
    if (place && w->places)
        PyDict_SetItem(w->places, name, place);
    Py_XDECREF(place);
    PyErr_Clear();
}

static int may_be_rebound(const walk *w, PyObject *name, PyObject *value)
{
    if (!w->rebound || is_plain_value(value))
        return 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(w->rebound); i++)
        if (PyTuple_GET_ITEM(w->rebound, i) == name)
            return 1;
    return 0;
}

static void meet_known(walk *w, PyObject *name, PyObject *value)
{
    known_name *known = &w->names->items[w->to];

    if (w->from != w->to)
        *known = w->names->items[w->from];
    w->from++;
    w->to++;
    int is_other = known->value != value;
    if (!is_other && (known->is_hidden || !may_be_rebound(w, name, value)))
        return;

    if (!known->is_hidden)
        report_change(w->out, name, value, "rebound");
    if (is_other)
        note_known(known, name, value);
}

/* A name that stands where none is known any more. */
static void meet_new(walk *w, PyObject *name, PyObject *value)
{
    known_name *before = find_gone(w, name);
    int was_same = before && before->value == value;

    if (w->to == w->names->cap && !grow_known(w->names))
        return;
    known_name *known = &w->names->items[w->to++];
    *known = (known_name){ 0 };
    note_known(known, name, value);
    if (!known->is_hidden && !was_same)
        report_change(w->out, name, value, before ? "rebound" : "set");
    if (before)
        release_known(before);
}

/* Moves the known names that come before name out of the way; whether it is known. */
static int skip_to(walk *w, PyObject *name)
{
    known_names *names = w->names;
    size_t found = w->from;

    while (found < names->count && names->items[found].key != name)
        found++;
    int is_known = found < names->count;
    known_name *grown = realloc(w->gone, (w->gone_count + found - w->from + 1) * sizeof *grown);
    for (; w->from < found; w->from++) {
        known_name *known = &names->items[w->from];
        if (!grown) {
            release_known(known);
            continue;
        }
        w->gone = grown;
        remember_place(w, known->name, w->gone_count);
        w->gone[w->gone_count++] = *known;
    }

    return is_known;
}

static void report_gone(walk *w)
{
    for (size_t i = 0; i < w->gone_count; i++) {
        if (w->gone[i].name && !w->gone[i].is_hidden)
            report_change(w->out, w->gone[i].name, NULL, "deleted");
        release_known(&w->gone[i]);
    }
    free(w->gone);
    Py_XDECREF(w->places);
}

/* ---- few names among many of the session's own ---- */

enum { MANY_NAMES = 64, FEW = 4 /* one in that many, or fewer */ };

/* So that the next look need not pass over the session's own names. */
static void index_visible(known_names *names)
{
    size_t count = 0;

    names->is_indexed = 0;
    for (size_t i = 0; i < names->count; i++) {
        if (!names->items[i].name)
            return; /* a key whose comparison may be the guest's */
        count += !names->items[i].is_hidden;
    }

    if (count * FEW > names->count)
        return;
    size_t *places = realloc(names->visible, (count + 1) * sizeof *places);
    if (!places)
        return;

    names->visible = places;
    names->visible_count = 0;
    for (size_t i = 0; i < names->count; i++)
        if (!names->items[i].is_hidden)
            places[names->visible_count++] = i;
    names->is_indexed = 1;
}

/* Whether there are as many names as before, and all that are reported among them: then what
 * changed is reported. A cell that deletes one of the session's own and makes a new one has that
 * told later. */
static int take_visible(outcome *out, interp *in, PyObject *rebound)
{
    known_names *names = &in->known;
    walk w = { .rebound = rebound };

    if (!names->is_indexed || PyDict_GET_SIZE(in->main) != names->size)
        return 0;
    for (size_t i = 0; i < names->visible_count; i++)
        if (!PyDict_GetItemWithError(in->main, names->items[names->visible[i]].name)) {
            PyErr_Clear();
            return 0;
        }

    for (size_t i = 0; i < names->visible_count; i++) {
        known_name *known = &names->items[names->visible[i]];
        /* Held: a key that was slipped in may run code when it is compared. */
        PyObject *value = Py_XNewRef(PyDict_GetItemWithError(in->main, known->name));
        PyErr_Clear();
        if (!value)
            continue;
        if (known->value != value || may_be_rebound(&w, known->name, value))
            report_change(out, known->name, value, "rebound");
        if (known->value != value)
            note_known(known, (PyObject *)(uintptr_t)known->key, value);
        Py_DECREF(value);
    }

    return 1;
}

void changes_expect(interp *in, Py_ssize_t more)
{
    in->known.size += more;
}

static void walk_names(walk *w, PyObject *main)
{
    known_names *names = w->names;
    PyObject *name, *value;
    Py_ssize_t position = 0;

    while (PyDict_Next(main, &position, &name, &value)) {
        if (w->from < names->count && (names->items[w->from].key == name || skip_to(w, name)))
            meet_known(w, name, value);
        else
            meet_new(w, name, value);
    }

    if (w->from < names->count)
        skip_to(w, NULL);
    names->count = w->to;
    report_gone(w);
}

/* A walk over that many names takes longer than a rung gives a cell that has ended. It
 * runs no code of the guest's, and a session that is torn out of it is lost. */
enum { LONG_WALK = 10000 };

void changes_take(outcome *out, interp *in, PyObject *rebound)
{
    known_names *names = &in->known;
    walk w = { .names = names, .out = out, .rebound = rebound };
    if (take_visible(out, in, rebound))
        return;

    int settles = PyDict_GET_SIZE(in->main) >= LONG_WALK && !interp_is_settled(in);
    if (settles)
        interp_settle(in);
    walk_names(&w, in->main);
    names->size = PyDict_GET_SIZE(in->main);
    names->is_indexed = 0;
    if (names->count > MANY_NAMES)
        index_visible(names);
    if (settles)
        interp_unsettle(in);
}

void changes_bound(interp *in, PyObject *name, Py_ssize_t before)
{
    known_names *names = &in->known;
    const Py_ssize_t size = PyDict_GET_SIZE(in->main);

    /* A name that was not there stands last, in the namespace and so among what is known. */
    PyObject *value = PyDict_GetItemWithError(in->main, name); /* borrowed */
    PyErr_Clear();
    if (!value || size != before + 1 || names->count != (size_t)before ||
        (names->count == names->cap && !grow_known(names))) {
        changes_take(NULL, in, NULL);
        return;
    }
    known_name *known = &names->items[names->count++];
    *known = (known_name){ 0 };
    note_known(known, name, value);
    names->size = size;
    names->is_indexed = 0;
}

void changes_free(known_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        release_known(&names->items[i]);
    free(names->items);
    free(names->visible);
    *names = (known_names){ 0 };
}

/* ---- code ---- */

static int jumps_back(int opcode)
{
    switch (opcode) {
    case JUMP_BACKWARD:
    case JUMP_BACKWARD_NO_INTERRUPT:
#ifdef POP_JUMP_BACKWARD_IF_TRUE
    case POP_JUMP_BACKWARD_IF_TRUE:
    case POP_JUMP_BACKWARD_IF_FALSE:
    case POP_JUMP_BACKWARD_IF_NONE:
    case POP_JUMP_BACKWARD_IF_NOT_NONE:
#endif
        return 1;
    default:
        return 0;
    }
}

enum { MOST_NAMES = 64 };

/* Which of the first names are stored, and which again; whether there is a loop. */
static int scan_code(const PyCodeObject *code, uint64_t *stored, uint64_t *again)
{
    const unsigned char *bytes = (const unsigned char *)code->co_code_adaptive;
    Py_ssize_t len = Py_SIZE(code) * 2;
    int has_loop = 0;
    unsigned high = 0;

    for (Py_ssize_t i = 0; i < len; i += 2) {
        unsigned index = high << 8 | bytes[i + 1];
        high = bytes[i] == EXTENDED_ARG ? index : 0;
        has_loop |= jumps_back(bytes[i]);
        if (bytes[i] == STORE_NAME && index < MOST_NAMES) {
            *again |= *stored & UINT64_C(1) << index;
            *stored |= UINT64_C(1) << index;
        }
    }

    return has_loop;
}

PyObject *changes_stored_again(PyObject *object)
{
    const PyCodeObject *code = (const PyCodeObject *)object;
    uint64_t stored = 0, again = 0;

    if (scan_code(code, &stored, &again))
        again = stored;
    if (!again)
        return NULL;

    PyObject *names = PyTuple_New(__builtin_popcountll(again));
    Py_ssize_t count = 0;
    for (Py_ssize_t i = 0; names && i < MOST_NAMES; i++)
        if (again & UINT64_C(1) << i)
            PyTuple_SET_ITEM(names, count++, Py_NewRef(PyTuple_GET_ITEM(code->co_names, i)));

    PyErr_Clear();
    return names;
}
