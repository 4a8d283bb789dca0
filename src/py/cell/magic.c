#include "py/cell/magic.h"
#include "py/core/raised.h"
#include "py/core/stopping.h"

#include <limits.h>
#include <string.h>

#include "policy/source.h"
#include "py/cell/compile.h"
#include "py/guard/gate.h"

/* ---- text ---- */

typedef struct part {
    const char *at;
    size_t len;
} part;

static int is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\f' || c == '\r';
}

static part trim(part p)
{
    while (p.len > 0 && is_space(p.at[0])) {
        p.at++;
        p.len--;
    }
    while (p.len > 0 && is_space(p.at[p.len - 1]))
        p.len--;
    return p;
}

static int is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static size_t word_len(part p)
{
    size_t len = 0;
    while (len < p.len && is_word(p.at[len]))
        len++;
    return len;
}

/* A name, names with dots, or with more that may stand before "=". */
static int is_made_of(part p, const char *more)
{
    for (size_t i = 0; i < p.len; i++)
        if (!is_word(p.at[i]) && !strchr(more, p.at[i]))
            return 0;
    return p.len > 0 && !(p.at[0] >= '0' && p.at[0] <= '9');
}

/* A string literal of Python, on one line. */
static int put_literal(str *out, part p)
{
    int error = str_add(out, "\"");

    for (size_t i = 0; i < p.len && !error; i++) {
        unsigned char c = (unsigned char)p.at[i];
        if (c == '"' || c == '\\')
            error = str_printf(out, "\\%c", c);
        else if (c < ' ')
            error = str_printf(out, "\\x%02x", c);
        else
            error = str_append(out, p.at + i, 1);
    }

    return error ? error : str_add(out, "\"");
}

static int put_call(str *out, part name, part args, const part *body)
{
    int error;
    if ((error = str_add(out, "__snug_magic__(")) || (error = put_literal(out, name)) ||
        (error = str_add(out, ", ")) || (error = put_literal(out, args)) ||
        (body && ((error = str_add(out, ", ")) || (error = put_literal(out, *body)))))
        return error;
    return str_add(out, ")");
}

/* ---- lines ---- */

typedef struct line_magic {
    part before; /* what the value is assigned to, with "="; may be empty */
    part name, args;
} line_magic;

/* "name?", "name??", "?name" */
static int read_question(line_magic *m, part line)
{
    static const char long_name[] = "pinfo2";
    size_t marks = 0;

    while (line.len > 0 && (line.at[0] == '?' || line.at[line.len - 1] == '?')) {
        line.at += line.at[0] == '?';
        line.len--;
        marks++;
    }

    line = trim(line);
    *m = (line_magic){ .name = { long_name, marks > 1 ? 6 : 5 }, .args = line };
    return marks > 0 && marks < 3 && is_made_of(line, ".");
}

static int read_percent(line_magic *m, part line)
{
    size_t len =
        line.len > 1 && line.at[0] == '%' ? word_len((part){ line.at + 1, line.len - 1 }) : 0;
    if (len == 0)
        return 0;
    m->name = (part){ line.at + 1, len };
    m->args = trim((part){ line.at + 1 + len, line.len - 1 - len });
    return 1;
}

/* "a.b = %name args" */
static int read_assignment(line_magic *m, part line)
{
    const char *equals = memchr(line.at, '=', line.len);
    if (!equals)
        return 0;
    size_t len = (size_t)(equals - line.at);
    m->before = (part){ line.at, len + 1 };
    return is_made_of(trim((part){ line.at, len }), "., ") &&
           read_percent(m, trim((part){ equals + 1, line.len - len - 1 }));
}

static int read_line(line_magic *m, part line)
{
    *m = (line_magic){ 0 };
    line = trim(line);
    return line.len > 0 && (read_percent(m, line) || read_question(m, line) ||
                            (*m = (line_magic){ 0 }, read_assignment(m, line)));
}

/* Appends the source with that line (from 1) made into a call. 1, 0 if it is not a magic, or
 * SNUG_ENOMEM. */
static int rewrite(str *out, const char *source, size_t len, unsigned number)
{
    size_t line_len;
    line_magic m;
    const char *line = source_line(source, len, number, &line_len);
    if (!line || !read_line(&m, (part){ line, line_len }))
        return 0;

    size_t indent = strspn(line, " \t"), after = (size_t)(line - source) + line_len;
    int error;
    if ((error = str_append(out, source, (size_t)(line - source) + indent)) ||
        (m.before.len > 0 && (error = str_append(out, m.before.at, m.before.len))) ||
        (error = put_call(out, m.name, m.args, NULL)) ||
        (error = str_append(out, source + after, len - after)))
        return error;

    return 1;
}

/* ---- cells ---- */

typedef struct cell_magic {
    part name, args, body; /* body begins with the end of the first line */
    size_t before;         /* bytes of empty lines before it */
} cell_magic;

static int read_cell(cell_magic *m, const char *source, size_t len)
{
    size_t at = 0;

    while (at < len && (is_space(source[at]) || source[at] == '\n'))
        at++;
    if (len - at < 3 || source[at] != '%' || source[at + 1] != '%')
        return 0;

    const char *end = memchr(source + at, '\n', len - at);
    size_t line_len = end ? (size_t)(end - source) - at : len - at;
    part line = { source + at + 2, line_len - 2 };
    size_t name_len = word_len(line);
    *m = (cell_magic){ { line.at, name_len },
                       trim((part){ line.at + name_len, line.len - name_len }),
                       { source + at + line_len, len - at - line_len },
                       at };
    return name_len > 0;
}

int magic_is_cell(const char *source, size_t len)
{
    cell_magic m;
    return read_cell(&m, source, len);
}

/* Those that frozen/magics.py knows. */
static const struct {
    const char *name;
    int is_python; /* else the body is a text */
} cell_magics[] = {
    { "time", 1 },     { "timeit", 1 }, { "capture", 1 },    { "writefile", 0 }, { "file", 0 },
    { "html", 0 },     { "HTML", 0 },   { "javascript", 0 }, { "js", 0 },        { "latex", 0 },
    { "markdown", 0 }, { "svg", 0 },    { "SVG", 0 },
};

/* The cell without its first line, or a call with its body. 1: *magic is its name and
 * arguments, or NULL where it became a call; 0: no magic; SNUG_ENOMEM. */
static int rewrite_cell(str *out, PyObject **magic, const char *source, size_t len)
{
    cell_magic m;
    size_t row = 0, rows = sizeof cell_magics / sizeof *cell_magics;

    *magic = NULL;
    if (!read_cell(&m, source, len))
        return 0;

    while (row < rows && (strlen(cell_magics[row].name) != m.name.len ||
                          memcmp(cell_magics[row].name, m.name.at, m.name.len) != 0))
        row++;

    if (row == rows)
        return 0;
    int error = str_append(out, source, m.before);
    if (cell_magics[row].is_python) {
        *magic = Py_BuildValue("(s#s#)", m.name.at, (Py_ssize_t)m.name.len, m.args.at,
                               (Py_ssize_t)m.args.len);
        error = error || !*magic || str_append(out, m.body.at, m.body.len);
    } else {
        m.body.at += m.body.len > 0;
        m.body.len -= m.body.len > 0;
        error = error || put_call(out, m.name, m.args, &m.body);
    }

    return error ? SNUG_ENOMEM : 1;
}

/* ---- compiling ---- */

/* The line that the SyntaxError which is set is about; 0: there is none. */
static unsigned line_of_error(void)
{
    long line = 0;

    if (!PyErr_ExceptionMatches(PyExc_SyntaxError))
        return 0;

    PyObject *exc = raised_take();
    PyObject *number = ((PySyntaxErrorObject *)exc)->lineno;
    if (number && PyLong_CheckExact(number))
        line = PyLong_AsLong(number);
    raised_set(exc);
    return line > 0 && line < INT_MAX ? (unsigned)line : 0;
}

/* Each line that is not Python and is a magic becomes a call, until it compiles. */
static int compile_lines(cell_code *out, interp *in, str *text, PyObject *filename, int flags)
{
    int error = compile_cell(out, in, text->data, text->len, filename, flags);
    unsigned line;

    while (error && (line = line_of_error()) > 0) {
        str rewritten = { 0 };
        int is_magic = rewrite(&rewritten, text->data, text->len, line);
        if (is_magic == 1) {
            str_free(text);
            *text = rewritten;
            PyErr_Clear();
            error = interp_check_stop(in)
                        ? -1
                        : compile_cell(out, in, text->data, text->len, filename, flags);
            continue;
        }
        str_free(&rewritten);
        if (is_magic < 0)
            PyErr_NoMemory();
        break;
    }

    return error;
}

int magic_compile(cell_code *out, interp *in, const char *source, size_t len, PyObject *filename,
                  int flags)
{
    str text = { 0 };
    PyObject *magic;
    int is_cell = rewrite_cell(&text, &magic, source, len);
    int error = is_cell == 0 ? compile_cell(out, in, source, len, filename, flags) : -1;

    /* Only what has a mark of a magic is looked at again. */
    if (is_cell == 0 && error && line_of_error() > 0 &&
        (memchr(source, '%', len) || memchr(source, '?', len))) {
        is_cell = str_append(&text, source, len) == SNUG_OK ? 1 : SNUG_ENOMEM;
        PyErr_Clear();
    }

    if (is_cell < 0)
        PyErr_NoMemory();
    else if (is_cell > 0)
        error = compile_lines(out, in, &text, filename, flags);

    if (!error)
        out->magic = Py_XNewRef(magic);
    Py_XDECREF(magic);
    str_free(&text);
    return error;
}

int magic_python(str *out, interp *in, const char *source, size_t len, PyObject *filename,
                 int flags)
{
    cell_code code = { 0 };
    PyObject *magic;
    int is_cell = rewrite_cell(out, &magic, source, len);

    Py_XDECREF(magic);
    if (is_cell == 0)
        is_cell = str_append(out, source, len);
    if (is_cell < 0)
        return PyErr_NoMemory(), -1;

    int error = compile_lines(&code, in, out, filename, flags);
    cell_code_clear(&code);
    return error;
}

/* ---- running ---- */

int magic_run(interp *in, const cell_code *code)
{
    PyObject *module = gate_load(in, "_snug_magics");
    PyObject *answer =
        module ? PyObject_CallMethod(module, "cell", "OOO", PyTuple_GET_ITEM(code->magic, 0),
                                     PyTuple_GET_ITEM(code->magic, 1), code->code)
               : NULL;

    Py_XDECREF(module);
    int shows = answer ? answer == Py_True : -1;
    Py_XDECREF(answer);
    return shows;
}

static PyObject *call_magic(PyObject *self, PyObject *args)
{
    interp *in = interp_current;

    (void)self;
    PyObject *module = in ? gate_load(in, "_snug_magics") : NULL;
    const char *name = PyTuple_GET_SIZE(args) == 3 ? "text" : "line";
    PyObject *function = module ? PyObject_GetAttrString(module, name) : NULL;
    PyObject *answer = function ? PyObject_CallObject(function, args) : NULL;
    Py_XDECREF(function);
    Py_XDECREF(module);
    return in || PyErr_Occurred() ? answer : Py_NewRef(Py_None);
}

static PyMethodDef method = { "__snug_magic__", call_magic, METH_VARARGS,
                              "What a line or cell with a magic becomes." };

int magic_install(interp *in)
{
    PyObject *function = PyCFunction_New(&method, NULL);
    int failed = !function || PyDict_SetItemString(in->builtins, method.ml_name, function) != 0;
    Py_XDECREF(function);
    return failed ? -1 : 0;
}
