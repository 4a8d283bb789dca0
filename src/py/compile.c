#ifdef SNUG_STATIC_PYTHON
#define Py_BUILD_CORE 1 /* for the parser and the tree */
#endif

#include "py/compile.h"

#include <string.h>

#include "policy/source.h"

#ifdef SNUG_STATIC_PYTHON
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wshadow"
#include <internal/pycore_ast.h>
#include <internal/pycore_compile.h>
#include <internal/pycore_parser.h>
#include <internal/pycore_pyarena.h>
#pragma GCC diagnostic pop
#endif

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

/* Takes the last expression off the module's body; its value as a tree, or NULL. */
static mod_ty split_tree(mod_ty tree, int *quiet, const char *source, size_t len, PyArena *arena)
{
    asdl_stmt_seq *body = tree->v.Module.body;
    Py_ssize_t count = asdl_seq_LEN(body);
    stmt_ty statement = count > 0 ? (stmt_ty)asdl_seq_GET(body, count - 1) : NULL;
    if (!statement || statement->kind != Expr_kind)
        return NULL;
    mod_ty last = _PyArena_Malloc(arena, sizeof *last);
    if (!last)
        return NULL;
    last->kind = Expression_kind;
    last->v.Expression.body = statement->v.Expr.value;
    body->size = count - 1;
    *quiet = ends_quietly(source, len, (unsigned)statement->end_lineno,
                          (size_t)statement->end_col_offset);
    return last;
}

int compile_cell(cell_code *out, interp *in, const char *source, size_t len, PyObject *filename,
                 int flags)
{
    (void)in;
    PyCompilerFlags compiler = { .cf_flags = flags, .cf_feature_version = PY_MINOR_VERSION };
    PyArena *arena = _PyArena_New();
    *out = (cell_code){ 0 };
    if (!arena)
        return -1;
    mod_ty tree = _PyParser_ASTFromString(source, filename, Py_file_input, &compiler, arena);
    mod_ty last = tree ? split_tree(tree, &out->is_quiet, source, len, arena) : NULL;
    int failed = !tree || PyErr_Occurred();
    if (!failed && asdl_seq_LEN(tree->v.Module.body) > 0) {
        out->body = (PyObject *)_PyAST_Compile(tree, filename, &compiler, -1, arena);
        failed = !out->body;
    }
    if (!failed && last) {
        out->last = (PyObject *)_PyAST_Compile(last, filename, &compiler, -1, arena);
        failed = !out->last;
    }
    _PyArena_Free(arena);
    if (failed)
        cell_code_clear(out);
    out->flags_after = flags | (compiler.cf_flags & PyCF_MASK);
    return failed ? -1 : 0;
}

#else

static long number_of(PyObject *node, const char *attribute)
{
    PyObject *value = PyObject_GetAttrString(node, attribute);
    long number = value ? PyLong_AsLong(value) : -1;
    Py_XDECREF(value);
    PyErr_Clear();
    return number;
}

/* _ast.Expression, from before a cell can put another one there. Borrowed. */
static PyObject *expression_type(interp *in)
{
    if (!in->expression) {
        int was_guarded = in->is_guarded;
        in->is_guarded = 0; /* _ast need not be in the profile */
        PyObject *ast = PyImport_ImportModule("_ast");
        in->is_guarded = was_guarded;
        in->expression = ast ? PyObject_GetAttrString(ast, "Expression") : NULL;
        Py_XDECREF(ast);
    }
    return in->expression;
}

/* As in the static programs, on the tree's Python objects. New reference, or NULL
 * (an exception tells failure from absence). */
static PyObject *split_tree(interp *in, PyObject *tree, int *quiet, const char *source, size_t len)
{
    PyObject *expression = NULL, *value = NULL, *statement = NULL;
    PyObject *body = PyObject_GetAttrString(tree, "body");
    if (!body || !PyList_CheckExact(body) || PyList_GET_SIZE(body) == 0)
        goto done;
    statement = Py_NewRef(PyList_GET_ITEM(body, PyList_GET_SIZE(body) - 1));
    if (strcmp(Py_TYPE(statement)->tp_name, "Expr") != 0 ||
        !(value = PyObject_GetAttrString(statement, "value")))
        goto done;
    PyObject *type = expression_type(in);
    expression = type ? PyObject_CallOneArg(type, value) : NULL;
    if (expression &&
        PyList_SetSlice(body, PyList_GET_SIZE(body) - 1, PyList_GET_SIZE(body), NULL) != 0)
        Py_CLEAR(expression);
    long line = number_of(statement, "end_lineno"), column = number_of(statement, "end_col_offset");
    *quiet = line > 0 && column >= 0 &&
             ends_quietly(source, len, (unsigned)line, (size_t)column);
done:
    Py_XDECREF(value);
    Py_XDECREF(statement);
    Py_XDECREF(body);
    return expression;
}

static int has_body(PyObject *tree)
{
    PyObject *body = PyObject_GetAttrString(tree, "body");
    int answer = body && PyList_CheckExact(body) && PyList_GET_SIZE(body) > 0;
    Py_XDECREF(body);
    return answer;
}

static PyObject *compile_tree(interp *in, PyObject *tree, PyObject *filename, const char *mode,
                              int flags)
{
    /* compile() takes its flags without PyCF_SOURCE_IS_UTF8 and the like. */
    int accepted = flags & (PyCF_MASK | PyCF_ALLOW_TOP_LEVEL_AWAIT);
    return PyObject_CallFunction(in->compile, "OOsiO", tree, filename, mode, accepted, Py_True);
}

/* The future statements of a tree are only seen by the compiler: read them off the
 * code. */
static int future_flags(PyObject *code)
{
    return code ? ((PyCodeObject *)code)->co_flags & PyCF_MASK : 0;
}

int compile_cell(cell_code *out, interp *in, const char *source, size_t len, PyObject *filename,
                 int flags)
{
    PyCompilerFlags compiler = { .cf_flags = flags | PyCF_ONLY_AST,
                                 .cf_feature_version = PY_MINOR_VERSION };
    *out = (cell_code){ 0 };
    PyObject *tree = Py_CompileStringObject(source, filename, Py_file_input, &compiler, -1);
    PyObject *last = tree ? split_tree(in, tree, &out->is_quiet, source, len) : NULL;
    int failed = !tree || PyErr_Occurred();
    if (!failed && has_body(tree))
        failed = !(out->body = compile_tree(in, tree, filename, "exec", flags));
    flags |= future_flags(out->body);
    if (!failed && last)
        failed = !(out->last = compile_tree(in, last, filename, "eval", flags));
    Py_XDECREF(tree);
    Py_XDECREF(last);
    if (failed)
        cell_code_clear(out);
    out->flags_after = flags;
    return failed ? -1 : 0;
}

#endif
