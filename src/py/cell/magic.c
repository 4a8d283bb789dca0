#include "py/cell/magic.h"

#include <limits.h>
#include <string.h>

#include "policy/source.h"
#include "py/cell/compile.h"
#include "py/core/raised.h"
#include "py/core/stopping.h"
#include "py/guard/gate.h"

/* ---- text ---- */

typedef struct part {
    const char *at;
    size_t len;
} part;

static int is_blank_in_line(char c)
{
    return c == ' ' || c == '\t' || c == '\f' || c == '\r';
}

static part trim(part p)
{
    while (p.len > 0 && is_blank_in_line(p.at[0])) {
        p.at++;
        p.len--;
    }
    while (p.len > 0 && is_blank_in_line(p.at[p.len - 1]))
        p.len--;
    return p;
}

static int is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static size_t word_len(part p)
{
    size_t len = 0;
    while (len < p.len && is_name_byte(p.at[len]))
        len++;
    return len;
}

/* A name, names with dots, or with more that may stand before "=". */
static int is_made_of(part p, const char *more)
{
    for (size_t i = 0; i < p.len; i++)
        if (!is_name_byte(p.at[i]) && !strchr(more, p.at[i]))
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

    if (error)
        return error;
    return str_add(out, "\"");
}

static int put_call(str *out, part name, part args, const part *body)
{
    int error;

    if ((error = str_add(out, "__snug_magic__(")) || (error = put_literal(out, name)) ||
        (error = str_add(out, ", ")) || (error = put_literal(out, args)))
        return error;

    if (body) {
        if ((error = str_add(out, ", ")) || (error = put_literal(out, *body)))
            return error;
    }
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
    if (line.len < 2 || line.at[0] != '%')
        return 0;
    size_t len = word_len((part){ line.at + 1, line.len - 1 });
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

static int read_line_magic(line_magic *m, part line)
{
    *m = (line_magic){ 0 };
    line = trim(line);
    if (line.len == 0)
        return 0;
    if (read_percent(m, line) || read_question(m, line))
        return 1;

    *m = (line_magic){ 0 };
    return read_assignment(m, line);
}

/* Appends the source with that line (from 1) made into a call. 1, 0 if it is not a magic, or
 * SNUG_ENOMEM. */
static int rewrite_line(str *out, const char *source, size_t len, unsigned number)
{
    size_t line_len;
    line_magic m;
    const char *line = source_line(source, len, number, &line_len);
    if (!line || !read_line_magic(&m, (part){ line, line_len }))
        return 0;

    size_t start = (size_t)(line - source), after = start + line_len;
    size_t indent = strspn(line, " \t");

    int error = str_append(out, source, start + indent);
    if (!error && m.before.len > 0)
        error = str_append(out, m.before.at, m.before.len);
    if (!error)
        error = put_call(out, m.name, m.args, NULL);
    if (!error)
        error = str_append(out, source + after, len - after);
    if (error)
        return error;
    return 1;
}

/* ---- cells ---- */

typedef struct cell_magic {
    part name, args, body; /* body begins with the end of the first line */
    size_t before;         /* bytes of empty lines before it */
} cell_magic;

static int read_cell_magic(cell_magic *m, const char *source, size_t len)
{
    size_t at = 0;

    while (at < len && (is_blank_in_line(source[at]) || source[at] == '\n'))
        at++;
    if (len - at < 3 || source[at] != '%' || source[at + 1] != '%')
        return 0;

    size_t line_len = len - at;
    const char *end = memchr(source + at, '\n', line_len);
    if (end)
        line_len = (size_t)(end - source) - at;

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
    return read_cell_magic(&m, source, len);
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

enum { CELL_MAGICS = sizeof cell_magics / sizeof *cell_magics };

/* CELL_MAGICS where it is none of them. */
static size_t find_cell_magic(part name)
{
    for (size_t row = 0; row < CELL_MAGICS; row++)
        if (strlen(cell_magics[row].name) == name.len &&
            memcmp(cell_magics[row].name, name.at, name.len) == 0)
            return row;
    return CELL_MAGICS;
}

/* Those that people write themselves; the others stand for "name?". */
static const char *const line_magics[] = {
    "autoreload", "config", "load_ext", "lsmagic", "matplotlib", "precision", "pwd",    "pylab",
    "reload_ext", "reset",  "run",      "time",    "timeit",     "who",       "who_ls", "whos",
};

enum { LINE_MAGICS = sizeof line_magics / sizeof *line_magics };

const char *magic_name(size_t index, int is_cell)
{
    if (is_cell)
        return index < CELL_MAGICS ? cell_magics[index].name : NULL;
    return index < LINE_MAGICS ? line_magics[index] : NULL;
}

static unsigned count_lines(const char *text, size_t len)
{
    unsigned count = 0;
    for (size_t i = 0; i < len; i++)
        count += text[i] == '\n';
    return count;
}

/* The cell without its first line, or a call with its body. 1: *magic is its name, arguments and
 * line, or NULL where it became a call; 0: no magic; SNUG_ENOMEM. */
static int rewrite_cell(str *out, PyObject **magic, const char *source, size_t len)
{
    cell_magic m;

    *magic = NULL;
    if (!read_cell_magic(&m, source, len))
        return 0;

    size_t row = find_cell_magic(m.name);
    if (row == CELL_MAGICS)
        return 0;

    if (str_append(out, source, m.before) != SNUG_OK)
        return SNUG_ENOMEM;
    if (cell_magics[row].is_python) {
        *magic = Py_BuildValue("(s#s#I)", m.name.at, (Py_ssize_t)m.name.len, m.args.at,
                               (Py_ssize_t)m.args.len, 1 + count_lines(source, m.before));
        if (!*magic || str_append(out, m.body.at, m.body.len) != SNUG_OK)
            return SNUG_ENOMEM;
        return 1;
    }

    if (m.body.len > 0) { /* without the line end */
        m.body.at++;
        m.body.len--;
    }

    if (put_call(out, m.name, m.args, &m.body) != SNUG_OK)
        return SNUG_ENOMEM;
    return 1;
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

/* Compiles a text, or parses it: 0, or -1 with an exception. */
typedef int (*text_reader)(void *out, interp *in, const char *text, size_t len, PyObject *filename,
                           int flags);

static int read_as_code(void *out, interp *in, const char *text, size_t len, PyObject *filename,
                        int flags)
{
    return compile_cell(out, in, text, len, filename, flags);
}

static int read_as_tree(void *out, interp *in, const char *text, size_t len, PyObject *filename,
                        int flags)
{
    PyCompilerFlags compiler = { .cf_flags = flags | PyCF_ONLY_AST,
                                 .cf_feature_version = PY_MINOR_VERSION };
    PyObject **tree = out;

    (void)in;
    (void)len;
    *tree = Py_CompileStringObject(text, filename, Py_file_input, &compiler, -1);
    return *tree ? 0 : -1;
}

/* Each line that is not Python and is a magic becomes a call, until the text can be read. */
static int read_lines(text_reader read, void *out, interp *in, str *text, PyObject *filename,
                      int flags)
{
    while (read(out, in, text->data, text->len, filename, flags) != 0) {
        unsigned line = line_of_error();
        if (line == 0)
            return -1;

        str rewritten = { 0 };
        int is_magic = rewrite_line(&rewritten, text->data, text->len, line);
        if (is_magic != 1) {
            str_free(&rewritten);
            if (is_magic < 0)
                PyErr_NoMemory();
            return -1;
        }

        str_free(text);
        *text = rewritten;
        PyErr_Clear();
        if (interp_check_stop(in) != 0)
            return -1;
    }

    return 0;
}

/* *magic is the cell's, owned, or NULL. */
static int read_source(text_reader read, void *out, PyObject **magic, interp *in,
                       const char *source, size_t len, PyObject *filename, int flags)
{
    str text = { 0 };
    int error = -1;
    int is_cell = rewrite_cell(&text, magic, source, len);

    if (is_cell == 0)
        error = read(out, in, source, len, filename, flags);

    /* Only what has a mark of a magic is looked at again. */
    if (is_cell == 0 && error && line_of_error() > 0 &&
        (memchr(source, '%', len) || memchr(source, '?', len))) {
        is_cell = str_append(&text, source, len) == SNUG_OK ? 1 : SNUG_ENOMEM;
        PyErr_Clear();
    }

    if (is_cell < 0)
        PyErr_NoMemory();
    else if (is_cell > 0)
        error = read_lines(read, out, in, &text, filename, flags);

    if (error)
        Py_CLEAR(*magic);
    str_free(&text);
    return error;
}

int magic_compile(cell_code *out, interp *in, const char *source, size_t len, PyObject *filename,
                  int flags)
{
    PyObject *magic;
    int error = read_source(read_as_code, out, &magic, in, source, len, filename, flags);
    if (!error)
        out->magic = magic;
    return error;
}

int magic_parse(PyObject **tree, PyObject **magic, interp *in, const char *source, size_t len,
                PyObject *filename, int flags)
{
    return read_source(read_as_tree, tree, magic, in, source, len, filename, flags);
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
    if (is_cell < 0) {
        PyErr_NoMemory();
        return -1;
    }

    int error = read_lines(read_as_code, &code, in, out, filename, flags);
    cell_code_clear(&code);
    return error;
}

/* ---- running ---- */

int magic_run(interp *in, const cell_code *code)
{
    PyObject *module = gate_load(in, "_snug_magics");
    if (!module)
        return -1;

    PyObject *answer = PyObject_CallMethod(module, "cell", "OOO", PyTuple_GET_ITEM(code->magic, 0),
                                           PyTuple_GET_ITEM(code->magic, 1), code->code);
    Py_DECREF(module);
    if (!answer)
        return -1;

    int shows = answer == Py_True;
    Py_DECREF(answer);
    return shows;
}

static PyObject *call_magic(PyObject *self, PyObject *args)
{
    interp *in = interp_current;

    (void)self;
    if (!in)
        Py_RETURN_NONE;

    PyObject *module = gate_load(in, "_snug_magics");
    if (!module)
        return NULL;

    const char *name = PyTuple_GET_SIZE(args) == 3 ? "text" : "line";
    PyObject *function = PyObject_GetAttrString(module, name), *answer = NULL;
    Py_DECREF(module);
    if (function)
        answer = PyObject_CallObject(function, args);
    Py_XDECREF(function);
    return answer;
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
