/*
 * hintvalues.c - hints that look at values: keys, indexes, signatures, numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "py/hints/hint.h"

/* ---- keys ---- */

enum { MOST_KEYS = 749, SHOWN_KEYS = 10, KEYS_BYTES = 140 };

/* The value in front of the last bracket; owned, or NULL. */
static PyObject *container_of(hint *h, span *name)
{
    span within;
    if (!place_cut(name, &within, h->place.segment, '['))
        return NULL;
    return place_value(&h->place, *name);
}

/* A key that is nearly the one that is missing; 1 if there is one. */
static int say_near_key(hint *h, PyObject *dict, PyObject *wrong)
{
    const char *items[MOST_KEYS];
    size_t count = 0;
    PyObject *key, *value;
    Py_ssize_t at = 0;
    const char *word = PyUnicode_CheckExact(wrong) ? PyUnicode_AsUTF8(wrong) : NULL;

    PyErr_Clear();
    if (!word)
        return 0;

    while (count < MOST_KEYS && PyDict_Next(dict, &at, &key, &value))
        if (PyUnicode_CheckExact(key) && PyUnicode_IS_COMPACT_ASCII(key))
            items[count++] = (const char *)PyUnicode_1BYTE_DATA(key);

    const char *near = nearest_name(word, items, count);
    if (!near)
        return 0;

    hint_add_text(h, "Did you mean '");
    hint_add(h, (span){ near, strlen(near) });
    hint_add_text(h, "'? ");
    return 1;
}

/* Of keys that are plain, so that they say what they are. */
static void say_keys(hint *h, PyObject *dict)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    size_t begin = h->out->len;
    int count = 0;

    while (PyDict_Next(dict, &at, &key, &value)) {
        if (count == SHOWN_KEYS || h->out->len - begin > KEYS_BYTES) {
            hint_add_text(h, ", ...");
            return;
        }
        hint_add_text(h, count++ ? ", " : "The keys are ");
        if (!hint_add_value(h, key))
            hint_add_text(h, "(another)");
    }
    hint_add_text(h, ".");
}

/* "3" where 3 is a key, or 3 where "3" is. */
static void say_other_type(hint *h, PyObject *dict, PyObject *wrong)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    if (!PyDict_Next(dict, &at, &key, &value))
        return;

    if (PyUnicode_CheckExact(wrong) && PyLong_CheckExact(key))
        hint_add_text(h, "The keys are numbers, and this is a text. ");
    else if (PyLong_CheckExact(wrong) && PyUnicode_CheckExact(key))
        hint_add_text(h, "The keys are texts, and this is a number. ");
}

int hint_key(hint *h)
{
    PyObject *args = ((PyBaseExceptionObject *)h->exc)->args;
    span name;
    PyObject *dict = container_of(h, &name);
    int is_dict = dict && PyDict_Check(dict) && args && PyTuple_GET_SIZE(args) == 1;

    if (is_dict && PyDict_GET_SIZE(dict) == 0) {
        hint_add(h, name);
        hint_add_text(h, " is empty.");
    } else if (is_dict) {
        PyObject *wrong = PyTuple_GET_ITEM(args, 0);
        say_other_type(h, dict, wrong);
        say_near_key(h, dict, wrong);
        say_keys(h, dict);
    }

    Py_XDECREF(dict);
    return is_dict;
}

/* ---- indexes ---- */

/* Of exact types; -1 for others. */
static Py_ssize_t length_of(PyObject *value)
{
    if (PyList_CheckExact(value))
        return PyList_GET_SIZE(value);
    if (PyTuple_CheckExact(value))
        return PyTuple_GET_SIZE(value);
    if (PyUnicode_CheckExact(value))
        return PyUnicode_GET_LENGTH(value);
    if (PyBytes_CheckExact(value))
        return PyBytes_GET_SIZE(value);
    return -1;
}

int hint_index(hint *h)
{
    span name;
    PyObject *value = container_of(h, &name);
    Py_ssize_t len = value ? length_of(value) : -1;

    Py_XDECREF(value);
    if (len < 0)
        return 0;

    hint_add(h, name);
    if (len == 0)
        hint_add_text(h, " is empty.");
    else if (len == 1)
        hint_add_text(h, " has one item: its index is 0.");
    else
        str_printf(h->out, " has %zd items: the indexes are 0 to %zd.", len, len - 1);

    return 1;
}

/* ---- calls ---- */

/* stars: in front of the name, which is NULL where they stand alone. */
static void add_parameter(hint *h, int *count, const char *stars, PyObject *name)
{
    if ((*count)++ > 0)
        hint_add_text(h, ", ");
    hint_add_text(h, stars);
    if (name) {
        PyObject *holder;
        hint_add(h, pytext_of(&holder, name));
        Py_XDECREF(holder);
    }
}

static int has_keyword_default(PyObject *function, PyObject *name)
{
    PyObject *holder;
    span text = pytext_of(&holder, name);
    int found = place_item(PyFunction_GET_KW_DEFAULTS(function), text) != NULL;
    Py_XDECREF(holder);
    return found;
}

/* The names of a code's variables begin with its parameters: those by place, those by keyword only,
 * then *args and **kwargs. */
static void add_parameters(hint *h, PyObject *function, PyObject *names, int is_bound)
{
    const PyCodeObject *code = (PyCodeObject *)PyFunction_GET_CODE(function);
    PyObject *defaults = PyFunction_GET_DEFAULTS(function);
    int default_count = defaults ? (int)PyTuple_GET_SIZE(defaults) : 0;
    int places = code->co_argcount, keywords_end = places + code->co_kwonlyargcount;
    int next = keywords_end, count = 0;

    for (int i = is_bound; i < places; i++) {
        add_parameter(h, &count, "", PyTuple_GET_ITEM(names, i));
        if (i >= places - default_count)
            hint_add_text(h, "=...");
    }

    if (code->co_flags & CO_VARARGS)
        add_parameter(h, &count, "*", PyTuple_GET_ITEM(names, next++));
    else if (code->co_kwonlyargcount)
        add_parameter(h, &count, "*", NULL);

    for (int i = places; i < keywords_end; i++) {
        add_parameter(h, &count, "", PyTuple_GET_ITEM(names, i));
        if (has_keyword_default(function, PyTuple_GET_ITEM(names, i)))
            hint_add_text(h, "=...");
    }

    if (code->co_flags & CO_VARKEYWORDS)
        add_parameter(h, &count, "**", PyTuple_GET_ITEM(names, next));
}

static void add_signature(hint *h, PyObject *function, int is_bound)
{
    PyObject *names = PyCode_GetVarnames((PyCodeObject *)PyFunction_GET_CODE(function));

    hint_add_text(h, "(");
    if (names)
        add_parameters(h, function, names, is_bound);
    hint_add_text(h, ")");
    Py_XDECREF(names);
    PyErr_Clear();
}

static PyObject *type_item(PyObject *type, span name)
{
    PyObject *dict = python_type_dict((PyTypeObject *)type);
    PyObject *value = Py_XNewRef(place_item(dict, name));
    Py_XDECREF(dict);
    return value;
}

/* What a qualified name stands for, "A.method"; owned, or NULL. */
static PyObject *qualified(const place *p, span name)
{
    const char *dot = memchr(name.at, '.', name.len);
    span first = span_cut(name, dot ? (size_t)(dot - name.at) : name.len);
    PyObject *value = place_name(p, first);
    if (!dot || !value)
        return value;

    span rest = span_from(name, first.len + 1);
    PyObject *member = PyType_Check(value) ? type_item(value, rest) : NULL;
    Py_DECREF(value);
    return member;
}

/* "len($module, obj, /)\n--\n" without what is Python's own. */
static int say_doc(hint *h, const char *name, const char *doc)
{
    const char *open = doc ? strchr(doc, '(') : NULL;
    if (!open || (size_t)(open - doc) > HINT_PART_BYTES)
        return 0;

    span parameters = { open + 1, strcspn(open + 1, "\n") };
    if (parameters.len && parameters.at[0] == '$') {
        size_t own = 1 + place_name_len(span_from(parameters, 1));
        parameters = span_from(parameters, own);
        while (parameters.len && strchr(", ", parameters.at[0]))
            parameters = span_from(parameters, 1);
    }

    hint_add_text(h, "It is called as ");
    hint_add_text(h, name);
    hint_add_text(h, "(");
    hint_add(h, parameters);
    hint_add_text(h, ".");
    return 1;
}

static int say_builtin(hint *h, span name)
{
    char text[HINT_PART_BYTES];
    PyObject *value = place_item(h->in->builtins, name);
    if (!value || name.len >= sizeof text)
        return 0;

    memcpy(text, name.at, name.len);
    text[name.len] = '\0';
    if (PyCFunction_CheckExact(value))
        return say_doc(h, text, ((PyCFunctionObject *)value)->m_ml->ml_doc);
    if (!PyType_Check(value) || PyType_HasFeature((PyTypeObject *)value, Py_TPFLAGS_HEAPTYPE))
        return 0;
    return say_doc(h, text, ((PyTypeObject *)value)->tp_doc);
}

/* A class is called by its own name. */
static span without_init(span name)
{
    static const char ending[] = ".__init__";
    size_t len = sizeof ending - 1;
    if (name.len > len && span_is(span_from(name, name.len - len), ending))
        return span_cut(name, name.len - len);
    return name;
}

/* $1 is the qualified name of what was called. */
int hint_call(hint *h)
{
    span name = h->parts[0];
    PyObject *function = h->place.frame ? qualified(&h->place, name) : NULL;
    int is_method = memchr(name.at, '.', name.len) != NULL;

    if (!function || !PyFunction_Check(function)) {
        Py_XDECREF(function);
        return say_builtin(h, name);
    }

    hint_add_text(h, "It is called as ");
    hint_add(h, without_init(name));
    add_signature(h, function, is_method);
    hint_add_text(h, ".");
    Py_DECREF(function);
    return 1;
}

int hint_not_callable(hint *h)
{
    span name, within;

    if (!place_cut(&name, &within, h->place.segment, '(') || place_name_len(name) != name.len)
        return 0;
    PyObject *value = place_name(&h->place, name);
    if (!value)
        return 0;

    int is_module = PyModule_Check(value);
    int hides = place_item(h->in->builtins, name) != NULL;
    Py_DECREF(value);
    h->parts[1] = name;
    if (hides)
        return hint_say(h, "The name $2 means a value of type $1 here and hides the builtin: write "
                           "`del $2`, and give the value another name.");

    if (is_module)
        return hint_say(h, "$2 is a module: call a function in it, or import that by name.");
    return hint_say(h, "$2 is of type $1 and not a function: look where $2 was set.");
}

/* ---- numbers ---- */

int hint_division(hint *h)
{
    h->parts[0] = place_divisor(h->place.segment);
    if (h->parts[0].len == 0 || span_is(h->parts[0], "0"))
        return 0;
    return hint_say(h, "$1 is 0 here: test it before the division.");
}

/* Whether all of it, at most 60 bytes without the characters left out, is a number. */
static int is_float_without(span text, const char *left_out)
{
    char copy[64], *end;
    size_t len = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (strchr(left_out, text.at[i]))
            continue;
        if (len + 1 >= sizeof copy)
            return 0;
        copy[len++] = text.at[i];
    }

    copy[len] = '\0';
    strtod(copy, &end);
    return len > 0 && *end == '\0' && strspn(copy, " \t") == 0;
}

/* The last part is the text that is not a number; in the repr's form. */
int hint_number(hint *h)
{
    span text = h->parts[1].len ? h->parts[1] : h->parts[0];

    if (text.len >= 2)
        text = span_from(span_cut(text, text.len - 1), 1);
    h->parts[0] = text;
    if (span_strip(text).len == 0)
        return hint_say(h, "The text is empty: leave such values out before.");
    if (is_float_without(text, ""))
        return hint_say(h, "'$1' is not an integer: write float('$1'), or int(float('$1')).");
    if (is_float_without(text, ",_ "))
        return hint_say(h, "Take the separators out first: text.replace(',', '').");
    if (is_float_without(text, ",_ $%"))
        return hint_say(h, "Take the sign out first: text.strip('$%').replace(',', '').");
    return 0;
}

/* ---- assertions ---- */

/* Words of an assertion that are not variables. */
static int is_known_word(span name)
{
    static const char *const words[] = { "and",  "or",  "not",  "in",   "is",         "if",
                                         "else", "for", "None", "True", "False",      "len",
                                         "abs",  "sum", "all",  "any",  "isinstance", "round" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (span_is(name, words[i]))
            return 1;
    return 0;
}

/* "x is 3" */
static int add_fact(hint *h, span name, int count)
{
    PyObject *value = place_name(&h->place, name);
    Py_ssize_t len = value && !PyUnicode_CheckExact(value) ? length_of(value) : -1;
    size_t before = h->out->len;
    int said = 0;

    hint_add_text(h, count ? ", " : ": ");
    hint_add(h, name);
    if (len >= 0) {
        str_printf(h->out, " has %zd items", len);
        said = 1;
    } else if (value) {
        hint_add_text(h, " is ");
        said = hint_add_value(h, value);
    }

    if (!said && h->out->len > before) {
        h->out->len = before;
        h->out->data[before] = '\0';
    }

    Py_XDECREF(value);
    return said;
}

/* Without the name of that length that it begins with, its attributes, and the rest of a number. */
static span skip_dotted(span text, size_t len)
{
    text = span_from(text, len);
    while (text.len > 0 && (text.at[0] == '.' || place_name_len(text) > 0))
        text = span_from(text, 1 + place_name_len(span_from(text, 1)));
    return text;
}

/* Without a text in quotes that it begins with, or another character. */
static span skip_other(span text)
{
    if (!strchr("'\"", text.at[0]))
        return span_from(text, 1);
    const char *end = memchr(text.at + 1, text.at[0], text.len - 1);
    return span_from(text, end ? (size_t)(end - text.at) + 1 : 1);
}

int hint_assertion(hint *h)
{
    enum { MOST_FACTS = 4 };
    static const char word[] = "assert ";
    span rest = span_strip(h->place.line);
    int count = 0;
    if (rest.len < sizeof word || !span_begins(rest, word))
        return 0;

    rest = span_from(rest, sizeof word - 1);
    h->parts[0] = rest;
    hint_say(h, "`$1` does not hold");
    while (rest.len > 0 && count < MOST_FACTS) {
        size_t len = place_name_len(rest);
        if (len == 0) {
            rest = skip_other(rest);
            continue;
        }
        span name = span_cut(rest, len);
        if (!is_known_word(name) && add_fact(h, name, count))
            count++;
        rest = skip_dotted(rest, len);
    }

    hint_add_text(h, ".");
    return 1;
}

/* ---- limits ---- */

int hint_recursion(hint *h)
{
    PyObject *holder;

    if (!h->place.code)
        return 0;
    h->parts[0] = pytext_of(&holder, h->place.code->co_name);
    hint_say(h, "$1 is called within itself without an end: check the condition that ends it, "
                "or use a loop.");
    Py_XDECREF(holder);
    return 1;
}

int hint_memory(hint *h)
{
    const memory_account *memory = h->in->options.memory;
    if (!memory || memory->limit_bytes == UINT64_MAX)
        return 0;

    str_printf(
        h->out,
        "The session may use %.4g MiB of memory: work in parts, use a generator instead of a list, "
        "and delete what is done with.",
        (double)memory->limit_bytes / (1 << 20));
    return 1;
}
