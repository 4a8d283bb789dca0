#include "cli/ask/named_files.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/array.h"
#include "base/str.h"

enum { MOST_NAMED = 16 };

/* ---- the names of cells ---- */

static int is_name_taken(const named_files *files, const char *name)
{
    for (size_t i = 0; i < files->count; i++)
        if (files->items[i].name && strcmp(files->items[i].name, name) == 0)
            return 1;
    return 0;
}

/* The last part of a path, and with each call one more of those before it; NULL: there is none. */
static const char *longer_tail(const char *path, const char *tail)
{
    if (tail <= path + 1)
        return NULL;
    for (tail -= 2; tail > path && *tail != '/'; tail--)
        ;
    return tail + (*tail == '/');
}

static int leads_out(const char *path)
{
    return path[0] == '/' || strncmp(path, "../", 3) == 0 || strstr(path, "/../");
}

/* As the question has it, where that is in the current folder, so that a program opens it by the
 * same name; else by its last parts. NULL if memory ran out. */
static char *name_in_session(const named_files *files, const char *path)
{
    if (!leads_out(path)) {
        while (strncmp(path, "./", 2) == 0)
            path += 2;
        return strdup(path);
    }

    const char *slash = strrchr(path, '/');
    const char *tail = slash + 1;
    for (const char *longer = tail; longer && !strstr(longer, "../");
         longer = longer_tail(path, longer)) {
        tail = longer;
        if (!is_name_taken(files, tail) && *tail != '/')
            break;
    }

    /* Without a dot it would be a variable. */
    str name = { 0 };
    const int is_plain = !strchr(tail, '.') && !strchr(tail, '/');
    if (str_printf(&name, "%s%s", is_plain ? "files/" : "", tail)) {
        str_free(&name);
        return NULL;
    }
    return str_take(&name);
}

/* ---- what is there ---- */

/* Why a file is not taken: it or a folder on the way is a symbolic link, or hidden; NULL: it is.
 * path is changed, and put back. */
static const char *look_at_way(char *path)
{
    struct stat facts;

    for (char *at = path; *at;) {
        at += strspn(at, "/");
        const size_t len = strcspn(at, "/");
        if (*at == '.' && len > 1 && !(len == 2 && at[1] == '.'))
            return "it is hidden, and only --input gives such a file";
        at += len;
        const char kept = *at;
        *at = '\0';
        const int is_link = *path && lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode);
        *at = kept;
        if (is_link)
            return "it is reached by a symbolic link, and only --input follows those";
    }

    return NULL;
}

char *named_files_path(const char *text, size_t len)
{
    const char *home = getenv("HOME");
    str path = { 0 };

    const int is_home = len > 1 && text[0] == '~' && text[1] == '/';
    if (is_home && home && *home) {
        if (str_add(&path, home) || str_append(&path, text + 1, len - 1))
            str_free(&path);
    } else if (str_append(&path, text, len)) {
        str_free(&path);
    }

    if (path.len >= PATH_MAX)
        str_free(&path);
    return path.len > 0 ? str_take(&path) : NULL;
}

/* ---- the list ---- */

static size_t count_taken(const named_files *files)
{
    size_t count = 0;
    for (size_t i = 0; i < files->count; i++)
        count += files->items[i].name != NULL;
    return count;
}

/* Adds it where it is the path of a file; *is_file: it is. */
static int try_path(named_files *out, const char *text, size_t len, int *is_file)
{
    struct stat facts;
    char *path = named_files_path(text, len);
    named_file found = { .path = path };

    *is_file = path && strpbrk(path + 1, "./") && !stat(path, &facts) && S_ISREG(facts.st_mode);
    for (size_t i = 0; *is_file && i < out->count; i++)
        if (strcmp(out->items[i].path, path) == 0)
            goto done; /* each once */
    if (!*is_file)
        goto done;

    found.bytes = (uint64_t)facts.st_size;
    found.reason = look_at_way(path);
    if (!found.reason && access(path, R_OK))
        found.reason = "it may not be read";
    if (!found.reason && !(found.name = name_in_session(out, path)))
        goto fail;
    if (found.name && (count_taken(out) >= MOST_NAMED || is_name_taken(out, found.name))) {
        free(found.name);
        found.name = NULL;
        found.reason = "a question has 16 files at most by itself; --input gives more";
    }
    if (array_reserve(&out->items, &out->cap, out->count + 1, sizeof *out->items))
        goto fail;
    out->items[out->count++] = found;
    return SNUG_OK;

fail:
    free(found.name);
    free(path);
    return SNUG_ENOMEM;

done:
    free(path);
    return SNUG_OK;
}

static int try_word(named_files *out, const char *text, size_t len)
{
    int is_file;

    while (len > 0 && strchr("([{<\"'`*", *text)) {
        text++;
        len--;
    }
    while (len > 0 && strchr(".:?!)]}>\"'`*", text[len - 1]))
        len--;
    if (len > 2 && strncmp(text + len - 2, "'s", 2) == 0)
        len -= 2;
    return len > 0 ? try_path(out, text, len, &is_file) : SNUG_OK;
}

/* What stands in quotes at text, on one line. *len: with the quotes; 0: no file is named so. */
static int try_quoted(named_files *out, const char *text, size_t *len)
{
    const char *end = strchr("\"'`", *text) ? strchr(text + 1, *text) : NULL;
    const size_t inside = end ? (size_t)(end - text) - 1 : 0;
    int is_file = 0, error = SNUG_OK;

    if (inside > 0 && inside < PATH_MAX && !memchr(text, '\n', inside))
        error = try_path(out, text + 1, inside, &is_file);
    *len = is_file ? inside + 2 : 0;
    return error;
}

int named_files_find(named_files *out, const char *question)
{
    int error = SNUG_OK;

    *out = (named_files){ 0 };
    for (const char *at = question; *at && !error;) {
        size_t len;
        at += strspn(at, " \t\r\n,;");
        if (!*at)
            break;
        error = try_quoted(out, at, &len);
        if (len == 0 && !error) {
            len = strcspn(at, " \t\r\n,;");
            error = try_word(out, at, len);
        }
        at += len;
    }
    return error;
}

void named_files_free(named_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->items[i].path);
        free(files->items[i].name);
    }
    free(files->items);
    *files = (named_files){ 0 };
}
