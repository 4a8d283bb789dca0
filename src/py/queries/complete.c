#include "py/queries/complete.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <snug/snug.h>

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/beneath.h"
#include "base/error.h"
#include "base/jsontext.h"
#include "base/utf8.h"
#include "policy/paths.h"
#include "py/cell/magic.h"
#include "py/core/names.h"
#include "py/core/python.h"
#include "py/core/state.h"
#include "py/guard/audit.h"
#include "py/queries/source_place.h"

/* ---- parameters ---- */

/* The names that arguments of a call can be given by, as a callable has them: a
 * function in Python in its code, one in C in its text of a signature.
 *
 * The caller holds the session's interpreter. Attributes of a class may be looked up by code of the
 * guest's. */

typedef void (*parameter_taken)(void *payload, const char *name, size_t len);

typedef struct taker {
    parameter_taken take;
    void *payload;
} taker;

/* ---- a function in Python ---- */

/* What is called in the end: a new reference, or NULL; *bound: how many of its parameters are
 * given. */
static PyObject *function_of(PyObject *callable, Py_ssize_t *bound)
{
    static const char *const makers[] = { "__init__", "__new__" };

    *bound = 1;
    if (PyMethod_Check(callable))
        return Py_NewRef(PyMethod_GET_FUNCTION(callable));
    for (size_t i = 0; PyType_Check(callable) && i < sizeof makers / sizeof *makers; i++) {
        PyObject *maker = PyObject_GetAttrString(callable, makers[i]);
        if (maker && PyFunction_Check(maker))
            return maker;
        Py_XDECREF(maker);
        PyErr_Clear();
    }

    *bound = 0;
    return Py_NewRef(callable);
}

static void take_of_code(PyObject *function, Py_ssize_t bound, const taker *t)
{
    PyCodeObject *code = (PyCodeObject *)PyFunction_GET_CODE(function);
    PyObject *names = PyCode_GetVarnames(code);
    Py_ssize_t count = code->co_argcount + code->co_kwonlyargcount;
    Py_ssize_t first = code->co_posonlyargcount > bound ? code->co_posonlyargcount : bound;

    for (Py_ssize_t i = first; names && i < count && i < PyTuple_GET_SIZE(names); i++) {
        Py_ssize_t len;
        const char *name = PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(names, i), &len);
        if (name)
            t->take(t->payload, name, (size_t)len);
        PyErr_Clear();
    }
    Py_XDECREF(names);
    PyErr_Clear();
}

/* ---- one in C ---- */

/* The byte behind the quoted text at at. */
static size_t skip_quoted(const char *text, size_t at)
{
    const char quote = text[at++];

    while (text[at] && text[at] != quote)
        at += text[at] == '\\' && text[at + 1] ? 2 : 1;
    return text[at] ? at + 1 : at;
}

/* The end of the parameter at at: a comma, or the parenthesis that closes all. */
static size_t parameter_end(const char *text, size_t at)
{
    int depth = 0;

    while (text[at]) {
        if (text[at] == '\'' || text[at] == '"') {
            at = skip_quoted(text, at);
            continue;
        }
        if (depth == 0 && strchr(",)", text[at]))
            break;
        depth += (strchr("([{", text[at]) != NULL) - (strchr(")]}", text[at]) != NULL);
        at++;
    }
    return at;
}

/* The first byte of the parameter behind the parenthesis or the comma at at. */
static size_t parameter_begin(const char *text, size_t at)
{
    return at + 1 + strspn(text + at + 1, " ");
}

static int has_more(const char *text, size_t at)
{
    return text[at] && text[at] != ')';
}

/* "($module, iterable, /, *, key=None, reverse=False)": the names behind a slash, where there is
 * one. */
static void take_of_text(const char *text, const taker *t)
{
    size_t first = strcspn(text, "("), begin;

    for (size_t at = first; has_more(text, at); at = parameter_end(text, begin)) {
        begin = parameter_begin(text, at);
        if (text[begin] == '/')
            first = parameter_end(text, begin);
    }

    for (size_t at = first; has_more(text, at); at = parameter_end(text, begin)) {
        size_t len = 0;
        begin = parameter_begin(text, at);
        while (is_name(text[begin + len]))
            len++;
        if (len > 0)
            t->take(t->payload, text + begin, len);
    }
}

/* ---- any ---- */

/* One after the other; none where the callable does not say. Leaves no exception. */
static void parameters_of(PyObject *callable, parameter_taken take, void *payload)
{
    const taker t = { take, payload };
    Py_ssize_t bound;
    PyObject *function = function_of(callable, &bound), *text = NULL;

    if (PyFunction_Check(function))
        take_of_code(function, bound, &t);
    else if (PyCFunction_Check(callable) || PyType_Check(callable))
        text = PyObject_GetAttrString(callable, "__text_signature__");
    if (text && PyUnicode_Check(text)) {
        const char *signature = PyUnicode_AsUTF8(text);
        if (signature)
            take_of_text(signature, &t);
    }
    Py_XDECREF(text);
    Py_DECREF(function);
    PyErr_Clear();
}

/* ---- collector ---- */

/* The names that completion finds: those that begin as what was written, no more than
 * an answer may have, in their order. No Python is asked. */

/* The list that is filled, and what its names must begin with. */
typedef struct collector {
    name_list *list;
    size_t room;
    uint64_t room_bytes; /* in an answer */
    piece prefix;
    int error;
} collector;

/* How a literal spells a text. */
typedef struct literal_style {
    char quote;
    int is_raw;   /* it has no backslashes */
    int is_whole; /* the quotes are offered, too */
} literal_style;

/* A guest's __dir__ can answer anything; a prompt needs no more than this. */
enum { NAMES_MAX = 10000, BYTES_OF_A_NAME = 4 };

static int begins_with(piece prefix, const char *text, size_t len)
{
    return len >= prefix.len && memcmp(text, prefix.at, prefix.len) == 0;
}

/* The same for what is not a name of Python's. */
static void offer_text(collector *to, const char *text, size_t len, name_kind kind)
{
    name_list *list = to->list;
    if (to->error || list->count >= NAMES_MAX || !begins_with(to->prefix, text, len))
        return;

    uint64_t bytes = jsontext_quoted_bytes(text, len) + BYTES_OF_A_NAME;
    if (bytes > to->room_bytes)
        return;

    to->room_bytes -= bytes;
    if (array_reserve(&list->items, &to->room, list->count + 1, sizeof *list->items)) {
        to->error = error_no_memory();
        return;
    }

    list->items[list->count] = (found_name){ .kind = kind };
    if (str_append(&list->items[list->count].text, text, len))
        to->error = error_no_memory();
    else
        list->count++;
}

/* Adds a name that is wanted and for which there is room. Names with an underscore are for those
 * who begin with one. */
static void offer(collector *to, const char *name, size_t len, name_kind kind)
{
    if (name[0] != '_' || to->prefix.len > 0)
        offer_text(to, name, len, kind);
}

static int is_control(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f;
}

/* 1: spelled; 0: it cannot be; SNUG_ENOMEM. */
static int spell_text(str *out, const char *text, size_t len, literal_style style)
{
    int error = style.is_whole ? str_append(out, &style.quote, 1) : SNUG_OK;

    for (size_t i = 0; i < len && !error; i++) {
        const int is_escaped = text[i] == style.quote || text[i] == '\\';
        if ((is_escaped && style.is_raw) || is_control(text[i]))
            return 0;
        if (is_escaped)
            error = str_add(out, "\\");
        if (!error)
            error = str_append(out, text + i, 1);
    }

    if (!error && style.is_whole)
        error = str_append(out, &style.quote, 1);
    return error ? error : 1;
}

/* The same for what stands in such a literal. What cannot be spelled there is left out. */
static void offer_quoted(collector *to, const char *text, size_t len, literal_style style,
                         name_kind kind)
{
    str spelled = { 0 };
    int is_spelled = spell_text(&spelled, text, len, style);

    if (is_spelled < 0)
        to->error = error_no_memory();
    else if (is_spelled && spelled.len > 0)
        offer_text(to, spelled.data, spelled.len, kind);
    str_free(&spelled);
}

/* %time stands beside %%time, as in IPython. */
static int compare_texts(const char *one, const char *other)
{
    const int order = strcmp(one + strspn(one, "%"), other + strspn(other, "%"));

    return order ? order : strcmp(other, one);
}

/* Parameters first: they are what a call is completed for. */
static int compare_names(const void *a, const void *b)
{
    const found_name *one = a, *other = b;
    const int is_one = one->kind == NAME_OF_PARAMETER, is_other = other->kind == NAME_OF_PARAMETER;

    return is_one != is_other ? is_other - is_one
                              : compare_texts(str_text(&one->text), str_text(&other->text));
}

/* Each once. */
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

/* ---- item keys ---- */

/* The keys that an index could be: strings of a dict, and names of columns of a
 * DataFrame of pandas. What the index is of is looked up without code of the guest's; where that
 * does not do, nothing is found.
 *
 * The caller holds the session's interpreter. */

/* A prompt waits for the answer: no more keys are looked at, and no longer ones. */
enum { KEYS_MAX = 100000, KEY_CHARACTERS_MAX = 200, NESTED_MAX = 16 };

/* ---- what the index is of ---- */

/* Where the bracket is that byte at stands behind; at: there is none. */
static size_t bracket_before(const char *source, size_t at)
{
    size_t end = at;

    while (end > 0 && is_between_words(source[end - 1]))
        end--;
    return end > 0 && source[end - 1] == '[' ? end - 1 : at;
}

/* Whether an index begins at byte at: a bracket is before it, and before that what may have keys.
 */
static int is_index(const char *source, size_t at)
{
    size_t bracket = bracket_before(source, at);

    return bracket < at && bracket > 0 &&
           (is_name(source[bracket - 1]) || strchr(")]}", source[bracket - 1]));
}

static PyObject *text_of(piece name)
{
    return PyUnicode_DecodeUTF8(name.at, (Py_ssize_t)name.len, NULL);
}

/* Whether looking the attribute up runs nothing of the guest's. */
static int is_plain_attribute(PyObject *object, PyObject *name)
{
    PyTypeObject *type = Py_TYPE(object);
    if (type->tp_getattro != PyObject_GenericGetAttr)
        return 0;

    PyObject *found = _PyType_Lookup(type, name); /* borrowed */
    return !found || !Py_TYPE(found)->tp_descr_get || Py_TYPE(found) == &PyMemberDescr_Type;
}

/* A new reference, or NULL, with an exception or without. */
static PyObject *find_attribute(PyObject *object, PyObject *name)
{
    if (PyModule_CheckExact(object))
        return Py_XNewRef(PyDict_GetItemWithError(PyModule_GetDict(object), name));
    return is_plain_attribute(object, name) ? PyObject_GetAttr(object, name) : NULL;
}

static PyObject *find_name(PyObject *namespace, PyObject *name)
{
    PyObject *found = PyDict_GetItemWithError(namespace, name); /* borrowed, as the next */
    if (!found && !PyErr_Occurred())
        found = PyDict_GetItemWithError(PyEval_GetBuiltins(), name);
    return Py_XNewRef(found);
}

/* "a.b.c" */
static PyObject *find_path(PyObject *namespace, piece path)
{
    PyObject *object = NULL;

    do {
        PyObject *name = text_of(cut_word(&path, 0));
        PyObject *next = NULL;
        if (name)
            next = object ? find_attribute(object, name) : find_name(namespace, name);
        Py_XDECREF(name);
        Py_XSETREF(object, next);
        if (path.len > 0) { /* the dot */
            path.at++;
            path.len--;
        }
    } while (object && path.len > 0);

    return object;
}

/* Where the index that ends behind the bracket at end - 1 begins, and its text: a string without
 * backslashes, or a number. 0: it is another one. */
static size_t index_before(piece *index, const char *source, size_t end)
{
    size_t last = end - 1, at = last;

    if (last > 1 && (source[last - 1] == '"' || source[last - 1] == '\'')) {
        for (at = last - 1; at > 0 && source[at - 1] != source[last - 1];)
            if (source[--at] == '\\' || ends_line(source[at]))
                return 0;
        at -= at > 0;
    } else {
        while (at > 0 && is_digit(source[at - 1]))
            at--;
    }

    *index = (piece){ source + at, last - at };
    return index->len > 0 && at > 1 && source[at - 1] == '[' ? at - 1 : 0;
}

/* Of what is exactly a dict, a list or a tuple. */
static PyObject *find_item(PyObject *object, piece index)
{
    if (!is_digit(index.at[0])) {
        PyObject *key = text_of((piece){ index.at + 1, index.len - 2 }), *item = NULL;
        if (key && PyDict_CheckExact(object))
            item = Py_XNewRef(PyDict_GetItemWithError(object, key));
        Py_XDECREF(key);
        return item;
    }

    size_t number = strtoul(index.at, NULL, 10);
    if (PyList_CheckExact(object) && number < (size_t)PyList_GET_SIZE(object))
        return Py_NewRef(PyList_GET_ITEM(object, (Py_ssize_t)number));
    if (PyTuple_CheckExact(object) && number < (size_t)PyTuple_GET_SIZE(object))
        return Py_NewRef(PyTuple_GET_ITEM(object, (Py_ssize_t)number));
    return NULL;
}

/* What ends at byte end: names with dots, with items behind them. */
static PyObject *find_before(PyObject *namespace, const char *source, size_t end)
{
    piece indices[NESTED_MAX];
    size_t count = 0;

    while (end > 1 && source[end - 1] == ']') {
        if (count == NESTED_MAX || (end = index_before(&indices[count++], source, end)) == 0)
            return NULL;
    }

    piece path = path_at(source, end, end);
    if (path.len == 0 || path.at[0] == '.' || is_digit(path.at[0]))
        return NULL;
    PyObject *object = find_path(namespace, path);
    while (object && count > 0)
        Py_SETREF(object, find_item(object, indices[--count]));
    return object;
}

/* ---- its keys ---- */

static void offer_key(collector *to, PyObject *key, literal_style style)
{
    if (!PyUnicode_CheckExact(key) || PyUnicode_GET_LENGTH(key) > KEY_CHARACTERS_MAX)
        return;
    PyObject *text = PyUnicode_AsUTF8String(key);
    if (text)
        offer_quoted(to, PyBytes_AS_STRING(text), (size_t)PyBytes_GET_SIZE(text), style,
                     NAME_IS_KEY);
    else
        PyErr_Clear();
    Py_XDECREF(text);
}

static void offer_dict(collector *to, PyObject *dict, literal_style style)
{
    PyObject *key, *value;
    Py_ssize_t at = 0, seen = 0;

    while (seen++ < KEYS_MAX && PyDict_Next(dict, &at, &key, &value)) {
        Py_INCREF(key);
        offer_key(to, key, style);
        Py_DECREF(key);
    }
}

/* Whether it is exactly of that type of pandas, which is loaded then. */
static int is_of_pandas(PyObject *object, const char *type)
{
    PyObject *modules = PyImport_GetModuleDict(); /* borrowed, as the next */
    PyObject *pandas = PyDict_Check(modules) ? PyDict_GetItemString(modules, "pandas") : NULL;

    return pandas && PyModule_CheckExact(pandas) &&
           PyDict_GetItemString(PyModule_GetDict(pandas), type) == (PyObject *)Py_TYPE(object);
}

static void offer_columns(collector *to, PyObject *frame, literal_style style)
{
    PyObject *columns = PyObject_GetAttrString(frame, "columns"), *some = NULL, *names = NULL;

    if (columns && is_of_pandas(columns, "Index"))
        some = PySequence_GetSlice(columns, 0, KEYS_MAX);
    if (some)
        names = PyObject_CallMethod(some, "tolist", NULL);
    for (Py_ssize_t i = 0; names && PyList_CheckExact(names) && i < PyList_GET_SIZE(names); i++)
        offer_key(to, PyList_GET_ITEM(names, i), style);

    Py_XDECREF(names);
    Py_XDECREF(some);
    Py_XDECREF(columns);
}

/* Offers the keys of that. Leaves no exception. */
static void offer_item_keys(collector *to, PyObject *namespace, const char *source, size_t at,
                            literal_style style)
{
    PyObject *object = find_before(namespace, source, bracket_before(source, at));

    if (object && PyDict_CheckExact(object))
        offer_dict(to, object, style);
    else if (object && is_of_pandas(object, "DataFrame"))
        offer_columns(to, object, style);
    Py_XDECREF(object);
    PyErr_Clear();
}

/* ---- file names ---- */

/* The names of files that a literal could be going to be a path of: in the work
 * directory and in what is mounted there, as far as the session may read.
 *
 * On the session's thread, which the kernel's rules hold for. */

/* A prompt waits for the answer: of a larger folder, a part is enough. */
enum { ENTRIES_MAX = 20000 };

/* What follows root in an absolute path: NULL where it is not in there. */
static const char *rest_below(const char *root, const char *path)
{
    size_t len = strlen(root);

    if (strncmp(path, root, len) != 0 || (path[len] != '/' && path[len] != '\0'))
        return NULL;
    return path[len] ? path + len + 1 : ".";
}

/* Whether no link on the way leads out of the root. */
static int stays_in(const char *root, const char *path)
{
    const char *rest = rest_below(root, path);
    return rest && beneath(root, *rest ? rest : ".", 1);
}

/* The folder, by its own name, that the path of len bytes means; 0: the session has none there. */
static int find_folder(char out[PATH_MAX], interp *in, const char *path, size_t len)
{
    const interp_options *options = &in->options;
    const char *workdir = options->workdir;

    if (!workdir || paths_climb(path, len))
        return 0;
    if (len == 0) {
        path = ".";
        len = 1;
    }
    int is_mounted = paths_through_mount(out, PATH_MAX, options->mounts, options->mount_count,
                                         workdir, path, len);
    if (!is_mounted && !paths_normalise(out, PATH_MAX, workdir, path, len))
        return 0;

    int is_ours = !is_mounted && stays_in(workdir, out);
    for (size_t i = 0; i < options->mount_count && !is_ours; i++)
        is_ours = stays_in(options->mounts[i].root->path, out);
    return is_ours && (!in->is_guarded || audit_has_path(in, out, PATH_READ));
}

/* What is mounted is a link, of which the session may know that it leads to a folder. */
static int is_folder(const interp_options *options, int folder, const struct dirent *entry)
{
    struct stat facts;

    if (entry->d_type == DT_DIR)
        return 1;
    if (entry->d_type == DT_UNKNOWN)
        return fstatat(folder, entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
               S_ISDIR(facts.st_mode);
    for (size_t i = 0; entry->d_type == DT_LNK && i < options->mount_count; i++)
        if (strcmp(options->mounts[i].name, entry->d_name) == 0)
            return 1;
    return 0;
}

/* before: the path as far as it is written, up to its last slash. */
static void offer_entry(collector *to, const char *before, size_t len, const char *name,
                        int is_folder, literal_style style)
{
    str path = { 0 };
    size_t fault;

    if (utf8_check(name, strlen(name), &fault) != UTF8_FINE)
        return;
    if (str_append(&path, before, len) || str_add(&path, name) ||
        (is_folder && str_add(&path, "/")))
        to->error = error_no_memory();
    else
        offer_quoted(to, path.data, path.len, style, NAME_OF_FILE);
    str_free(&path);
}

/* As what is written begins. Folders end with a slash; names with a dot in front are for who has
 * written that. */
static void offer_files(collector *to, interp *in, literal_style style)
{
    char folder_path[PATH_MAX];
    const piece written = to->prefix;
    size_t len = written.len;

    while (len > 0 && written.at[len - 1] != '/')
        len--;
    /* What is spelled with a backslash would have to be read first. */
    if (memchr(written.at, '\\', len) || !find_folder(folder_path, in, written.at, len))
        return;
    DIR *folder = opendir(folder_path);
    if (!folder)
        return;

    const int shows_hidden = len < written.len && written.at[len] == '.';
    const struct dirent *entry;
    for (size_t seen = 0; seen < ENTRIES_MAX && !to->error && (entry = readdir(folder)); seen++) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || (*name == '.' && !shows_hidden))
            continue;
        offer_entry(to, written.at, len, name, is_folder(&in->options, dirfd(folder), entry),
                    style);
    }
    closedir(folder);
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
