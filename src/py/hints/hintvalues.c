/*
 * hintvalues.c - hints that look at values: keys, indexes, signatures, numbers.
 */
#include <string.h>

#include "base/ascii.h"
#include "base/nearest.h"
#include "py/hints/hint.h"

static void cut_to(hint *h, size_t len)
{
    if (h->out->len > len)
        h->out->data[h->out->len = len] = '\0';
}

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

/* A key that is nearly the one that is missing. */
static void say_near_key(hint *h, PyObject *dict, PyObject *wrong)
{
    const char *items[MOST_KEYS];
    size_t count = 0;
    PyObject *key, *value;
    Py_ssize_t at = 0;
    const char *word = PyUnicode_CheckExact(wrong) ? PyUnicode_AsUTF8(wrong) : NULL;

    PyErr_Clear();
    if (!word)
        return;

    while (count < MOST_KEYS && PyDict_Next(dict, &at, &key, &value))
        if (PyUnicode_CheckExact(key) && PyUnicode_IS_COMPACT_ASCII(key))
            items[count++] = (const char *)PyUnicode_1BYTE_DATA(key);

    const char *near = nearest_typed(word, items, count);
    if (!near)
        return;

    hint_add_text(h, "Did you mean '");
    hint_add(h, (span){ near, strlen(near) });
    hint_add_text(h, "'? ");
}

/* Of keys that are plain, so that they say what they are. */
static void say_keys(hint *h, const char *begin_text, PyObject *dict)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    int count = 0;
    size_t begin = h->out->len, end = begin;

    while (count < SHOWN_KEYS && end - begin <= KEYS_BYTES &&
           PyDict_Next(dict, &at, &key, &value)) {
        hint_add_text(h, count ? ", " : begin_text);
        if (hint_add_value(h, key)) {
            count++;
            end = h->out->len;
        }
        cut_to(h, end);
    }

    if (count)
        hint_add_text(h, count == PyDict_GET_SIZE(dict) ? "." : ", ...");
}

/* The part of an instance without its code: what its dict has. Owned, or NULL. */
static PyObject *instance_item(PyObject *object, const char *name)
{
    PyObject *dict = NULL;
    if (!PyType_Check(object) && Py_TYPE(object)->tp_dictoffset != 0)
        dict = PyObject_GenericGetDict(object, NULL);
    PyErr_Clear();
    PyObject *value = Py_XNewRef(place_item(dict, (span){ name, strlen(name) }));
    Py_XDECREF(dict);
    return value;
}

/* The Index of a DataFrame's columns, which is the first of the two axes that its _mgr has. The
 * attribute is in C: a getter of another kind could be the guest's. Owned, or NULL. */
static PyObject *columns_index(PyObject *frame)
{
    PyObject *manager = instance_item(frame, "_mgr"), *columns = NULL;
    PyObject *name = PyUnicode_FromString("axes");
    PyObject *getter = manager && name ? _PyType_Lookup(Py_TYPE(manager), name) : NULL;

    if (getter && Py_IS_TYPE(getter, &PyGetSetDescr_Type)) {
        PyObject *axes = Py_TYPE(getter)->tp_descr_get(getter, manager, NULL);
        if (axes && PyList_CheckExact(axes) && PyList_GET_SIZE(axes) == 2)
            columns = Py_NewRef(PyList_GET_ITEM(axes, 0));
        Py_XDECREF(axes);
    }

    Py_XDECREF(name);
    Py_XDECREF(manager);
    PyErr_Clear();
    return columns;
}

/* The names in an Index, if they are in an array of numpy's own type. A dict, owned, or NULL. */
static PyObject *index_names(PyObject *index)
{
    PyObject *array = instance_item(index, "_data"), *items = NULL, *names = NULL;

    if (array && !PyType_HasFeature(Py_TYPE(array), Py_TPFLAGS_HEAPTYPE) &&
        strcmp(Py_TYPE(array)->tp_name, "numpy.ndarray") == 0)
        items = PySequence_List(array);
    if (items)
        names = PyDict_New();
    for (Py_ssize_t i = 0; names && i < PyList_GET_SIZE(items); i++)
        if (PyUnicode_CheckExact(PyList_GET_ITEM(items, i)))
            PyDict_SetItem(names, PyList_GET_ITEM(items, i), Py_None);

    Py_XDECREF(items);
    Py_XDECREF(array);
    PyErr_Clear();
    return names;
}

/* What the function of a frame works on; owned, or NULL. */
static PyObject *frame_subject(PyFrameObject *frame)
{
    const place in = { .frame = frame, .code = PyFrame_GetCode(frame) };
    PyObject *subject = place_name(&in, (span){ "self", 4 });
    if (!subject)
        subject = place_name(&in, (span){ "obj", 3 });
    Py_DECREF(in.code);
    return subject;
}

/* The names of the columns among which pandas has looked for a key: the innermost function works on
 * the DataFrame, or on the Index of its columns. A dict, owned, or NULL. */
static PyObject *searched_columns(PyObject *exc)
{
    PyTracebackObject *entry = (PyTracebackObject *)((PyBaseExceptionObject *)exc)->traceback;
    PyObject *columns = NULL, *names = NULL;
    int is_searched = 0;

    for (; entry && PyTraceBack_Check((PyObject *)entry); entry = entry->tb_next) {
        PyObject *subject = frame_subject(entry->tb_frame);
        PyObject *found = subject ? columns_index(subject) : NULL;
        if (subject)
            is_searched = found || subject == columns;
        if (found)
            Py_XSETREF(columns, found);
        Py_XDECREF(subject);
    }

    if (is_searched)
        names = index_names(columns);
    Py_XDECREF(columns);
    return names;
}

int hint_key(hint *h)
{
    PyObject *args = ((PyBaseExceptionObject *)h->exc)->args;
    span name = { "", 0 };
    PyObject *dict = container_of(h, &name);
    const char *begin = "The keys are ";

    if (!h->place.frame) {
        dict = searched_columns(h->exc);
        begin = "The columns are ";
    }

    int is_dict = dict && PyDict_Check(dict) && args && PyTuple_GET_SIZE(args) == 1;
    if (is_dict && PyDict_GET_SIZE(dict) > 0) {
        say_near_key(h, dict, PyTuple_GET_ITEM(args, 0));
        say_keys(h, begin, dict);
    } else if (is_dict && name.len) {
        hint_add(h, name);
        hint_add_text(h, " is empty.");
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
    const char *open = doc && strstr(doc, ")\n--\n") ? strchr(doc, '(') : NULL;
    if (!open || (size_t)(open - doc) > HINT_PART_BYTES)
        return 0;

    span parameters = { open + 1, strcspn(open + 1, "\n") };
    if (parameters.len && parameters.at[0] == '$') {
        size_t own = 1 + place_name_len(span_from(parameters, 1));
        parameters = span_from(parameters, own);
        while (parameters.len && strchr(", ", parameters.at[0]))
            parameters = span_from(parameters, 1);
    }

    hint_add_text(h, "The signature is ");
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

/* What stands behind the last dot; a class is called by its own name. */
static span called_name(span name)
{
    static const char ending[] = ".__init__";
    size_t len = sizeof ending - 1;
    if (name.len > len && span_is(span_from(name, name.len - len), ending))
        name = span_cut(name, name.len - len);
    for (size_t i = name.len; i > 0; i--)
        if (name.at[i - 1] == '.')
            return span_from(name, i);
    return name;
}

/* Parameters: 0 of a function that takes none, 1 with self or cls in front, -1 otherwise. */
static int self_count(PyObject *function)
{
    PyCodeObject *code = (PyCodeObject *)PyFunction_GET_CODE(function);
    PyObject *names = PyCode_GetVarnames(code);
    PyObject *first = names && code->co_argcount ? PyTuple_GET_ITEM(names, 0) : NULL;
    int count = first && (PyUnicode_CompareWithASCIIString(first, "self") == 0 ||
                          PyUnicode_CompareWithASCIIString(first, "cls") == 0);
    if (first && !count)
        count = -1;

    PyErr_Clear();
    Py_XDECREF(names);
    return count;
}

/* $1 is the qualified name of what was called. */
int hint_call(hint *h)
{
    span name = h->parts[0], call = h->place.segment;
    int is_method = memchr(name.at, '.', name.len) != NULL;
    int is_named = call.len >= name.len && memcmp(call.at, name.at, name.len) == 0;

    /* The function that np.sum() calls is not the sum() of this place. */
    if (call.len && !is_method && !is_named)
        return 0;
    PyObject *function = h->place.frame ? qualified(&h->place, name) : NULL;

    if (!function || !PyFunction_Check(function)) {
        Py_XDECREF(function);
        return say_builtin(h, name);
    }

    int self_parameters = is_method ? self_count(function) : 1;
    /* What functools.wraps() has named so has a signature of its own. */
    int is_sure = self_parameters >= 0 && !place_item(((PyFunctionObject *)function)->func_dict,
                                                      (span){ "__wrapped__", 11 });
    if (is_sure && !self_parameters) {
        hint_say(h, "$1 needs self as its first parameter.");
    } else if (is_sure) {
        hint_add_text(h, "The signature is ");
        hint_add(h, called_name(name));
        add_signature(h, function, is_method && !is_named);
        hint_add_text(h, ".");
    }

    Py_DECREF(function);
    return is_sure;
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
        return hint_say(h, "The name $2 hides the builtin: write `del $2`, and rename the value.");
    if (is_module)
        return hint_say(h, "$2 is a module: call one of its functions, or import that by name.");
    return 0;
}

/* ---- loops ---- */

/* 1, and no hint: the code of a module raised it, or a list in brackets that lacks the comma
 * behind it. */
int hint_is_unsure(hint *h)
{
    return !h->place.frame || (h->place.segment.len && h->place.segment.at[0] == '[');
}

/* $1 is the type. */
int hint_iterator(hint *h)
{
    static const char *const types[] = { "generator", "map",         "filter",
                                         "zip",       "enumerate",   "dict_keys",
                                         "reversed",  "dict_values", "dict_items" };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (span_is(h->parts[0], types[i]))
            return hint_say(h, "Make a list of it first: list(x).");
    return 0;
}

/* What the line's loop goes over; empty where it is none. */
static span looped_over(span line)
{
    line = span_strip(line);
    const char *in = span_begins(line, "for ") ? memmem(line.at, line.len, " in ", 4) : NULL;
    line = span_from(line, in ? (size_t)(in - line.at) + 4 : line.len);
    const char *colon = memchr(line.at, ':', line.len);
    return span_strip(span_cut(line, colon ? (size_t)(colon - line.at) : 0));
}

int hint_range(hint *h)
{
    h->parts[0] = looped_over(h->place.line);
    /* The loop is what raised, and no call in its line. */
    span segment = h->place.segment;
    int is_loop = !segment.len || segment.at == h->parts[0].at || span_begins(segment, "for ");
    return is_loop && h->parts[0].len && hint_say(h, "To count, loop over range($1).");
}

int hint_unpacking(hint *h)
{
    h->parts[0] = looped_over(h->place.line);
    PyObject *items = h->parts[0].len ? place_value(&h->place, h->parts[0]) : NULL;
    int is_dict = items && PyDict_CheckExact(items);

    Py_XDECREF(items);
    return is_dict && hint_say(h, "A loop over a dict yields its keys: use $1.items().");
}

/* ---- numbers ---- */

/* Not of sum(), whose 0 is nobody's. Without the operator nothing else is said. */
int hint_plus(hint *h)
{
    return !memchr(h->place.segment.at, '+', h->place.segment.len);
}

int hint_division(hint *h)
{
    h->parts[0] = place_divisor(h->place.segment);
    if (h->parts[0].len == 0 || is_digit(h->parts[0].at[0]))
        return 0;
    return hint_say(h, "$1 is 0 here: test it before the division.");
}

static size_t digit_count(span text)
{
    size_t count = 0;
    while (count < text.len && is_digit(text.at[count]))
        count++;
    return count;
}

/* Digits with one point or without. */
static int is_number(span text)
{
    size_t digits = digit_count(text);
    size_t point = digits < text.len && text.at[digits] == '.';
    return digits > 0 && digits + point + digit_count(span_from(text, digits + point)) == text.len;
}

/* The last part is the text that is not a number; in the repr's form. */
int hint_number(hint *h)
{
    span text = h->parts[0];
    int is_int = h->message.at[0] == 'i';

    if (text.len >= 2)
        text = span_from(span_cut(text, text.len - 1), 1);
    text = span_strip(text);
    h->parts[0] = text;
    if (text.len == 0)
        return hint_say(h, "The text is empty: skip such values.");
    if (text.len > 1 && strchr("+-", text.at[0]))
        text = span_from(text, 1);

    if (is_int && is_number(text))
        return hint_say(h, "'$1' is not an integer: use float('$1'), or int(float('$1')).");
    if (is_int && (span_begins(text, "0x") || span_begins(text, "0X")))
        return hint_say(h, "Hexadecimal digits are read with int('$1', 16).");
    if (span_begins(text, "$") && is_number(span_from(text, 1)))
        return hint_say(h, "Remove the sign first: text.strip('$').");
    if (text.at[text.len - 1] == '%' && is_number(span_cut(text, text.len - 1)))
        return hint_say(h, "Remove the sign first: text.strip('%').");

    /* Digits and commas in front of a point, and the digits behind the last comma. */
    const char *point = memchr(text.at, '.', text.len);
    size_t behind = 0, commas = 0;
    if (point && !is_number(span_from(text, (size_t)(point - text.at) + 1)))
        return 0;
    if (point)
        text = span_cut(text, (size_t)(point - text.at));
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] != ',' && !is_digit(text.at[i]))
            return 0;
        commas += text.at[i] == ',';
        behind = text.at[i] == ',' ? 0 : behind + 1;
    }

    if (commas && behind == 3)
        return hint_say(h, "If the comma separates thousands: text.replace(',', '').");
    if (commas == 1 && behind && !is_int && !point)
        return hint_say(h, "For a decimal comma: float(text.replace(',', '.')).");
    return 0;
}

/* ---- assertions ---- */

/* "x is 3" */
static int add_fact(hint *h, span name, int count)
{
    PyObject *value = place_name(&h->place, name);
    Py_ssize_t len = value && !PyUnicode_CheckExact(value) ? length_of(value) : -1;
    size_t before = h->out->len;
    int said = 0;

    hint_add_text(h, count ? ", " : "Here ");
    hint_add(h, name);
    if (len >= 0) {
        str_printf(h->out, " has %zd item%s", len, len == 1 ? "" : "s");
        said = 1;
    } else if (value) {
        hint_add_text(h, " is ");
        said = hint_add_value(h, value);
    }

    if (!said)
        cut_to(h, before);

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

    /* Names of a comprehension are not those of the place. */
    if (!span_begins(rest, word) || memmem(rest.at, rest.len, " for ", 5))
        return 0;

    rest = span_from(rest, sizeof word - 1);
    while (rest.len > 0 && count < MOST_FACTS) {
        size_t len = place_name_len(rest);
        if (len == 0) {
            rest = skip_other(rest);
            continue;
        }
        count += add_fact(h, span_cut(rest, len), count);
        rest = skip_dotted(rest, len);
    }

    if (count)
        hint_add_text(h, ".");
    return count;
}

/* ---- limits ---- */

int hint_memory(hint *h)
{
    const memory_account *memory = h->in->options.memory;
    if (!memory || memory->limit_bytes == UINT64_MAX)
        return 0;

    str_printf(
        h->out,
        "The session may use %.4g MiB of memory: work in parts, use generators instead of lists, "
        "and delete what is no longer needed.",
        (double)memory->limit_bytes / (1 << 20));
    return 1;
}
