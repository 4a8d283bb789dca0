#include "cli/run/typecheck.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/process/await.h"
#include "base/process/child.h"
#include "base/shellword.h"
#include "cli/program/command.h"
#include "cli/run/typed_program.h"

/* Defaults of a server's need not be of its types. */
static const char ignored[] = "# mypy: ignore-errors\n";
/* What cells have besides tools. */
static const char more_stubs[] = "\n"
                                 "In: list[str]\n"
                                 "Out: dict[int, Any]\n"
                                 "_: Any\n"
                                 "def display(*objects: Any, **options: Any) -> Any: ...\n"
                                 "def get_ipython() -> Any: ...\n";
static const char head[] = "from snug_tools import *; from snug_tools import _";
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
        "--cache-dir=/dev/null --allow-redefinition --disable-error-code=assignment "
        "--disable-error-code=var-annotated "
        "--disable-error-code=no-redef program.py";
    int error = str_add(out, "cd ");

    if (!error)
        error = shellword_append(out, f->path, strlen(f->path));
    return error ? error : str_add(out, mypy);
}

/* What it prints, to its end, or to that of its time or the program's. */
static void read_all(child *c, str *out, const type_checker *how)
{
    enum { MOST = 1 << 22, LOOK_MS = 100 };
    const uint64_t until_ns = clock_deadline_ns(clock_now_ns(), how->wall_ms);
    str errors = { 0 };

    while (c->out >= 0 || c->err >= 0) {
        await_readable(c->out >= 0 ? c->out : c->err, LOOK_MS);
        child_read(&c->out, out, MOST);
        child_read(&c->err, &errors, MOST);
        if (signals_taken(how->signals) || clock_now_ns() >= until_ns)
            break;
    }
    if (out->len == 0)
        str_add_str(out, &errors);
    str_free(&errors);
}

/* Why it was not read to its end; EXIT_FINE where it was. */
static int fail_ended(const child *c, const type_checker *how)
{
    const int taken = signals_taken(how->signals);

    if (taken)
        return 128 + taken;
    if (c->out < 0 && c->err < 0)
        return EXIT_FINE;
    return command_fail(EXIT_USAGE, "mypy has not ended within %g s (--timeout)",
                        (double)how->wall_ms / 1000);
}

static int run_mypy(str *out, int *code, const folder *f, const type_checker *how)
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
    read_all(&c, out, how);
    int status = fail_ended(&c, how);
    if (status)
        child_kill(&c);
    else
        child_wait(&c);
    child_free(&c);
    str_free(&command);
    *code = WIFEXITED(c.status) ? WEXITSTATUS(c.status) : -1;
    if (!status && *code == MISSING)
        status =
            command_fail(EXIT_USAGE, "--types needs mypy, which is not here: apt-get install mypy");
    return status;
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

/* mypy wants each global name to be one of the program's outside functions, and in a function none
 * is. */
static int is_about_global(const typed_program *p, const char *line, size_t len)
{
    static const char begin[] = "Name \"", end[] = "\" is not defined";
    const char *name = memmem(line, len, begin, sizeof begin - 1);
    const char *behind = memmem(line, len, end, sizeof end - 1);

    if (!name || !behind || behind < name + sizeof begin)
        return 0;
    name += sizeof begin - 1;
    return typed_program_has_global(p, name, (size_t)(behind - name));
}

/* "program.py:7:1: error: It is wrong  [code]". What it only notes is not a finding. */
static int take_line(type_findings *f, const typed_program *p, const cell_list *cells,
                     const char *line, size_t len)
{
    type_finding one = { 0 };
    unsigned row, column;
    int at = 0;

    if (sscanf(line, "program.py:%u:%u: error: %n", &row, &column, &at) != 2 || at == 0 ||
        (size_t)at >= len || row < p->first_line || !find_cell(&one, cells, row - p->first_line))
        return SNUG_OK;
    if (is_about_awaiting(line, len) || is_about_global(p, line, len)) {
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

static int take_lines(type_findings *f, const typed_program *p, const cell_list *cells,
                      const str *text)
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
                         int is_function, int *is_readable, const type_checker *how)
{
    enum { UNREADABLE = 2 };
    typed_program p = { .first_line = 0 };
    str told = { 0 };
    int code = 0;
    int status =
        typed_program_write(&p, head, cells, is_function) ? command_fail_memory() : EXIT_FINE;

    if (!status)
        status = write_file(&f->program, &p.text);
    if (!status)
        status = run_mypy(&told, &code, f, how);
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

int typecheck(type_findings *out, const tool_list *tools, const cell_list *cells,
              const type_checker *how)
{
    folder f = { 0 };
    str stubs = { 0 };
    int status = open_folder(&f), is_readable = 1;

    *out = (type_findings){ 0 };
    if (!status &&
        (str_add(&stubs, ignored) || tool_list_write(&stubs, tools) || str_add(&stubs, more_stubs)))
        status = command_fail_memory();
    if (!status)
        status = write_file(&f.stubs, &stubs);
    if (!status)
        status = check_program(out, &f, cells, 0, &is_readable, how);
    if (!status && has_await_outside(out)) {
        type_findings_free(out);
        status = check_program(out, &f, cells, 1, &is_readable, how);
    }
    if (!is_readable)
        type_findings_free(out);

    str_free(&stubs);
    close_folder(&f);
    return status;
}
