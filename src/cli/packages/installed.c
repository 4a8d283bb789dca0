#include "cli/packages/installed.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/file.h"
#include "base/tree.h"
#include "cli/packages/requirements.h"

enum { MOST_FILE_BYTES = 16 << 20, MOST_NAMES = 100000 };

static int has_ending(const char *text, const char *end)
{
    size_t len = strlen(text), of_end = strlen(end);
    return len > of_end && !strcmp(text + len - of_end, end);
}

/* What folder/info/name has; folder/info itself, where name is NULL. Nothing, if it is not there.
 */
static void read_info_text(str *out, const char *folder, const char *info, const char *name)
{
    str path = { 0 };
    int error = str_printf(&path, "%s/%s", folder, info);

    if (!error && name)
        error = str_printf(&path, "/%s", name);
    if (!error && access(path.data, R_OK) == 0)
        (void)file_read(out, path.data, MOST_FILE_BYTES);
    str_free(&path);
}

/* ---- RECORD ---- */

/* The path at the beginning of a line, which may be in quotes; goes behind the line. */
static void record_path(str *out, const char **at)
{
    const char *c = *at;

    if (*c == '"') {
        for (c++; *c && (*c != '"' || c[1] == '"'); c++) {
            c += *c == '"';
            (void)str_append(out, c, 1);
        }
    } else {
        size_t len = strcspn(c, ",\r\n");
        (void)str_append(out, c, len);
    }

    c += strcspn(c, "\n");
    *at = c + (*c == '\n');
}

/* Where the file is in the folder: pip installs in lib/python of another one, and moves that and
 * what is beside it, as in ../../bin. NULL: out of the folder. */
static const char *in_folder(const char *path)
{
    path += strncmp(path, "../../", 6) == 0 ? 6 : 0;
    for (const char *part = path;; part++) {
        size_t len = strcspn(part, "/");
        if (len == 0 || (len == 1 && *part == '.') || (len == 2 && !strncmp(part, "..", 2)))
            return NULL;
        part += len;
        if (!*part)
            return path;
    }
}

int installed_files(str *out, const char *folder, const char *info)
{
    str text = { 0 };
    int error = SNUG_OK;

    if (has_ending(info, ".dist-info"))
        read_info_text(&text, folder, info, "RECORD");
    for (const char *at = str_text(&text); *at && !error;) {
        str path = { 0 };
        record_path(&path, &at);
        const char *inside = path.len ? in_folder(path.data) : NULL;
        if (inside)
            error = str_append(out, inside, strlen(inside) + 1);
        str_free(&path);
    }

    str_free(&text);
    if (error)
        return error_no_memory();
    return SNUG_OK;
}

/* ---- metadata ---- */

/* The value of "Name: value" in the head of the metadata; NULL: there is none. */
static char *find_header(const char *text, const char *name)
{
    const size_t len = strlen(name);

    while (*text && *text != '\n' && *text != '\r') {
        if (!strncasecmp(text, name, len) && text[len] == ':') {
            const char *value = text + len + 1;
            value += strspn(value, " \t");
            return strndup(value, strcspn(value, " \t\r\n"));
        }

        text += strcspn(text, "\n");
        if (*text)
            text++;
    }

    return NULL;
}

static int is_import_name(const char *text, size_t len)
{
    if (len == 0 || is_digit(*text))
        return 0;
    for (size_t i = 0; i < len; i++)
        if (!is_word(text[i]))
            return 0;
    return 1;
}

static int has_import(const package *p, const char *name, size_t len)
{
    for (size_t i = 0; i < p->import_count; i++)
        if (strlen(p->imports[i]) == len && !strncmp(p->imports[i], name, len))
            return 1;
    return 0;
}

/* Once each. */
static int add_import(package *p, const char *text, size_t len)
{
    static const char cache[] = "__pycache__";

    if (!is_import_name(text, len) || has_import(p, text, len))
        return SNUG_OK;
    if (len == sizeof cache - 1 && !memcmp(text, cache, len))
        return SNUG_OK;

    if (array_reserve(&p->imports, &p->import_cap, p->import_count + 1, sizeof *p->imports))
        return SNUG_ENOMEM;

    char *name = strndup(text, len);
    if (!name)
        return SNUG_ENOMEM;

    p->imports[p->import_count++] = name;
    return SNUG_OK;
}

static int is_extension_file(const char *path)
{
    const char *slash = strrchr(path, '/');
    return has_ending(path, ".so") || strstr(slash ? slash : path, ".so.");
}

/* "a/b.py" is of a, "b.py" and "b.cpython-311-x86_64-linux-gnu.so" are b. */
static int add_record_path(package *p, const char *path)
{
    int is_extension = is_extension_file(path);

    if (is_extension)
        p->has_extensions = 1;
    if (!is_extension && !has_ending(path, ".py"))
        return SNUG_OK;
    return add_import(p, path, strcspn(path, strchr(path, '/') ? "/" : "."));
}

/* ---- packages without a record ---- */

static int meet_extension(void *payload, const tree_entry *entry)
{
    int *found = payload;
    *found = *found || (S_ISREG(entry->facts->st_mode) && is_extension_file(entry->path));
    return 0;
}

static void look_in_folder(package *p, int folder, const char *import)
{
    int fd = openat(folder, import, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)tree_walk(fd, MOST_NAMES, meet_extension, &p->has_extensions);
    close(fd);
}

/* A module is a folder, or a file beside it: "_brotli.cpython-311-x86_64-linux-gnu.so". */
static void look_for_extensions(package *p, const char *folder)
{
    DIR *dir = opendir(folder);

    for (const struct dirent *item; dir && (item = readdir(dir));)
        if (is_extension_file(item->d_name) &&
            has_import(p, item->d_name, strcspn(item->d_name, ".")))
            p->has_extensions = 1;

    for (size_t i = 0; dir && i < p->import_count; i++)
        look_in_folder(p, dirfd(dir), p->imports[i]);
    if (dir)
        closedir(dir);
}

/* The package's own name, where the folder has that. */
static int add_guess(package *p, const char *folder)
{
    str guess = { 0 };
    int error = SNUG_OK;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return SNUG_OK;

    for (const char *c = p->name; *c && !error; c++)
        error = str_append(&guess, *c == '-' || *c == '.' ? "_" : c, 1);
    if (error)
        goto done;

    size_t len = guess.len;
    if (faccessat(fd, guess.data, F_OK, 0) == 0)
        error = add_import(p, guess.data, len);
    if (!error)
        error = str_add(&guess, ".py");
    if (!error && faccessat(fd, guess.data, F_OK, 0) == 0)
        error = add_import(p, guess.data, len);

done:
    close(fd);
    str_free(&guess);
    return error;
}

/* The names of top_level.txt; without it a guess. */
static int add_top_level(package *p, const char *folder)
{
    str text = { 0 };
    int error = SNUG_OK;

    read_info_text(&text, folder, p->info, "top_level.txt");
    for (const char *at = str_text(&text); *at && !error; at += strspn(at, "\r\n")) {
        size_t len = strcspn(at, "\r\n");
        error = add_import(p, at, len);
        at += len;
    }

    str_free(&text);
    if (!error && p->import_count == 0)
        error = add_guess(p, folder);
    return error;
}

static int add_imports(package *p, const char *folder)
{
    str files = { 0 };
    int error = installed_files(&files, folder, p->info);

    for (const char *at = str_text(&files); !error && at < str_text(&files) + files.len;
         at += strlen(at) + 1)
        error = add_record_path(p, at);

    if (!error && files.len == 0 && !(error = add_top_level(p, folder)))
        look_for_extensions(p, folder);
    str_free(&files);
    return error;
}

/* ---- a folder ---- */

static void free_package(package *p)
{
    for (size_t i = 0; i < p->import_count; i++)
        free(p->imports[i]);
    free(p->imports);
    free(p->name);
    free(p->version);
    free(p->info);
    *p = (package){ 0 };
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int compare_names(const void *a, const void *b)
{
    return strcasecmp(((const package *)a)->name, ((const package *)b)->name);
}

/* *is_fine: it has a name. */
static int read_package(package *p, int *is_fine, const char *folder, const char *info)
{
    str text = { 0 };
    const int is_egg = has_ending(info, ".egg-info");

    read_info_text(&text, folder, info, is_egg ? "PKG-INFO" : "METADATA");
    if (text.len == 0 && is_egg)
        read_info_text(&text, folder, info, NULL);
    *p = (package){ .name = find_header(str_text(&text), "Name"),
                    .version = find_header(str_text(&text), "Version"),
                    .info = strdup(info) };
    str_free(&text);
    *is_fine = p->name && requirements_name(p->name) == strlen(p->name);
    if (!*is_fine)
        return SNUG_OK;

    if (!p->version || !requirements_is_version(p->version)) {
        free(p->version);
        p->version = strdup("");
    }

    int error = p->version && p->info ? add_imports(p, folder) : SNUG_ENOMEM;
    if (p->import_count > 0)
        qsort(p->imports, p->import_count, sizeof *p->imports, compare_texts);
    return error;
}

static int add_installed(installed *out, const char *folder, const char *info)
{
    package read;
    int is_fine;
    int error = read_package(&read, &is_fine, folder, info);

    if (!error && is_fine)
        error = array_reserve(&out->items, &out->cap, out->count + 1, sizeof *out->items);
    if (error || !is_fine) {
        free_package(&read);
        if (error)
            return error_no_memory();
        return SNUG_OK;
    }

    out->items[out->count++] = read;
    return SNUG_OK;
}

int installed_read(installed *out, const char *folder)
{
    *out = (installed){ 0 };
    DIR *dir = opendir(folder);
    int error = SNUG_OK;
    if (!dir)
        return error_system("%s", folder);

    for (const struct dirent *item; !error && (item = readdir(dir));)
        if (has_ending(item->d_name, ".dist-info") || has_ending(item->d_name, ".egg-info"))
            error = add_installed(out, folder, item->d_name);

    closedir(dir);
    if (out->count > 0)
        qsort(out->items, out->count, sizeof *out->items, compare_names);
    if (error)
        installed_free(out);
    return error;
}

void installed_free(installed *in)
{
    for (size_t i = 0; i < in->count; i++)
        free_package(&in->items[i]);
    free(in->items);
    *in = (installed){ 0 };
}

const package *installed_find(const installed *in, const char *name)
{
    for (size_t i = 0; i < in->count; i++)
        if (requirements_is_same(in->items[i].name, name))
            return &in->items[i];
    return NULL;
}

const package *installed_find_import(const installed *in, const char *module)
{
    for (size_t i = 0; i < in->count; i++)
        for (size_t k = 0; k < in->items[i].import_count; k++)
            if (strcmp(in->items[i].imports[k], module) == 0)
                return &in->items[i];
    return NULL;
}
