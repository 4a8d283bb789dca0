#include "py/report/suggest.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/nearest.h"
#include "py/report/suggest_hint.h"

/* What traceback.py took over from the printer: imports, self.x, subclasses, and names
 * with an underscore only for those who asked for one. */
#define SUGGESTS_AS_TRACEBACK PYTHON_REPORTS_IN_PYTHON

/* More are not looked at. (nearest_name gives up at 750, but there the names of a class
 * that overrides its bases' count once.) */
enum { MAX_NAMES = 20000 };

/* Texts of strings that their dicts keep alive: between adding the first one and the
 * last look at them, nothing may run that could be the guest's, a garbage collection
 * included. */
typedef struct names {
    const char **items;
    size_t count, cap;
} names;

static const char *ascii_or_utf8(PyObject *name)
{
    if (PyUnicode_IS_ASCII(name))
        return (const char *)PyUnicode_1BYTE_DATA(name);

    /* A lone surrogate would make an exception, and that a garbage collection. */
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(name); i++)
        if (Py_UNICODE_IS_SURROGATE(PyUnicode_READ_CHAR(name, i)))
            return NULL;

    const char *text = PyUnicode_AsUTF8(name);
    if (!text)
        PyErr_Clear();
    return text;
}

/* Without memory the name is left out. */
static void add_candidate(names *to, PyObject *name)
{
    const char *text = PyUnicode_Check(name) ? ascii_or_utf8(name) : NULL;
    if (!text || to->count >= MAX_NAMES)
        return;

    if (array_reserve(&to->items, &to->cap, to->count + 1, sizeof *to->items) == 0)
        to->items[to->count++] = text;
}

static void add_keys(names *to, PyObject *dict)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    if (dict && PyDict_Check(dict))
        while (PyDict_Next(dict, &at, &key, &value))
            add_candidate(to, key);
}

#if SUGGESTS_AS_TRACEBACK

/* Borrowed; found by comparing texts, so that no __eq__ of another key runs. */
static PyObject *value_under(PyObject *dict, const char *name)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;

    while (dict && PyDict_Check(dict) && PyDict_Next(dict, &at, &key, &value)) {
        const char *text = PyUnicode_Check(key) ? ascii_or_utf8(key) : NULL;
        if (text && !strcmp(text, name))
            return value;
    }

    return NULL;
}

#endif

/* ---- attributes ---- */

/* Where an object's attributes are, without asking it. */
typedef struct attributes {
    PyObject *own;   /* the module's or instance's dict, or NULL; owned */
    PyObject *types; /* a tuple of types; owned */
} attributes;

static void attributes_of(attributes *out, PyObject *object)
{
    *out = (attributes){ 0 };
    if (PyModule_Check(object)) {
        out->own = Py_XNewRef(PyModule_GetDict(object));
    } else if (PyType_Check(object)) {
        out->types = Py_XNewRef(((PyTypeObject *)object)->tp_mro);
    } else {
        out->types = Py_XNewRef(Py_TYPE(object)->tp_mro);
        if (Py_TYPE(object)->tp_dictoffset != 0)
            out->own = PyObject_GenericGetDict(object, NULL);
    }
    PyErr_Clear();
}

static void attributes_free(attributes *from)
{
    Py_CLEAR(from->own);
    Py_CLEAR(from->types);
}

static Py_ssize_t type_count(const attributes *from)
{
    return from->types && PyTuple_Check(from->types) ? PyTuple_GET_SIZE(from->types) : 0;
}

static void add_candidates_of(names *to, const attributes *from)
{
    add_keys(to, from->own);
    for (Py_ssize_t i = 0; i < type_count(from); i++) {
        PyObject *dict = python_type_dict((PyTypeObject *)PyTuple_GET_ITEM(from->types, i));
        add_keys(to, dict);
        Py_XDECREF(dict);
    }
}

/* The nearest of them; they are freed. 1 if there is one. */
static int take_nearest(str *out, names *of, const char *wrong)
{
    const char *name = nearest_name(wrong, of->items, of->count);
    int found = name && str_add(out, name) == SNUG_OK;
    free(of->items);
    *of = (names){ 0 };
    return found;
}

static int compare_candidates(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* As dir() gives them: sorted, each once. */
static void sort_candidates(names *of)
{
    size_t kept = 0;
    if (of->count)
        qsort(of->items, of->count, sizeof *of->items, compare_candidates);
    for (size_t i = 0; i < of->count; i++)
        if (!kept || strcmp(of->items[kept - 1], of->items[i]) != 0)
            of->items[kept++] = of->items[i];
    of->count = kept;
}

static void hide_underscored(names *of)
{
    size_t kept = 0;
    for (size_t i = 0; i < of->count; i++)
        if (of->items[i][0] != '_')
            of->items[kept++] = of->items[i];
    of->count = kept;
}

/* ---- frames ---- */

/* The frame that raised, or NULL; owned. */
static PyFrameObject *innermost_frame(PyObject *exc)
{
    PyTracebackObject *entry = (PyTracebackObject *)((PyBaseExceptionObject *)exc)->traceback;
    if (!entry || !PyTraceBack_Check((PyObject *)entry))
        return NULL;
    while (entry->tb_next)
        entry = entry->tb_next;
    return (PyFrameObject *)Py_XNewRef((PyObject *)entry->tb_frame);
}

#if SUGGESTS_AS_TRACEBACK

/* The value of self in the frame, or NULL; owned. */
static PyObject *self_of(PyFrameObject *frame, PyObject *locals)
{
    PyObject *self = NULL;
    if (locals && PyDict_Check(locals))
        self = Py_XNewRef(value_under(locals, "self"));
    else if (locals && PyFrameLocalsProxy_Check(locals))
        self = PyFrame_GetVarString(frame, "self");
    PyErr_Clear();
    return self;
}

/* Of the innermost frame; what is missing is NULL. */
typedef struct scope {
    PyFrameObject *frame;
    PyObject *locals, *local_names, *globals, *builtins, *self;
} scope;

static void scope_of(scope *out, PyObject *exc)
{
    *out = (scope){ .frame = innermost_frame(exc) };
    if (!out->frame)
        return;

    out->locals = PyFrame_GetLocals(out->frame);
    if (out->locals && PyFrameLocalsProxy_Check(out->locals))
        out->local_names = PyMapping_Keys(out->locals);
    out->globals = PyFrame_GetGlobals(out->frame);
    out->builtins = PyFrame_GetBuiltins(out->frame);
    PyErr_Clear();
    out->self = self_of(out->frame, out->locals);
}

static void scope_free(scope *of)
{
    Py_CLEAR(of->frame);
    Py_CLEAR(of->locals);
    Py_CLEAR(of->local_names);
    Py_CLEAR(of->globals);
    Py_CLEAR(of->builtins);
    Py_CLEAR(of->self);
}

static int has_attribute(PyObject *object, const char *name)
{
    attributes from;

    attributes_of(&from, object);
    int found = value_under(from.own, name) != NULL;
    for (Py_ssize_t i = 0; !found && i < type_count(&from); i++) {
        PyObject *dict = python_type_dict((PyTypeObject *)PyTuple_GET_ITEM(from.types, i));
        found = value_under(dict, name) != NULL;
        Py_XDECREF(dict);
    }

    attributes_free(&from);
    return found;
}

static int suggest_for_name(str *out, PyObject *exc, const char *wrong)
{
    scope in;
    names near = { 0 };
    int found = 0;

    scope_of(&in, exc);
    if (in.self && has_attribute(in.self, wrong)) {
        found = str_printf(out, "self.%s", wrong) == SNUG_OK;
    } else if (in.frame) {
        for (Py_ssize_t i = 0; in.local_names && i < PyList_GET_SIZE(in.local_names); i++)
            add_candidate(&near, PyList_GET_ITEM(in.local_names, i));
        add_keys(&near, in.locals);
        add_keys(&near, in.globals);
        add_keys(&near, in.builtins);
        found = take_nearest(out, &near, wrong);
    }

    scope_free(&in);
    return found;
}

#else

/* The names of the code's variables, those from outside not among them, then the globals, then the
 * builtins: a nearer one further out does not count. */
static int suggest_for_name(str *out, PyObject *exc, const char *wrong)
{
    PyFrameObject *frame = innermost_frame(exc);
    if (!frame)
        return 0;

    PyCodeObject *code = PyFrame_GetCode(frame);
    PyObject *globals = PyFrame_GetGlobals(frame), *builtins = PyFrame_GetBuiltins(frame);
    PyObject *variables = PyCode_GetVarnames(code);
    PyErr_Clear();

    names near = { 0 };
    for (Py_ssize_t i = 0; variables && i < PyTuple_GET_SIZE(variables); i++)
        add_candidate(&near, PyTuple_GET_ITEM(variables, i));
    int found = take_nearest(out, &near, wrong);

    PyObject *dicts[] = { globals, builtins };
    for (size_t i = 0; !found && i < 2; i++) {
        add_keys(&near, dicts[i]);
        found = take_nearest(out, &near, wrong);
    }

    Py_XDECREF(globals);
    Py_XDECREF(builtins);
    Py_XDECREF(variables);
    Py_DECREF(code);
    Py_DECREF(frame);
    return found;
}

#endif

/* ---- exceptions ---- */

#if SUGGESTS_AS_TRACEBACK

/* Names with an underscore are for those who asked for one, and for methods of the object. */
static int shows_underscored(PyObject *exc, PyObject *object, const char *wrong)
{
    scope in;

    if (wrong[0] == '_')
        return 1;
    if (!exc)
        return 0;

    scope_of(&in, exc);
    int is_own = in.self == object;
    scope_free(&in);
    return is_own;
}

#else

static int shows_underscored(PyObject *exc, PyObject *object, const char *wrong)
{
    (void)exc;
    (void)object;
    (void)wrong;
    return 1;
}

#endif

#if PYTHON_KNOWS_OTHER_LANGUAGES

/* What the object has under that name without code that runs for it; owned, or NULL. */
static PyObject *plain_attribute(PyObject *object, const char *name)
{
    attributes from;
    PyObject *value = NULL;

    attributes_of(&from, object);
    for (Py_ssize_t i = 0; !value && i < type_count(&from); i++) {
        PyObject *dict = python_type_dict((PyTypeObject *)PyTuple_GET_ITEM(from.types, i));
        value = Py_XNewRef(value_under(dict, name));
        Py_XDECREF(dict);
    }

    int is_descriptor = value && !PyType_Check(object) && Py_TYPE(value)->tp_descr_get;
    PyObject *own = is_descriptor ? NULL : value_under(from.own, name);
    if (own || is_descriptor)
        Py_XSETREF(value, Py_XNewRef(own));
    attributes_free(&from);
    return value;
}

/* As many of the names, and as many of the wrong name's characters, as traceback.py looks at. */
enum { MOST_NESTED = 20, MOST_NAMES_NESTED = 750, MOST_WRONG_BYTES = 40 };

/* Of an attribute that has the name, "connection.close". */
static int suggest_nested(str *out, PyObject *object, const names *of, const char *wrong)
{
    int found = 0, left = MOST_NESTED;
    if (of->count > MOST_NAMES_NESTED || strlen(wrong) > MOST_WRONG_BYTES)
        return 0;

    for (size_t i = 0; !found && left > 0 && i < of->count; i++) {
        if (of->items[i][0] == '_')
            continue;
        left--;
        PyObject *value = plain_attribute(object, of->items[i]);
        found = value && has_attribute(value, wrong) &&
                str_printf(out, "%s.%s", of->items[i], wrong) == SNUG_OK;
        Py_XDECREF(value);
    }

    return found;
}

#else

static int suggest_nested(str *out, PyObject *object, const names *of, const char *wrong)
{
    (void)out;
    (void)object;
    (void)of;
    (void)wrong;
    return 0;
}

#endif

/* exc: whose traceback tells whether private names are in reach; NULL: they are not. */
static int suggest_for_attribute(str *out, PyObject *exc, PyObject *object, const char *wrong)
{
    attributes from;
    names near = { 0 };

    attributes_of(&from, object);
    int is_whole = shows_underscored(exc, object, wrong);
    add_candidates_of(&near, &from);
    sort_candidates(&near);
    if (!is_whole)
        hide_underscored(&near);
    const char *name = nearest_name(wrong, near.items, near.count);
    int found =
        name ? str_add(out, name) == SNUG_OK : exc && suggest_nested(out, object, &near, wrong);
    free(near.items);
    attributes_free(&from);
    return found;
}

#if SUGGESTS_AS_TRACEBACK

/* The package in front, as __import__ answers it: traceback.py looks no deeper. */
static PyObject *package_of(PyObject *module_name)
{
    str package = { 0 };
    const char *name = NULL;

    if (module_name && PyUnicode_Check(module_name))
        name = ascii_or_utf8(module_name);
    if (!name || str_append(&package, name, strcspn(name, ".")) != SNUG_OK)
        return NULL;

    PyObject *module = Py_XNewRef(value_under(PyImport_GetModuleDict(), str_text(&package)));
    str_free(&package);
    return module;
}

static int suggest_for_import(str *out, const PyImportErrorObject *error)
{
    /* Finding the names may run what replaces the error's own. */
    PyObject *name = Py_XNewRef(error->name_from);
    const char *wrong = name && PyUnicode_Check(name) ? ascii_or_utf8(name) : NULL;
    PyObject *package = wrong ? package_of(error->name) : NULL;
    int found = package && suggest_for_attribute(out, NULL, package, wrong);

    Py_XDECREF(package);
    Py_XDECREF(name);
    return found;
}

#endif

static int is_a(PyObject *exc, PyObject *type)
{
#if SUGGESTS_AS_TRACEBACK
    return PyObject_TypeCheck(exc, (PyTypeObject *)type);
#else
    return Py_IS_TYPE(exc, (PyTypeObject *)type);
#endif
}

static int suggest_nearest(str *out, PyObject *exc, PyObject *name, PyObject *object)
{
    const char *wrong = name && PyUnicode_Check(name) ? ascii_or_utf8(name) : NULL;
    if (!wrong)
        return 0;
    if (is_a(exc, PyExc_NameError))
        return suggest_for_name(out, exc, wrong);
    return object && suggest_for_attribute(out, exc, object, wrong);
}

int suggest_name(str *out, PyObject *exc)
{
    PyObject *name = NULL, *object = NULL;
#if SUGGESTS_AS_TRACEBACK
    if (is_a(exc, PyExc_ImportError))
        return suggest_for_import(out, (PyImportErrorObject *)exc);
#endif
    if (is_a(exc, PyExc_NameError)) {
        name = ((PyNameErrorObject *)exc)->name;
    } else if (is_a(exc, PyExc_AttributeError)) {
        name = ((PyAttributeErrorObject *)exc)->name;
        object = ((PyAttributeErrorObject *)exc)->obj;
    } else {
        return 0;
    }

    Py_XINCREF(name);
    Py_XINCREF(object);
    int found = suggest_nearest(out, exc, name, object);
    Py_XDECREF(name);
    Py_XDECREF(object);
    return found;
}

#if SUGGESTS_AS_TRACEBACK

/* The missing name, if it is that of a module of the standard library; borrowed. */
static PyObject *missing_module(PyObject *exc)
{
    if (!is_a(exc, PyExc_NameError))
        return NULL;
    PyObject *name = ((PyNameErrorObject *)exc)->name;
    PyObject *modules = PySys_GetObject("stdlib_module_names");
    if (!name || !PyUnicode_CheckExact(name) || !modules || !PyFrozenSet_CheckExact(modules))
        return NULL;

    int found = PySet_Contains(modules, name) == 1;
    PyErr_Clear();
    return found ? name : NULL;
}

#endif

#if PYTHON_KNOWS_OTHER_LANGUAGES

/* Of an AttributeError; or NULL. Borrowed. */
static const char *wrong_attribute(PyObject *exc)
{
    PyObject *name = is_a(exc, PyExc_AttributeError) ? ((PyAttributeErrorObject *)exc)->name : NULL;
    return name && PyUnicode_Check(name) ? ascii_or_utf8(name) : NULL;
}

/* "'.name'", with what it is made of behind it where that is not seen. */
static int add_name(str *out, const char *before, const char *name)
{
    int error = str_printf(out, "'%s%s'", before, name);
    PyObject *text = error ? NULL : PyUnicode_FromString(name);
    if (text && !PyUnicode_IS_ASCII(text)) {
        PyObject *escaped = PyObject_ASCII(text);
        const char *shown = escaped ? PyUnicode_AsUTF8(escaped) : NULL;
        if (shown)
            error = str_printf(out, " (%s)", shown);
        Py_XDECREF(escaped);
    }

    Py_XDECREF(text);
    PyErr_Clear();
    return error;
}

static int add_question(str *out, PyObject *exc, const char *near)
{
    const char *wrong = wrong_attribute(exc);
    int error = str_add(out, wrong ? ". Did you mean " : ". Did you mean: ");
    if (!error)
        error = add_name(out, wrong ? "." : "", near);
    if (!error && wrong && !(error = str_add(out, " instead of ")))
        error = add_name(out, ".", wrong);
    return error ? error : str_add(out, "?");
}

/* Where there is one, nothing else is said. */
static const char *hint_of(PyObject *exc)
{
    const char *wrong = wrong_attribute(exc);
    return wrong ? suggest_hint(((PyAttributeErrorObject *)exc)->obj, wrong) : NULL;
}

#else

static int add_question(str *out, PyObject *exc, const char *near)
{
    (void)exc;
    return str_printf(out, ". Did you mean: '%s'?", near);
}

static const char *hint_of(PyObject *exc)
{
    (void)exc;
    return NULL;
}

#endif

int suggest_sentence(str *out, PyObject *exc)
{
    const char *hint = hint_of(exc);
    if (hint)
        return str_printf(out, ". %s", hint);

    str near = { 0 };
    int error = SNUG_OK, found = suggest_name(&near, exc);

    if (found)
        error = add_question(out, exc, str_text(&near));
    str_free(&near);
#if SUGGESTS_AS_TRACEBACK
    PyObject *module = error ? NULL : missing_module(exc);
    if (module) {
        const char *question = found ? " Or did you forget" : ". Did you forget";
        error = str_printf(out, "%s to import '%s'?", question, PyUnicode_AsUTF8(module));
    }
#endif
    return error;
}
