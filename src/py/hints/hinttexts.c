/*
 * hinttexts.c - hints about files, about errors of modules, and about source that is not Python.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "py/hints/hint.h"
#include "py/hints/hints.h"

/* ---- files ---- */

enum { MOST_FILES = 200 };

typedef struct files {
    char *items[MOST_FILES];
    size_t count;
} files;

static void read_folder(files *out, const char *path)
{
    size_t fault;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *item;

    while (dir && out->count < MOST_FILES && (item = readdir(dir))) {
        int is_shown = item->d_name[0] != '.' &&
                       utf8_check(item->d_name, strlen(item->d_name), &fault) == UTF8_FINE;
        char *name = is_shown ? strdup(item->d_name) : NULL;
        if (name)
            out->items[out->count++] = name;
    }

    if (dir)
        closedir(dir);
    else if (fd >= 0)
        close(fd);
}

static int compare_files(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* near: the one that is meant, or NULL. */
static void say_files(hint *h, const files *there, const char *near)
{
    const char *const *names = (const char *const *)there->items;
    if (near) {
        hint_add_text(h, "Did you mean '");
        hint_add(h, (span){ near, strlen(near) });
        hint_add_text(h, "'? ");
    }

    if (there->count == 0) {
        hint_add_text(h, "There are no files.");
        return;
    }

    hint_add_text(h, "The files are ");
    hint_add_names(h, names, there->count);
}

/* The folder of a path of the work directory, absolute, and the name in it. 0 where it has none
 * or is elsewhere. */
static int split_path(char *folder, size_t size, const char **name, const interp *in,
                      const char *path)
{
    const char *root = in->options.workdir;
    size_t len = root ? strlen(root) : 0;

    if (len && strncmp(path, root, len) == 0 && path[len] == '/')
        path += len + 1;
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    if (!len || *path == '/' || paths_climb(path, strlen(path)))
        return 0;

    if (!slash)
        return snprintf(folder, size, "%s", root) < (int)size;
    if (snprintf(folder, size, "%s/%.*s", root, (int)(slash - path), path) >= (int)size)
        return 0;
    return beneath(root, folder + len + 1, 0);
}

/* A mode to write in, behind the comma or the = of an argument: 'w', "ab+"; and no name of a file.
 */
static int is_mode_to_write(const char *begin, const char *end)
{
    const char quote = *begin;
    const char *at = begin + 1;
    size_t len = 0;

    if ((quote != '\'' && quote != '"') || at == end || !strchr("wax", *at))
        return 0;
    while (at + len < end && len < 4 && at[len] && strchr("waxbt+", at[len]))
        len++;
    return at + len < end && at[len] == quote;
}

static int has_mode_to_write(span line)
{
    const char *end = line.at + line.len;

    for (const char *at = line.at; at < end; at++) {
        if (*at != ',' && *at != '=')
            continue;
        const char *behind = at + 1;
        while (behind < end && *behind == ' ')
            behind++;
        if (behind < end && is_mode_to_write(behind, end))
            return 1;
    }
    return 0;
}

/* Whether the line that raised makes files. */
static int is_to_write(span line)
{
    static const char *const signs[] = { "write", "mkdir", "rename", "copy", "move" };

    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (memmem(line.at, line.len, signs[i], strlen(signs[i])))
            return 1;
    return has_mode_to_write(line);
}

/* Cuts the path of a folder in the work directory down to one that is there; the part below that
 * one is the first that is missing. */
static const char *cut_to_folder(char *folder, size_t root_len)
{
    char *missing = NULL;

    while (access(folder, F_OK) != 0 && strlen(folder) > root_len) {
        missing = strrchr(folder, '/');
        *missing = '\0';
    }
    return missing ? missing + 1 : "";
}

static int has_file(const files *there, const char *name)
{
    for (size_t i = 0; i < there->count; i++)
        if (strcmp(there->items[i], name) == 0)
            return 1;
    return 0;
}

/* missing: the part of the path that is not there, where the file's folder is not. */
static void say_folder(hint *h, const char *folder, const char *name, const char *missing)
{
    files there = { .count = 0 };
    read_folder(&there, folder);

    const char *const *names = (const char *const *)there.items;
    const char *near = *missing && has_file(&there, name) ? name : NULL;
    if (there.count > 0)
        qsort(there.items, there.count, sizeof *there.items, compare_files);
    if (!near)
        near = nearest_name(*missing ? missing : name, names, there.count);
    /* Of two paths it is the other one where this file is there. */
    if (*missing || !has_file(&there, name))
        say_files(h, &there, near);
    for (size_t i = 0; i < there.count; i++)
        free(there.items[i]);
}

/* Of a file whose folder is missing: 1 where all is said. The folder becomes the one above it that
 * is there, *part what is missing in that. */
static int say_missing_folder(hint *h, char *folder, const char **part)
{
    const size_t root_len = strlen(h->in->options.workdir);

    if (is_to_write(h->place.line))
        return hint_say(h, "The folder does not exist: os.makedirs(path, exist_ok=True) makes it.");
    hint_add_text(h, "The folder does not exist. ");
    *part = cut_to_folder(folder, root_len);
    if (strlen(folder) > root_len) {
        hint_add_text(h, "In '");
        hint_add_text(h, folder + root_len + 1);
        hint_add_text(h, "': ");
    }
    return 0;
}

static int say_missing(hint *h, const char *path)
{
    char folder[PATH_MAX];
    const char *name, *part = "";

    if (!split_path(folder, sizeof folder, &name, h->in, path))
        return 0;
    if (access(folder, F_OK) != 0 && say_missing_folder(h, folder, &part))
        return 1;
    say_folder(h, folder, name, part);
    return 1;
}

/* A path that only the work directory's files are reached by. */
static int is_elsewhere(const char *path)
{
    return path && (path[0] == '/' || path[0] == '~' || paths_climb(path, strlen(path)));
}

int hint_system(hint *h)
{
    PyOSErrorObject *error = (PyOSErrorObject *)h->exc;
    PyObject *code = error->myerrno, *filename = error->filename;
    long number = 0;
    const char *path = NULL;

    if (code && PyLong_CheckExact(code))
        number = PyLong_AsLong(code);
    if (filename && PyUnicode_CheckExact(filename))
        path = PyUnicode_AsUTF8(filename);
    PyErr_Clear();
    if (number == ENOENT && path && say_missing(h, path))
        return 1;

    if ((number == EACCES || number == EPERM || number == EROFS) && is_elsewhere(path))
        return hint_say(h, "Use a relative path: files are in the work directory.");
    if (number == EEXIST)
        return hint_say(h, "Choose another name, or use os.makedirs(path, exist_ok=True).");
    if (number == ENAMETOOLONG)
        return hint_say(h, "Was text passed in place of a path?");
    return 0;
}

/* ---- source ---- */

#define NO_DECLARATION "This is not Python: write name = value."
#define NO_BRACES      "Blocks are indented and begin with a colon: there are no braces."

static const struct line_row {
    enum { BEGINS, HAS, ENDS } where;
    const char *text, *sentence;
} line_rows[] = {
    { BEGINS, "pip ", HINT_NO_INSTALL },
    { BEGINS, "pip3 ", HINT_NO_INSTALL },
    { BEGINS, "conda ", HINT_NO_INSTALL },
    { BEGINS, "python -m pip ", HINT_NO_INSTALL },
    { BEGINS, ">>>", "Remove the prompts, >>> and ..., and what they printed." },
    { BEGINS, "In [", "Remove the prompts, In [1]: and Out[1]:." },
    { BEGINS, "```", "Remove the lines with ```: a cell is code only." },
    { BEGINS, "~~~", "Remove the lines with ~~~: a cell is code only." },
    { BEGINS, "$ ", "A session has no shell: remove the line." },
    { BEGINS, "cd ",
      "A session has no shell: remove the line; paths are relative to the work directory." },
    { BEGINS, "ls ", "A session has no shell: os.listdir() lists the work directory." },
    { BEGINS, "python ", "A session has no shell: write the code itself." },
    { BEGINS, "exec ", "exec is a function: exec(...)." },
    { BEGINS, "let ", NO_DECLARATION },
    { BEGINS, "var ", NO_DECLARATION },
    { BEGINS, "const ", NO_DECLARATION },
    { BEGINS, "function ", "This is not Python: write def name(...):." },
    { BEGINS, "switch ", "Write if, elif and else, or match." },
    { BEGINS, "else if", "Write elif." },
    { BEGINS, "elseif", "Write elif." },
    { BEGINS, "//", "A comment begins with #." },
    { BEGINS, "/*", "A comment begins with #." },
    { BEGINS, "<", "This is markup, not Python: put it into a string, \"\"\"...\"\"\"." },
    { ENDS, " then", "Write `if condition:` without then." },
    { ENDS, ") {", NO_BRACES },
    { ENDS, "){", NO_BRACES },
    { ENDS, "else {", NO_BRACES },
    { HAS, "&&", "Write `and` instead of &&." },
    { HAS, "||", "Write `or` instead of ||." },
    { HAS, "++", "Write x += 1 instead of x++." },
    { HAS, "===", "Write == instead of ===." },
    { HAS, "=>", "Write lambda x: ... instead of =>, and >= for \"at least\"." },
};

/* Up to the first quote or comment. */
static size_t plain_bytes(span line)
{
    size_t len = 0;
    while (len < line.len && !strchr("'\"#", line.at[len]))
        len++;
    return len;
}

static int fits_line(const struct line_row *row, span line)
{
    size_t len = strlen(row->text);
    if (line.len < len)
        return 0;

    switch (row->where) {
    case BEGINS:
        return memcmp(line.at, row->text, len) == 0;
    case HAS:
        /* Not in a text or comment. */
        line = span_cut(line, plain_bytes(line));
        return memmem(line.at, line.len, row->text, len) != NULL;
    case ENDS:
        return memcmp(line.at + line.len - len, row->text, len) == 0;
    }

    return 0;
}

/* "Here is the code": a capital letter, and words. */
static int is_prose(span line)
{
    size_t words = 0, i = 0;

    if (line.len < 12 || line.at[0] < 'A' || line.at[0] > 'Z' ||
        !memchr("abcdefghijklmnopqrstuvwxyz '", line.at[1], 28))
        return 0;
    for (; i < line.len && words < 3; words++) {
        size_t len = place_name_len(span_from(line, i));
        i += len;
        if (len == 0 || (i < line.len && !strchr(" ,':!", line.at[i])))
            return 0;
        i += strspn(line.at + i, " ,':!");
    }

    return words == 3;
}

/* The line of a SyntaxError without the blanks around it; empty: not known. */
static span error_line(PyObject **holder, PyObject *exc)
{
    PyObject *text = ((PySyntaxErrorObject *)exc)->text;

    *holder = NULL;
    if (!text || !PyUnicode_CheckExact(text))
        return (span){ "", 0 };
    return span_strip(pytext_of(holder, text));
}

static int is_install_command(span line)
{
    static const char *const commands[] = { "pip install", "pip3 install", "conda install" };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (memmem(line.at, line.len, commands[i], strlen(commands[i])))
            return 1;
    return 0;
}

/* A line that a notebook would take for its own. */
int hint_notebook_line(hint *h)
{
    PyObject *holder;
    span line = error_line(&holder, h->exc);
    const char mark = line.len > 0 ? line.at[0] : '\0';
    int said = 0;

    if (mark != '!' && mark != '%')
        said = 0;
    else if (is_install_command(line))
        said = hint_say(h, HINT_NO_INSTALL);
    else if (mark == '!')
        said = hint_say(h, "A session has no shell: remove the line that begins with '!'.");
    else
        said = hint_say(h, "%lsmagic lists the magics: remove the line that begins with '%'.");

    Py_XDECREF(holder);
    return said;
}

int hint_syntax_line(hint *h)
{
    PyObject *holder;
    span line = error_line(&holder, h->exc);
    if (line.len == 0) {
        Py_XDECREF(holder);
        return 0;
    }

    int said = 0;
    for (size_t i = 0; !said && i < sizeof line_rows / sizeof *line_rows; i++)
        if (fits_line(&line_rows[i], line))
            said = hint_say(h, line_rows[i].sentence);

    if (!said && is_prose(line))
        said = hint_say(
            h, "This line looks like text, not like Python: remove it, or put # in front of "
               "it.");

    Py_XDECREF(holder);
    return said;
}

static const struct character_row {
    const char *text, *sentence;
} character_rows[] = {
    { "\xe2\x80\x9c", "Replace the typographic quotes with straight ones, \"." },
    { "\xe2\x80\x9d", "Replace the typographic quotes with straight ones, \"." },
    { "\xe2\x80\x9e", "Replace the typographic quotes with straight ones, \"." },
    { "\xe2\x80\x98", "Replace the typographic quotes with straight ones, '." },
    { "\xe2\x80\x99", "Replace the typographic quotes with straight ones, '." },
    { "\xc2\xab", "Replace the typographic quotes with straight ones, \"." },
    { "\xc2\xbb", "Replace the typographic quotes with straight ones, \"." },
    { "\xe2\x80\x93", "Replace the long dash with a minus, -." },
    { "\xe2\x80\x94", "Replace the long dash with a minus, -." },
    { "\xe2\x88\x92", "Replace the sign with a minus, -." },
    { "\xc3\x97", "Replace the sign with a star, *." },
    { "\xc3\xb7", "Replace the sign with a slash, /." },
    { "\xe2\x89\xa4", "Write <=." },
    { "\xe2\x89\xa5", "Write >=." },
    { "\xe2\x89\xa0", "Write !=." },
    { "\xe2\x86\x92", "Write ->." },
    { "\xe2\x80\xa6", "Replace the sign with three dots, ... ." },
    { "\xc2\xb2", "Write **2." },
};

/* $1 is the character. */
int hint_character(hint *h)
{
    for (size_t i = 0; i < sizeof character_rows / sizeof *character_rows; i++) {
        if (span_is(h->parts[0], character_rows[i].text))
            return hint_say(h, character_rows[i].sentence);
    }
    return 0;
}
