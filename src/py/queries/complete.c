#include "py/queries/complete.h"

#include <snug/snug.h>

#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/utf8.h"
#include "py/cell/magic.h"
#include "py/queries/collector.h"
#include "py/queries/file_names.h"
#include "py/queries/item_keys.h"
#include "py/queries/parameters.h"
#include "py/queries/source_place.h"

/* Names are what the guest made of them: other objects and texts that cannot be
 * written as a name are passed over. */
static void offer_object(collector *to, PyObject *name, name_kind kind)
{
    Py_ssize_t len;

    if (!PyUnicode_Check(name) || !PyUnicode_IsIdentifier(name))
        return;
    const char *text = PyUnicode_AsUTF8AndSize(name, &len);
    if (text)
        offer(to, text, (size_t)len, kind);
    else
        PyErr_Clear();
}

/* By its type alone: nothing of the guest's runs. */
static name_kind kind_of(PyObject *value)
{
    if (PyFunction_Check(value) || PyCFunction_Check(value) || PyMethod_Check(value))
        return NAME_OF_FUNCTION;
    if (PyType_Check(value))
        return NAME_OF_CLASS;
    return PyModule_Check(value) ? NAME_OF_MODULE : NAME_OF_INSTANCE;
}

/* Of what a module has, or the type of an object. Descriptors of types in C are functions too,
 * where they can be called. */
static name_kind kind_of_attribute(PyObject *object, PyObject *name)
{
    if (!PyUnicode_CheckExact(name))
        return NAME_OF_SOMETHING;

    PyObject *found = NULL; /* borrowed */
    if (PyModule_Check(object))
        found = PyDict_GetItemWithError(PyModule_GetDict(object), name);
    else
        found =
            _PyType_Lookup(PyType_Check(object) ? (PyTypeObject *)object : Py_TYPE(object), name);
    if (!found)
        return NAME_OF_SOMETHING;
    if (PyModule_Check(object))
        return kind_of(found);
    if (PyFunction_Check(found) || PyCFunction_Check(found) ||
        Py_TYPE(found) == &PyMethodDescr_Type || Py_TYPE(found) == &PyWrapperDescr_Type ||
        Py_TYPE(found) == &PyClassMethodDescr_Type)
        return NAME_OF_FUNCTION;
    return PyType_Check(found) ? NAME_OF_CLASS : NAME_OF_SOMETHING;
}

static void offer_keys(collector *to, PyObject *dict)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (dict && PyDict_Next(dict, &at, &key, &value))
        offer_object(to, key, kind_of(value));
}

static void offer_dir(collector *to, PyObject *object)
{
    PyObject *names = PyObject_Dir(object);
    for (Py_ssize_t i = 0; names && PyList_CheckExact(names) && i < PyList_GET_SIZE(names); i++)
        offer_object(to, PyList_GET_ITEM(names, i),
                     kind_of_attribute(object, PyList_GET_ITEM(names, i)));
    Py_XDECREF(names);
    PyErr_Clear();
}

static void offer_keywords(collector *to)
{
    static const char *const keywords[] = {
        "False",
        "None",
        "True",
        "and",
        "as",
        "assert",
        "async",
        "await",
        "break",
        "case",
        "class",
        "continue",
        "def",
        "del",
        "elif",
        "else",
        "except",
        "finally",
        "for",
        "from",
        "global",
        "if",
        "import",
        "in",
        "is",
        "lambda",
        "match",
        "nonlocal",
        "not",
        "or",
        "pass",
        "raise",
        "return",
        "try",
#if PYTHON_HAS_TYPE_STATEMENT
        "type",
#endif
        "while",
        "with",
        "yield",
    };
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
        offer(to, keywords[i], strlen(keywords[i]), NAME_IS_KEYWORD);
}

/* The next component of each module that begins with base ("xml." or ""). */
static void offer_modules(collector *to, const char *const *modules, piece base)
{
    for (; modules && *modules; modules++) {
        if (strncmp(*modules, base.at, base.len) == 0)
            offer(to, *modules + base.len, strcspn(*modules + base.len, "."), NAME_OF_MODULE);
    }
}

/* The part of a list behind its last comma or parenthesis, without white space
 * before it. */
static piece last_item(piece list)
{
    size_t start = list.len;
    while (start && !strchr(",(", list.at[start - 1]))
        start--;
    piece item = { list.at + start, list.len - start };
    skip_between_words(&item);
    return item;
}

static PyObject *name_object(piece name)
{
    return PyUnicode_DecodeUTF8(name.at, (Py_ssize_t)name.len, NULL);
}

/* Of a module that the session has loaded. */
static void offer_module_names(collector *to, const char *const *modules, piece name)
{
    PyObject *key = name_object(name);
    PyObject *module = key ? PyImport_GetModule(key) : NULL;

    if (module)
        offer_dir(to, module);
    Py_XDECREF(module);
    Py_XDECREF(key);
    PyErr_Clear();

    for (; modules && *modules; modules++) {
        const char *part = *modules;
        if (strncmp(part, name.at, name.len) == 0 && part[name.len] == '.')
            offer(to, part + name.len + 1, strcspn(part + name.len + 1, "."), NAME_OF_MODULE);
    }
}

/* Modules after `import` and `from`, and what a module has. The word at the cursor
 * is the end of the statement. Answers 0 if the statement is another one. */
static int offer_import(collector *to, const char *const *modules, piece statement)
{
    piece word = cut_word(&statement, 0);
    int is_from = piece_is(word, "from");
    if ((!is_from && !piece_is(word, "import")) || !statement.len ||
        !is_between_words(statement.at[0]))
        return 0;

    skip_between_words(&statement);
    piece rest = is_from ? statement : last_item(statement);
    piece module = cut_word(&rest, 1);
    if (!rest.len) {
        module.len -= to->prefix.len;
        if (!module.len || module.at[0] != '.')
            offer_modules(to, modules, module);
        return 1;
    }

    if (!is_from || !is_between_words(rest.at[0]))
        return 1;
    skip_between_words(&rest);
    word = cut_word(&rest, 0);
    if (!rest.len) {
        offer(to, "import", 6, NAME_IS_KEYWORD);
    } else if (piece_is(word, "import")) {
        piece item = last_item(rest);
        cut_word(&item, 0);
        if (!item.len) /* no "as" there */
            offer_module_names(to, modules, module);
    }

    return 1;
}

/* What the dotted path before the cursor ("a.b.") stands for: a new reference, or
 * NULL without an exception. */
static PyObject *find_object(PyObject *namespace, piece path)
{
    PyObject *object = NULL;

    while (path.len) {
        piece word = cut_word(&path, 0);
        path.at++; /* the dot */
        path.len--;
        PyObject *name = name_object(word);
        PyObject *next = NULL;
        if (name && object) {
            next = PyObject_GetAttr(object, name);
        } else if (name) {
            next = PyDict_GetItemWithError(namespace, name); /* borrowed, as the next */
            if (!next && !PyErr_Occurred())
                next = PyDict_GetItemWithError(PyEval_GetBuiltins(), name);
            Py_XINCREF(next);
        }
        Py_XDECREF(name);
        Py_XDECREF(object);
        object = next;
        if (!object)
            break;
    }

    PyErr_Clear();
    return object;
}

/* The dotted path of names that ends at the dot before start; empty if something
 * else stands there (a call, a number, a string). */
static piece path_before(const char *source, size_t start)
{
    size_t at = start;

    while (at && source[at - 1] == '.') {
        size_t end = --at;
        while (at && is_name(source[at - 1]))
            at--;
        if (at == end || is_digit(source[at]))
            return (piece){ source, 0 };
    }

    return (piece){ source + at, start - at };
}

/* Where the parenthesis of the call is open in which an argument begins at byte start; start: none
 * begins there. Strings with brackets in them lead astray: then other names are offered, or none.
 */
static size_t open_argument(const char *source, size_t start)
{
    size_t depth = 0, at = start;

    while (at > 0 && is_between_words(source[at - 1]))
        at--;
    if (at == 0 || (source[at - 1] != '(' && source[at - 1] != ','))
        return start;
    while (at-- > 0) {
        if (source[at] == ')' || source[at] == ']' || source[at] == '}')
            depth++;
        else if ((source[at] == '(' || source[at] == '[' || source[at] == '{') && depth-- == 0)
            return source[at] == '(' ? at : start;
    }
    return start;
}

static void offer_parameter(void *payload, const char *name, size_t len)
{
    collector *to = payload;
    str text = { 0 };

    if (str_append(&text, name, len) || str_add(&text, "="))
        to->error = error_no_memory();
    else
        offer(to, str_text(&text), text.len, NAME_OF_PARAMETER);
    str_free(&text);
}

static void offer_parameters(collector *to, PyObject *namespace, const char *source, size_t start)
{
    size_t call = open_argument(source, start), path = call;

    while (path > 0 && (is_name(source[path - 1]) || source[path - 1] == '.'))
        path--;
    if (call == start || path == call || is_digit(source[path]))
        return;
    /* With the parenthesis, where a path has a dot. */
    PyObject *callable = find_object(namespace, (piece){ source + path, call + 1 - path });
    if (callable)
        parameters_of(callable, offer_parameter, to);
    Py_XDECREF(callable);
}

static void offer_magic(collector *to, const char *name, int is_cell, piece written)
{
    str text = { 0 };

    if (strncmp(name, written.at, written.len) != 0)
        return;
    if (str_add(&text, is_cell ? "%%" : "%") || str_add(&text, name))
        to->error = error_no_memory();
    else
        offer_text(to, text.data, text.len, NAME_OF_MAGIC);
    str_free(&text);
}

/* "%ti", also behind "x = ", and "%%ti" as the cell begins. The magics, as in IPython, have their
 * marks with them. Answers 0 if something else stands there. */
static int offer_magics(collector *to, const char *source, size_t statement, size_t start)
{
    size_t mark = start, before;

    while (mark > statement && start - mark < 2 && source[mark - 1] == '%')
        mark--;
    if (mark == start)
        return 0;
    for (before = mark; before > statement && is_blank(source[before - 1]);)
        before--;
    if (before > statement && (source[before - 1] != '=' || start - mark > 1))
        return 0;

    /* Two marks are a cell's alone, and one may become two. */
    const int is_first = strspn(source, " \t\n") == mark, of_lines = start - mark == 1;
    const piece written = to->prefix;
    const char *name;
    to->list->start = mark;
    to->prefix.len = 0;
    for (size_t i = 0; of_lines && (name = magic_name(i, 0)); i++)
        offer_magic(to, name, 0, written);
    for (size_t i = 0; is_first && (name = magic_name(i, 1)); i++)
        offer_magic(to, name, 1, written);
    return 1;
}

/* What stands in the literal that begins with the quote at byte quote and goes on at the cursor.
 * Nothing is known of one with three quotes, nor with letters other than r before it. */
static void offer_inside(collector *to, interp *in, const source_cursor *at, size_t quote)
{
    const char *source = at->text;
    size_t begin = quote;
    piece written = { source + quote + 1, at->cursor - quote - 1 };

    while (begin > 0 && is_letter(source[begin - 1]))
        begin--;
    literal_style style = { .quote = source[quote], .is_raw = begin + 1 == quote };
    if (quote - begin > 1 || (style.is_raw && to_lower(source[begin]) != 'r') ||
        (written.len > 1 && written.at[0] == style.quote))
        return;

    to->list->start = quote + 1;
    to->prefix = written;
    if (is_index(source, begin))
        offer_item_keys(to, in->main, source, begin, style);
    else
        offer_files(to, in, style);
}

int complete_source(name_list *out, interp *in, const char *const *modules, const source_cursor *at,
                    uint64_t list_bytes)
{
    size_t fault, len = at->len, cursor = at->cursor;
    const char *source = at->text;
    if (cursor > len || utf8_check(source, cursor, &fault) != UTF8_FINE)
        return error_set(SNUG_EINVAL, "byte %zu is not a place between characters of the source",
                         cursor);

    size_t start = cursor;
    while (start && is_name(source[start - 1]))
        start--;
    name_list names = { .start = start };
    collector to = { .list = &names,
                     .room_bytes = list_bytes,
                     .prefix = { source + start, cursor - start } };
    source_place here = source_place_at(source, cursor);
    piece statement = { source + here.statement, cursor - here.statement };
    int is_number = start < cursor && is_digit(source[start]);
    if (here.literal < cursor) {
        offer_inside(&to, in, at, here.literal);
    } else if (here.is_quoted || is_number || offer_import(&to, modules, statement) ||
               offer_magics(&to, source, here.statement, start)) {
        /* Nothing more could stand here. */
    } else if (start && source[start - 1] == '.') {
        PyObject *object = find_object(in->main, path_before(source, start));
        if (object)
            offer_dir(&to, object);
        Py_XDECREF(object);
    } else {
        const literal_style style = { .quote = '\'', .is_whole = 1 };
        if (start == cursor && is_index(source, start))
            offer_item_keys(&to, in->main, source, start, style);
        offer_parameters(&to, in->main, source, start);
        offer_keys(&to, in->main);
        offer_keys(&to, PyEval_GetBuiltins());
        offer_keywords(&to);
    }

    if (to.error) {
        name_list_free(&names);
        return to.error;
    }

    sort_names(&names);
    *out = names;
    return SNUG_OK;
}
