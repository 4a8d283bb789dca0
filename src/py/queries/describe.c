#include "py/queries/describe.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/jsontext.h"
#include "base/utf8.h"
#include "policy/source.h"
#include "py/cell/magic.h"
#include "py/core/interp.h"
#include "py/core/raised.h"
#include "py/queries/parameters.h"

/* A guest's __dir__ can answer anything; a prompt needs no more than this. */
enum { NAMES_MAX = 10000, BYTES_OF_A_NAME = 4 };

/* Where reading ended, and what stands there. */
typedef struct spot {
    size_t statement;  /* where the last statement begins; the end, if none did */
    int block_is_open; /* the last logical line is indented */
    int is_quoted;     /* the end is inside a string or a comment */
} spot;

static int begins_literal(char c)
{
    return c == '"' || c == '\'';
}

/* Whether the quote at at is the first of three. */
static int is_triple_quote(const char *s, size_t len, size_t at)
{
    return len - at >= 3 && s[at + 1] == s[at] && s[at + 2] == s[at];
}

static int ends_line(char c)
{
    return c == '\n' || c == '\r';
}

/* The offset behind the string that begins at at; len + 1 if it goes on there. */
static size_t skip_literal(const char *s, size_t len, size_t at)
{
    char quote = s[at];
    int is_triple = is_triple_quote(s, len, at);
    size_t width = is_triple ? 3 : 1;

    for (at += width; at < len; at++) {
        if (s[at] == '\\')
            at++;
        else if (!is_triple && ends_line(s[at]))
            return at; /* a string that CPython will refuse */
        else if (s[at] == quote && (!is_triple || is_triple_quote(s, len, at)))
            return at + width;
    }

    return len + 1;
}

/* Tokens enough to know lines, statements, strings and comments. The quotes inside
 * an f-string (3.12) come in pairs, so that it ends where it should. */
static spot read_source(const char *s, size_t len)
{
    spot found = { 0 };
    size_t depth = 0, line = 0;
    int begins_line = 1, begins_statement = 1;

    for (size_t at = 0; at < len;) {
        char c = s[at];
        if (c == '#') {
            while (at < len && !ends_line(s[at]))
                at++;
            found.is_quoted = at == len;
            continue;
        }
        if (c == '\\') {
            int joins_crlf = at + 2 < len && s[at + 1] == '\r' && s[at + 2] == '\n';
            at += joins_crlf ? 3 : 2;
            continue;
        }
        if (ends_line(c)) {
            line = ++at;
            if (!depth)
                begins_line = begins_statement = 1;
            continue;
        }
        if (is_blank(c) || c == '\f') {
            at++;
            if (c == '\f')
                line = at; /* indentation counts from a form feed */
            continue;
        }
        if (begins_line)
            found.block_is_open = at > line;
        if (begins_statement)
            found.statement = at;
        begins_line = begins_statement = 0;
        if (begins_literal(c)) {
            at = skip_literal(s, len, at);
            found.is_quoted = at > len;
            continue;
        }
        if (strchr("([{", c))
            depth++;
        else if (strchr(")]}", c))
            depth -= depth > 0;
        else if (!depth && (c == ';' || c == ':'))
            begins_statement = 1;
        at++;
    }

    if (begins_statement)
        found.statement = len;
    return found;
}

/* A filter that keeps the compiler's warnings away from the session's stderr. */
typedef struct muted {
    PyObject *filters, *ignore; /* NULL where the session has no such list any more */
} muted;

/* Puts ("ignore", None, Warning, None, 0) before the filters in force. */
static muted warnings_off(void)
{
    muted out = { 0 };
    PyObject *modules = PyImport_GetModuleDict(); /* borrowed, as the next two */
    if (!PyDict_Check(modules))
        return out;

    PyObject *module = PyDict_GetItemString(modules, "warnings");
    if (!module)
        module = PyDict_GetItemString(modules, "_warnings");
    if (!module || !PyModule_Check(module))
        return out;

    PyObject *filters = PyDict_GetItemString(PyModule_GetDict(module), "filters");
    if (!filters || !PyList_CheckExact(filters))
        return out;

    out.filters = Py_NewRef(filters);
    out.ignore = Py_BuildValue("sOOOi", "ignore", Py_None, PyExc_Warning, Py_None, 0);
    if (!out.ignore || PyList_Insert(filters, 0, out.ignore) != 0)
        PyErr_Clear();
    return out;
}

/* A finalizer may have changed the list meanwhile: takes out what was put in. */
static void warnings_on(muted *warnings)
{
    for (Py_ssize_t i = 0; warnings->filters && i < PyList_GET_SIZE(warnings->filters); i++) {
        if (PyList_GET_ITEM(warnings->filters, i) != warnings->ignore)
            continue;
        if (PyList_SetSlice(warnings->filters, i, i + 1, NULL) != 0)
            PyErr_Clear();
        break;
    }

    Py_CLEAR(warnings->filters);
    Py_CLEAR(warnings->ignore);
}

/* Takes the exception off; whether it says that the source is not whole. */
static int wants_more(void)
{
    PyObject *exc = raised_take();
    int answer = 0;

    if (exc && PyErr_GivenExceptionMatches(exc, PyExc_SyntaxError)) {
        /* 3.13 has a type for it, 3.11 the message alone. */
        PyObject *message = ((PySyntaxErrorObject *)exc)->msg;
        answer = message && PyUnicode_Check(message) &&
                 PyUnicode_CompareWithASCIIString(message, "incomplete input") == 0;
    }

    Py_XDECREF(exc);
    PyErr_Clear();
    return answer;
}

static int last_line_is_blank(const char *s, size_t len)
{
    while (len && (is_blank(s[len - 1]) || s[len - 1] == '\f'))
        len--;
    return !len || ends_line(s[len - 1]);
}

/* Code, or NULL with an exception. */
static PyObject *compile_input(const char *text, int flags)
{
    enum {
        FLAGS = PyCF_ALLOW_INCOMPLETE_INPUT | PyCF_DONT_IMPLY_DEDENT | PyCF_ALLOW_TOP_LEVEL_AWAIT |
                PyCF_SOURCE_IS_UTF8 | PyCF_IGNORE_COOKIE
    };
    PyCompilerFlags compiler = { .cf_flags = flags | FLAGS,
                                 .cf_feature_version = PY_MINOR_VERSION };
    PyObject *name = PyUnicode_FromString("<input>");
    if (!name)
        return NULL;

    PyObject *code = Py_CompileStringObject(text, name, Py_file_input, &compiler, -1);
    Py_DECREF(name);
    return code;
}

/* A line with such a mark is none of Python's, and may be right. */
static int may_be_magic(const source_text *text)
{
    return strpbrk(text->text, "%?!") != NULL;
}

static int is_text_complete(const source_text *text, int flags)
{
    muted warnings = warnings_off();
    PyObject *code = compile_input(text->text, flags);
    int ends_blank = last_line_is_blank(text->text, text->len), answer;

    if (magic_is_cell(text->text, text->len))
        answer = ends_blank;
    else if (code)
        answer = ends_blank || !read_source(text->text, text->len).block_is_open;
    else if (wants_more())
        answer = SNUG_COMPLETENESS_INCOMPLETE;
    else
        answer = may_be_magic(text) ? SNUG_COMPLETENESS_COMPLETE : SNUG_COMPLETENESS_INVALID;

    Py_XDECREF(code);
    warnings_on(&warnings);
    return answer;
}

int describe_is_complete(const char *source, size_t len, int flags)
{
    source_text text;
    source_fault fault;
    int answer = SNUG_COMPLETENESS_INVALID;
    int prepared = source_prepare(&text, &fault, source, len, UINT64_MAX);

    if (prepared < 0)
        answer = error_no_memory();
    else if (prepared > 0)
        answer = is_text_complete(&text, flags);

    source_free(&text);
    return answer;
}

/* A piece of the source. */
typedef struct piece {
    const char *at;
    size_t len;
} piece;

/* The list that is filled, and what its names must begin with. */
typedef struct collector {
    name_list *list;
    size_t room;
    uint64_t room_bytes; /* in an answer */
    piece prefix;
    int error;
} collector;

/* Names with an underscore are for those who begin with one. */
static int is_wanted(piece prefix, const char *name, size_t len)
{
    if (len < prefix.len || memcmp(name, prefix.at, prefix.len) != 0)
        return 0;
    return name[0] != '_' || prefix.len > 0;
}

static void offer(collector *to, const char *name, size_t len, name_kind kind)
{
    name_list *list = to->list;
    if (to->error || list->count >= NAMES_MAX || !is_wanted(to->prefix, name, len))
        return;

    uint64_t bytes = jsontext_quoted_bytes(name, len) + BYTES_OF_A_NAME;
    if (bytes > to->room_bytes)
        return;

    to->room_bytes -= bytes;
    if (array_reserve(&list->items, &to->room, list->count + 1, sizeof *list->items)) {
        to->error = error_no_memory();
        return;
    }

    list->items[list->count] = (found_name){ .kind = kind };
    if (str_append(&list->items[list->count].text, name, len))
        to->error = error_no_memory();
    else
        list->count++;
}

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

/* Parameters first: they are what a call is completed for. */
static int compare_names(const void *a, const void *b)
{
    const found_name *one = a, *other = b;
    const int is_one = one->kind == NAME_OF_PARAMETER, is_other = other->kind == NAME_OF_PARAMETER;

    return is_one != is_other ? is_other - is_one
                              : strcmp(str_text(&one->text), str_text(&other->text));
}

static void sort_names(name_list *list)
{
    size_t kept = 0;

    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, compare_names);
    for (size_t i = 0; i < list->count; i++) {
        if (kept && compare_names(&list->items[kept - 1], &list->items[i]) == 0)
            str_free(&list->items[i].text);
        else
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

/* A joined line is space too. */
static int is_between_words(char c)
{
    return is_blank(c) || c == '\f' || ends_line(c) || c == '\\';
}

/* Takes a run of name characters and, if dots is set, dots off the front. */
static piece cut_word(piece *text, int dots)
{
    piece word = { text->at, 0 };
    while (word.len < text->len &&
           (is_name(word.at[word.len]) || (dots && word.at[word.len] == '.')))
        word.len++;
    text->at += word.len;
    text->len -= word.len;
    return word;
}

static void skip_between_words(piece *text)
{
    while (text->len && is_between_words(text->at[0])) {
        text->at++;
        text->len--;
    }
}

static int piece_is(piece word, const char *text)
{
    return word.len == strlen(text) && memcmp(word.at, text, word.len) == 0;
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

int describe_complete(name_list *out, PyObject *namespace, const char *const *modules,
                      const complete_source *at, uint64_t list_bytes)
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
    spot here = read_source(source, cursor);
    piece statement = { source + here.statement, cursor - here.statement };
    int is_number = start < cursor && is_digit(source[start]);
    if (here.is_quoted || is_number || offer_import(&to, modules, statement)) {
        /* Nothing more could stand here. */
    } else if (start && source[start - 1] == '.') {
        PyObject *object = find_object(namespace, path_before(source, start));
        if (object)
            offer_dir(&to, object);
        Py_XDECREF(object);
    } else {
        offer_parameters(&to, namespace, source, start);
        offer_keys(&to, namespace);
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

/* ---- the name that is meant ---- */

static int is_of_path(char c)
{
    return is_name(c) || c == '.';
}

/* The path at the cursor, up to the name under it; empty if something else stands there. */
static piece path_at(const char *source, size_t len, size_t cursor)
{
    size_t end = cursor, start;

    while (end < len && is_of_path(source[end]) && source[end] != '.')
        end++;
    for (start = end; start > 0 && is_of_path(source[start - 1]);)
        start--;
    return (piece){ source + start, end - start };
}

static int begins_number(piece path)
{
    size_t dots = path.len > 1 && path.at[0] == '.';
    return path.len > 0 && is_digit(path.at[dots]);
}

/* The function in whose call byte at stands: what is before the last parenthesis that is still open
 * there and has a name before it. Strings with parentheses in them lead astray: then another name
 * is found, or none. */
static piece called_at(const char *source, size_t at)
{
    size_t depth = 0;

    for (size_t i = at; i-- > 0;) {
        if (source[i] == ')') {
            depth++;
        } else if (source[i] == '(' && depth > 0) {
            depth--;
        } else if (source[i] == '(') {
            piece name = path_at(source, i, i);
            if (name.len > 0)
                return name;
        }
    }

    return (piece){ source, 0 };
}

void interp_name_at(size_t *at, size_t *len, const char *source, size_t source_len, size_t cursor)
{
    piece path = path_at(source, source_len, cursor);

    if (path.len == 0 || begins_number(path))
        path = called_at(source, cursor);
    *at = path.len > 0 ? (size_t)(path.at - source) : 0;
    *len = path.len;
}
