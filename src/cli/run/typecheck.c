#include "cli/run/typecheck.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/file.h"
#include "base/process/await.h"
#include "base/process/child.h"
#include "base/shellword.h"
#include "cli/program/command.h"

/* ---- the program ---- */

/* What cells have besides tools. */
static const char more_stubs[] = "\n"
                                 "In: list[str]\n"
                                 "Out: dict[int, Any]\n"
                                 "_: Any\n"
                                 "def display(*objects: Any, **options: Any) -> Any: ...\n"
                                 "def get_ipython() -> Any: ...\n";
static const char head[] = "from snug_tools import *; from snug_tools import _";
/* Where await stands outside functions, which mypy refuses, the cells are a function. */
static const char function_head[] = "\nasync def _cells() -> None:";

typedef struct program {
    str text;
    unsigned first_line;
    unsigned indentation;
} program;

static int is_magic(const char *line, size_t len)
{
    return len > 0 && strchr("%!?", *line);
}

/* A line that is not Python becomes one that does nothing. */
static int add_line(program *p, const char *line, size_t len)
{
    size_t blanks = 0;
    int error = str_printf(&p->text, "%*s", (int)p->indentation, "");

    while (blanks < len && (line[blanks] == ' ' || line[blanks] == '\t'))
        blanks++;
    const int is_other = is_magic(line + blanks, len - blanks) || memchr(line, '\0', len);
    if (!error)
        error = str_append(&p->text, line, is_other ? blanks : len);
    if (!error && is_other)
        error = str_add(&p->text, "pass");
    return error ? error : str_add(&p->text, "\n");
}

/* %%bash, %%writefile: the rest of the cell need not be Python. */
static int is_foreign(const cell *one)
{
    static const char *const python[] = { "%%time", "%%timeit", "%%capture" };
    const size_t word = strcspn(one->source, " \t\r\n");

    for (size_t i = 0; i < sizeof python / sizeof *python; i++)
        if (strlen(python[i]) == word && !strncmp(one->source, python[i], word))
            return 0;
    return !strncmp(one->source, "%%", 2);
}

static int add_cell(program *p, const cell *one)
{
    const char *at = one->source, *end = at + one->len;
    const int skips = is_foreign(one);
    int error = SNUG_OK;

    while (at < end && !error) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        const size_t len = (size_t)((feed ? feed : end) - at);
        error = skips ? add_line(p, "%", 1) : add_line(p, at, len);
        at = feed ? feed + 1 : end;
    }
    return error;
}

static int write_program(program *p, const cell_list *cells, int is_function)
{
    int error = str_printf(&p->text, "%s%s\n", head, is_function ? function_head : "");

    p->first_line = is_function ? 3 : 2;
    p->indentation = is_function ? 1 : 0;
    for (size_t i = 0; i < cells->count && !error; i++)
        error = add_cell(p, &cells->items[i]);
    return error ? error : str_printf(&p->text, "%*spass\n", (int)p->indentation, "");
}

/* ---- mypy ---- */

typedef struct folder {
    char path[256];
    str stubs, program; /* paths in it */
} folder;

static int open_folder(folder *f)
{
    const char *parent = getenv("TMPDIR");
    const int len = snprintf(f->path, sizeof f->path, "%s/snug-types-XXXXXX",
                             parent && *parent ? parent : "/tmp");

    if (len < 0 || (size_t)len >= sizeof f->path || !mkdtemp(f->path)) {
        const int number = errno;
        *f->path = '\0';
        return command_fail(EXIT_USAGE, "no folder for the type checker: %s", strerror(number));
    }
    if (str_printf(&f->stubs, "%s/snug_tools.pyi", f->path) ||
        str_printf(&f->program, "%s/program.py", f->path))
        return command_fail_memory();
    return EXIT_FINE;
}

static void close_folder(folder *f)
{
    unlink(str_text(&f->stubs));
    unlink(str_text(&f->program));
    if (*f->path)
        rmdir(f->path);
    str_free(&f->stubs);
    str_free(&f->program);
}

static int write_file(const str *path, const str *text)
{
    const struct iovec piece = { text->data, text->len };

    if (file_replace(str_text(path), &piece, 1))
        return command_fail(EXIT_USAGE, "%s", error_message());
    return EXIT_FINE;
}

static int write_command(str *out, const folder *f)
{
    static const char mypy[] =
        " || exit 2; command -v mypy >/dev/null || exit 127; MYPYPATH=. exec mypy "
        "--config-file= --check-untyped-defs --ignore-missing-imports --no-error-summary "
        "--show-column-numbers --no-color-output --hide-error-context --no-incremental "
        "--cache-dir=/dev/null --disable-error-code=assignment --disable-error-code=var-annotated "
        "--disable-error-code=no-redef program.py";
    int error = str_add(out, "cd ");

    if (!error)
        error = shellword_append(out, f->path, strlen(f->path));
    return error ? error : str_add(out, mypy);
}

/* What it prints, to its end. */
static void read_all(child *c, str *out)
{
    enum { MOST = 1 << 22, ONE_SECOND = 1000 };
    str errors = { 0 };

    while (c->out >= 0) {
        await_readable(c->out, ONE_SECOND);
        child_read(&c->out, out, MOST);
        child_read(&c->err, &errors, MOST);
    }
    while (c->err >= 0) {
        await_readable(c->err, ONE_SECOND);
        child_read(&c->err, &errors, MOST);
    }
    if (out->len == 0)
        str_add_str(out, &errors);
    str_free(&errors);
}

static int run_mypy(str *out, int *status, const folder *f)
{
    enum { MISSING = 127 };
    str command = { 0 };
    child c = { 0 };
    size_t at = 0;
    int error = write_command(&command, f);

    if (error || child_start(&c, str_text(&command))) {
        str_free(&command);
        return error ? command_fail_memory() : command_fail(EXIT_USAGE, "%s", error_message());
    }
    child_write(&c, "", 0, &at, 1);
    read_all(&c, out);
    child_wait(&c);
    child_free(&c);
    str_free(&command);
    *status = WIFEXITED(c.status) ? WEXITSTATUS(c.status) : -1;
    if (*status == MISSING)
        return command_fail(EXIT_USAGE,
                            "--types needs mypy, which is not here: apt-get install mypy");
    return EXIT_FINE;
}

/* ---- its findings ---- */

static unsigned count_lines(const cell *one)
{
    unsigned count = 0;
    for (size_t i = 0; i < one->len; i++)
        count += one->source[i] == '\n';
    return count + (one->len > 0 && one->source[one->len - 1] != '\n');
}

/* Which cell has that line of the program, and which of its own it is. */
static int find_cell(type_finding *out, const cell_list *cells, unsigned line)
{
    for (size_t i = 0; i < cells->count; i++) {
        const unsigned count = count_lines(&cells->items[i]);
        if (line < count) {
            out->cell = i;
            out->line = line + 1;
            return 1;
        }
        line -= count;
    }
    return 0;
}

/* Functions of the host are awaited by code that awaits, which no stub can say. */
static int is_about_awaiting(const char *line, size_t len)
{
    static const char *const parts[] = { "Awaitable[", "Coroutine[", "variant of \"gather\"" };

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (memmem(line, len, parts[i], strlen(parts[i])))
            return 1;
    return 0;
}

/* "program.py:7:1: error: It is wrong  [code]". What it only notes is not a finding. */
static int take_line(type_findings *f, const program *p, const cell_list *cells, const char *line,
                     size_t len)
{
    type_finding one = { 0 };
    unsigned row, column;
    int at = 0;

    if (sscanf(line, "program.py:%u:%u: error: %n", &row, &column, &at) != 2 || at == 0 ||
        (size_t)at >= len || row < p->first_line || !find_cell(&one, cells, row - p->first_line))
        return SNUG_OK;
    if (is_about_awaiting(line, len)) {
        f->left_out++;
        return SNUG_OK;
    }
    one.column = column > p->indentation ? column - p->indentation : 1;
    one.message = strndup(line + at, len - (size_t)at);
    if (!one.message || array_reserve(&f->items, &f->cap, f->count + 1, sizeof *f->items)) {
        free(one.message);
        return SNUG_ENOMEM;
    }
    f->items[f->count++] = one;
    return SNUG_OK;
}

static int take_lines(type_findings *f, const program *p, const cell_list *cells, const str *text)
{
    int error = SNUG_OK;

    for (const char *at = str_text(text); *at && !error;) {
        const size_t len = strcspn(at, "\n");
        error = take_line(f, p, cells, at, len);
        at += len + (at[len] == '\n');
    }
    return error ? command_fail_memory() : EXIT_FINE;
}

void type_findings_free(type_findings *f)
{
    for (size_t i = 0; i < f->count; i++)
        free(f->items[i].message);
    free(f->items);
    *f = (type_findings){ 0 };
}

/* What mypy cannot read is the scan's to tell. */
static int check_program(type_findings *out, const folder *f, const cell_list *cells,
                         int is_function, int *is_readable)
{
    enum { UNREADABLE = 2 };
    program p = { 0 };
    str told = { 0 };
    int code = 0;
    int status = write_program(&p, cells, is_function) ? command_fail_memory() : EXIT_FINE;

    if (!status)
        status = write_file(&f->program, &p.text);
    if (!status)
        status = run_mypy(&told, &code, f);
    if (!status)
        status = take_lines(out, &p, cells, &told);
    if (!status && code != 0 && out->count + out->left_out == 0) {
        const char *line;
        const size_t len = child_last_line(&line, str_text(&told), told.len);
        status = len > 0 ? command_fail(EXIT_USAGE, "mypy: %.*s", (int)len, line)
                         : command_fail(EXIT_USAGE, "mypy has failed");
    }

    *is_readable = code != UNREADABLE;
    str_free(&told);
    str_free(&p.text);
    return status;
}

static int has_await_outside(const type_findings *f)
{
    for (size_t i = 0; i < f->count; i++)
        if (strstr(f->items[i].message, "\"await\" outside"))
            return 1;
    return 0;
}

int typecheck(type_findings *out, const tool_list *tools, const cell_list *cells)
{
    folder f = { 0 };
    str stubs = { 0 };
    int status = open_folder(&f), is_readable = 1;

    *out = (type_findings){ 0 };
    if (!status && (tool_list_write(&stubs, tools) || str_add(&stubs, more_stubs)))
        status = command_fail_memory();
    if (!status)
        status = write_file(&f.stubs, &stubs);
    if (!status)
        status = check_program(out, &f, cells, 0, &is_readable);
    if (!status && has_await_outside(out)) {
        type_findings_free(out);
        status = check_program(out, &f, cells, 1, &is_readable);
    }
    if (!is_readable)
        type_findings_free(out);

    str_free(&stubs);
    close_folder(&f);
    return status;
}
