#ifdef SNUG_STATIC_PYTHON
#define Py_BUILD_CORE 1 /* for the parser and the tree: python.h */
#endif

#include "py/cell/compile.h"

#include <limits.h>
#include <string.h>

#include "policy/source.h"
#include "py/core/cell_notes.h"
#include "py/core/raised.h"

/* Of what is compiled as a function. */
enum { FUNCTION_FLAGS = PyCF_SOURCE_IS_UTF8 | PyCF_IGNORE_COOKIE };

/* Whether a semicolon follows the expression that ends at (line, column): only
 * closing parentheses, white space and comments can stand between. */
static int ends_quietly(const char *source, size_t len, unsigned line, size_t column)
{
    size_t rest_len;
    const char *rest = source_line(source, len, line, &rest_len);
    const char *end = source + len;

    if (!rest || column > rest_len)
        return 0;
    for (rest += column; rest < end; rest++) {
        if (*rest == ';')
            return 1;
        if (*rest == '#')
            while (rest < end && *rest != '\n')
                rest++;
        else if (!strchr(" \t\f\r\n)\\", *rest))
            return 0;
    }

    return 0;
}

#ifdef SNUG_STATIC_PYTHON

/* The value of the last expression, where the cell has one to show: 1; else 0; -1
 * without memory. */
static int keep_value(interp *in, mod_ty tree, const char *source, size_t len, PyArena *arena)
{
    asdl_stmt_seq *body = tree->v.Module.body;
    Py_ssize_t count = asdl_seq_LEN(body);
    stmt_ty last = count > 0 ? (stmt_ty)asdl_seq_GET(body, count - 1) : NULL;
    if (!last || last->kind != Expr_kind ||
        ends_quietly(source, len, (unsigned)last->end_lineno, (size_t)last->end_col_offset))
        return 0;

    asdl_expr_seq *targets = _Py_asdl_expr_seq_new(1, arena);
    expr_ty name = _PyAST_Name(in->value_name, Store, last->lineno, last->col_offset,
                               last->end_lineno, last->end_col_offset, arena);
    if (!targets || !name)
        return -1;

    asdl_seq_SET(targets, 0, name);
    last = _PyAST_Assign(targets, last->v.Expr.value, NULL, last->lineno, last->col_offset,
                         last->end_lineno, last->end_col_offset, arena);
    asdl_seq_SET(body, count - 1, last);
    return last ? 1 : -1;
}

int compile_prepare(interp *in)
{
    (void)in;
    return 0;
}

int compile_cell(cell_code *out, interp *in, const char *source, size_t len, PyObject *filename,
                 int flags)
{
    PyCompilerFlags compiler = { .cf_flags = flags, .cf_feature_version = PY_MINOR_VERSION };
    PyArena *arena = _PyArena_New();

    *out = (cell_code){ 0 };
    if (!arena)
        return -1;

    mod_ty tree = python_parse(source, filename, &compiler, arena);
    if (tree) {
        out->has_value = keep_value(in, tree, source, len, arena);
        if (out->has_value >= 0)
            out->code = python_compile(tree, filename, &compiler, arena);
    }

    _PyArena_Free(arena);
    out->flags_after = flags | (compiler.cf_flags & PyCF_MASK);
    return out->code ? 0 : -1;
}

/* Puts the body into the function of the frame, whose return statement takes the place of its last
 * expression. */
static void fill_frame(mod_ty frame, mod_ty tree, const char *source, size_t len)
{
    stmt_ty function = (stmt_ty)asdl_seq_GET(frame->v.Module.body, 0);
    stmt_ty leave = (stmt_ty)asdl_seq_GET(function->v.FunctionDef.body, 0);
    asdl_stmt_seq *body = tree->v.Module.body;
    Py_ssize_t count = asdl_seq_LEN(body);
    if (count == 0)
        return;

    stmt_ty last = (stmt_ty)asdl_seq_GET(body, count - 1);
    if (last->kind == Expr_kind &&
        !ends_quietly(source, len, (unsigned)last->end_lineno, (size_t)last->end_col_offset)) {
        leave->v.Return.value = last->v.Expr.value;
        leave->lineno = last->lineno;
        leave->col_offset = last->col_offset;
        leave->end_lineno = last->end_lineno;
        leave->end_col_offset = last->end_col_offset;
        asdl_seq_SET(body, count - 1, leave);
    }

    function->v.FunctionDef.body = body;
}

/* The code of a module that defines the function. */
static PyObject *compile_frame(interp *in, const char *frame, const char *source, size_t len,
                               PyObject *filename)
{
    PyCompilerFlags flags = { .cf_flags = FUNCTION_FLAGS, .cf_feature_version = PY_MINOR_VERSION };
    PyArena *arena = _PyArena_New();
    PyObject *code = NULL;
    (void)in;
    if (!arena)
        return NULL;

    mod_ty shell = python_parse(frame, filename, &flags, arena);
    mod_ty tree = NULL;
    if (shell)
        tree = python_parse(source, filename, &flags, arena);
    if (tree) {
        fill_frame(shell, tree, source, len);
        code = python_compile(shell, filename, &flags, arena);
    }

    _PyArena_Free(arena);
    return code;
}

#else

static long read_position(PyObject *node, const char *attribute)
{
    long number = -1;
    PyObject *value = PyObject_GetAttrString(node, attribute);
    if (value)
        number = PyLong_AsLong(value);
    Py_XDECREF(value);
    PyErr_Clear();
    return number;
}

/* An object of _ast's type of that name. */
static PyObject *make_node(PyObject *ast, const char *type_name, PyObject *fields)
{
    PyObject *type = PyObject_GetAttrString(ast, type_name);
    PyObject *none = PyTuple_New(0);
    PyObject *node = type && none && fields ? PyObject_Call(type, none, fields) : NULL;
    Py_XDECREF(none);
    Py_XDECREF(type);
    return node;
}

int compile_prepare(interp *in)
{
    PyObject *ast = PyImport_ImportModule("_ast");
    if (!ast)
        return -1;

    PyObject *none = PyDict_New(), *fields = NULL;
    PyObject *store = make_node(ast, "Store", none);
    if (store)
        fields = Py_BuildValue("{sOsOsisi}", "id", in->value_name, "ctx", store, "lineno", 1,
                               "col_offset", 0);

    PyObject *name = make_node(ast, "Name", fields);
    in->assign = PyObject_GetAttrString(ast, "Assign");
    if (name && in->assign)
        in->targets = Py_BuildValue("[O]", name);
    Py_XDECREF(name);
    Py_XDECREF(fields);
    Py_XDECREF(store);
    Py_XDECREF(none);
    Py_DECREF(ast);
    return in->targets ? 0 : -1;
}

/* The assignment in place of the expression statement. */
static PyObject *make_assignment(interp *in, PyObject *statement)
{
    static const char *const kept[] = { "value", "lineno", "col_offset", "end_lineno",
                                        "end_col_offset" };
    PyObject *none = PyTuple_New(0), *assignment = NULL;
    PyObject *fields = Py_BuildValue("{sO}", "targets", in->targets);
    int failed = !none || !fields;

    for (size_t i = 0; !failed && i < sizeof kept / sizeof *kept; i++) {
        PyObject *value = PyObject_GetAttrString(statement, kept[i]);
        failed = !value || PyDict_SetItemString(fields, kept[i], value) != 0;
        Py_XDECREF(value);
    }

    if (!failed)
        assignment = PyObject_Call(in->assign, none, fields);
    Py_XDECREF(fields);
    Py_XDECREF(none);
    return assignment;
}

/* As in the static programs, on the tree's Python objects. */
static int keep_value(interp *in, PyObject *tree, const char *source, size_t len)
{
    int answer = -1;
    PyObject *body = PyObject_GetAttrString(tree, "body");
    if (!body)
        return -1;

    Py_ssize_t count = PyList_CheckExact(body) ? PyList_GET_SIZE(body) : 0;
    PyObject *last = NULL;
    if (count > 0)
        last = Py_NewRef(PyList_GET_ITEM(body, count - 1));
    if (!last || strcmp(Py_TYPE(last)->tp_name, "Expr") != 0) {
        answer = 0;
        goto done;
    }

    long line = read_position(last, "end_lineno"), column = read_position(last, "end_col_offset");
    if (line > 0 && column >= 0 && ends_quietly(source, len, (unsigned)line, (size_t)column)) {
        answer = 0;
        goto done;
    }

    PyObject *assignment = make_assignment(in, last);
    if (assignment && PyList_SetItem(body, count - 1, assignment) == 0)
        answer = 1;

done:
    Py_XDECREF(last);
    Py_XDECREF(body);
    return answer;
}

/* As it is: a cell's own trees become text (mendcompile.c). */
static PyObject *compile_tree(interp *in, PyObject *tree, PyObject *filename, int flags)
{
    interp_own.compiling = filename;
    PyObject *code =
        PyObject_CallFunction(in->compile, "OOsiO", tree, filename, "exec", flags, Py_True);
    interp_own.compiling = NULL;
    return code;
}

int compile_cell(cell_code *out, interp *in, const char *source, size_t len, PyObject *filename,
                 int flags)
{
    PyCompilerFlags compiler = { .cf_flags = flags | PyCF_ONLY_AST,
                                 .cf_feature_version = PY_MINOR_VERSION };

    /* compile() takes its flags without PyCF_SOURCE_IS_UTF8 and the like. */
    int accepted = flags & (PyCF_MASK | PyCF_ALLOW_TOP_LEVEL_AWAIT);

    *out = (cell_code){ 0 };
    PyObject *tree = Py_CompileStringObject(source, filename, Py_file_input, &compiler, -1);
    if (tree) {
        out->has_value = keep_value(in, tree, source, len);
        if (out->has_value >= 0)
            out->code = compile_tree(in, tree, filename, accepted);
    }

    Py_XDECREF(tree);
    /* The future statements of a tree are only seen by the compiler: read them off the
     * code. */
    if (out->code)
        flags |= ((PyCodeObject *)out->code)->co_flags & PyCF_MASK;
    out->flags_after = flags;
    return out->code ? 0 : -1;
}

/* The item of a list that is an attribute of the node: a new reference. */
static PyObject *take_node(PyObject *node, const char *list_name, Py_ssize_t at)
{
    PyObject *list = PyObject_GetAttrString(node, list_name);
    PyObject *item = NULL;
    if (list && PyList_CheckExact(list) && at < PyList_GET_SIZE(list))
        item = Py_NewRef(PyList_GET_ITEM(list, at));
    else if (list)
        PyErr_SetString(PyExc_SystemError, "a syntax tree is not one");
    Py_XDECREF(list);
    return item;
}

/* The return statement has what the expression statement has. */
static int become_return(PyObject *leave, PyObject *last)
{
    static const char *const taken[] = { "value", "lineno", "col_offset", "end_lineno",
                                         "end_col_offset" };
    int failed = 0;

    for (size_t i = 0; !failed && i < sizeof taken / sizeof *taken; i++) {
        PyObject *value = PyObject_GetAttrString(last, taken[i]);
        failed = !value || PyObject_SetAttrString(leave, taken[i], value) != 0;
        Py_XDECREF(value);
    }

    return failed;
}

static int returns_value(PyObject *last, const char *source, size_t len)
{
    if (strcmp(Py_TYPE(last)->tp_name, "Expr") != 0)
        return 0;
    long line = read_position(last, "end_lineno"), column = read_position(last, "end_col_offset");
    return line <= 0 || column < 0 || !ends_quietly(source, len, (unsigned)line, (size_t)column);
}

/* As in the static programs. */
static int fill_frame(PyObject *frame, PyObject *tree, const char *source, size_t len)
{
    PyObject *function = take_node(frame, "body", 0);
    PyObject *leave = function ? take_node(function, "body", 0) : NULL;
    PyObject *body = leave ? PyObject_GetAttrString(tree, "body") : NULL;
    PyObject *last = NULL;
    int failed = !body;

    Py_ssize_t count = body && PyList_CheckExact(body) ? PyList_GET_SIZE(body) : 0;
    if (count == 0)
        goto done;

    last = Py_NewRef(PyList_GET_ITEM(body, count - 1));
    if (returns_value(last, source, len))
        failed =
            become_return(leave, last) || PyList_SetItem(body, count - 1, Py_NewRef(leave)) != 0;
    if (!failed)
        failed = PyObject_SetAttrString(function, "body", body) != 0;

done:
    Py_XDECREF(last);
    Py_XDECREF(body);
    Py_XDECREF(leave);
    Py_XDECREF(function);
    return failed ? -1 : 0;
}

static PyObject *compile_frame(interp *in, const char *frame, const char *source, size_t len,
                               PyObject *filename)
{
    PyCompilerFlags flags = { .cf_flags = FUNCTION_FLAGS | PyCF_ONLY_AST,
                              .cf_feature_version = PY_MINOR_VERSION };
    PyObject *code = NULL, *tree = NULL;

    PyObject *shell = Py_CompileStringObject(frame, filename, Py_file_input, &flags, -1);
    if (shell)
        tree = Py_CompileStringObject(source, filename, Py_file_input, &flags, -1);
    if (tree && fill_frame(shell, tree, source, len) == 0)
        code = compile_tree(in, shell, filename, 0);
    Py_XDECREF(tree);
    Py_XDECREF(shell);
    return code;
}

#endif

/* The first constant of the module's that is code. */
PyObject *compile_function(interp *in, const char *frame, const char *source, size_t len,
                           PyObject *filename)
{
    PyObject *module = compile_frame(in, frame, source, len, filename), *code = NULL;
    if (!module)
        return NULL;

    PyObject *constants = ((PyCodeObject *)module)->co_consts;
    for (Py_ssize_t i = 0; !code && i < PyTuple_GET_SIZE(constants); i++)
        if (PyCode_Check(PyTuple_GET_ITEM(constants, i)))
            code = Py_NewRef(PyTuple_GET_ITEM(constants, i));
    Py_DECREF(module);
    if (!code)
        PyErr_SetString(PyExc_SystemError, "a program is not a function");
    return code;
}

/* As CPython does it for files; the parser's errors have theirs. */
static void add_error_line(PySyntaxErrorObject *error, const char *source, size_t len,
                           PyObject *filename)
{
    if (error->text && error->text != Py_None)
        return;
    if (!error->filename || !PyUnicode_Check(error->filename) ||
        PyUnicode_Compare(error->filename, filename) != 0)
        return;

    if (!error->lineno || !PyLong_Check(error->lineno))
        return;

    long number = PyLong_AsLong(error->lineno);
    if (number <= 0 || number >= INT_MAX)
        return;

    size_t line_len;
    const char *line = source_line(source, len, (unsigned)number, &line_len);
    if (!line)
        return;

    PyObject *text = PyUnicode_DecodeUTF8(line, (Py_ssize_t)line_len, "replace");
    if (text)
        Py_XSETREF(error->text, text);
}

/* The parser runs out of its own stack with a MemoryError, the compiler with a
 * RecursionError. */
static int is_too_deep(const interp *in, PyObject *exc)
{
    if (atomic_load(&in->stop.reason) != STOP_NONE)
        return 0;
    return Py_IS_TYPE(exc, (PyTypeObject *)PyExc_RecursionError) ||
           (Py_IS_TYPE(exc, (PyTypeObject *)PyExc_MemoryError) &&
            !(in->options.memory && in->options.memory->refusals > 0));
}

void compile_explain(interp *in, const char *source, size_t len, PyObject *filename)
{
    PyObject *exc = raised_take();

    if (is_too_deep(in, exc)) {
        PyObject *error = PyObject_CallFunction(PyExc_SyntaxError, "s", "too deeply nested");
        if (error) {
            interp_hint(in, error,
                        "Nest less: give names to the parts of the expression, or use a loop.");
            Py_SETREF(exc, error);
        }
    } else if (PyErr_GivenExceptionMatches(exc, PyExc_SyntaxError)) {
        add_error_line((PySyntaxErrorObject *)exc, source, len, filename);
    }

    raised_set(exc);
}
