#include "py/guard/package_imports.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <snug/snug.h>

#include "base/nearest.h"
#include "py/core/home.h"

enum { NAME_BYTES = 128 };

/* ---- one name ---- */

/* The part before the first dot; 0 if it does not fit or is not a name. */
static int first_part(char out[NAME_BYTES], const char *module, size_t len)
{
    const char *dot = memchr(module, '.', len);

    if (dot)
        len = (size_t)(dot - module);
    if (len == 0 || len >= NAME_BYTES || memchr(module, '/', len) || memchr(module, '\0', len))
        return 0;

    memcpy(out, module, len);
    out[len] = '\0';
    return 1;
}

/* What follows the name: nothing, ".py", or a tag and ".so". */
static int ends_as_module(const char *file, size_t name_len, int is_folder)
{
    const char *rest = file + name_len, *last = strrchr(file, '.');

    if (is_folder)
        return *rest == '\0';
    if (strcmp(rest, ".py") == 0)
        return 1;
    return *rest == '.' && last && strcmp(last, ".so") == 0;
}

/* "numpy", "six.py", "_cffi_backend.cpython-311-x86_64-linux-gnu.so", but no
 * "numpy-1.24.dist-info": how long its name is; 0: it is not a module. */
static size_t name_bytes(const char *file, int is_folder)
{
    size_t len = strcspn(file, ".-");

    if (len >= NAME_BYTES || isdigit((unsigned char)file[0]))
        return 0;

    if (!ends_as_module(file, len, is_folder))
        return 0;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)file[i];
        if (!isalnum(c) && c != '_' && c <= 127)
            return 0;
    }

    return len;
}

static int is_folder_in(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat facts;
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    return n < (int)sizeof path && stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* Calls visit with each module's name until that answers 1. */
static int visit_modules(const char *folder, int (*visit)(void *arg, const char *name, size_t len),
                         void *arg)
{
    int answer = 0;
    const struct dirent *item;

    if (!folder)
        return 0;
    DIR *dir = opendir(folder);
    if (!dir)
        return 0;

    while (!answer && (item = readdir(dir))) {
        size_t len = name_bytes(item->d_name, is_folder_in(folder, item->d_name));
        answer = len > 0 && visit(arg, item->d_name, len);
    }

    closedir(dir);
    return answer;
}

static int is_same_name(void *name, const char *found, size_t len)
{
    return strlen(name) == len && memcmp(name, found, len) == 0;
}

int packages_has(const char *folder, const char *module, size_t len)
{
    char name[NAME_BYTES];
    return first_part(name, module, len) && visit_modules(folder, is_same_name, name);
}

/* ---- the sentence ---- */

typedef struct near_name {
    const char *wanted;
    char name[NAME_BYTES]; /* "": none so far */
} near_name;

static int note_nearer(void *arg, const char *name, size_t len)
{
    near_name *near = arg;
    char text[NAME_BYTES];
    const char *both[] = { near->name, text };

    memcpy(text, name, len);
    text[len] = '\0';
    if (nearest_name(near->wanted, both, 2) == text)
        memcpy(near->name, text, len + 1);
    return 0;
}

int packages_explain(str *out, const char *folder, const char *module, size_t len)
{
    char name[NAME_BYTES] = "";

    first_part(name, module, len);
    if (!folder)
        return str_printf(out, "%s is not installed: this machine has no folder of packages", name);

    near_name near = { .wanted = name };
    visit_modules(folder, note_nearer, &near);
    int error = str_printf(out, "%s is not installed in %s", name, folder);
    if (!error && near.name[0])
        error = str_printf(out, "; did you mean %s?", near.name);
    return error;
}
