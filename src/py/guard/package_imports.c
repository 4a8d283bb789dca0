#include "py/guard/package_imports.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <snug/snug.h>

#include "base/nearest.h"
#include "py/core/home.h"

enum { MOST_NAMES = 2000, TOLD_NAMES = 10, NAME_BYTES = 128, FAR = 1000 };

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

int packages_define(const void *list, const char *module, size_t len)
{
    return !home_has_module(module, len) && allowlist_verdict(list, module, len) == ALLOW_PUBLIC;
}

/* ---- the sentence ---- */

typedef struct near_name {
    char name[NAME_BYTES];
    size_t distance;
} near_name;

typedef struct near_names {
    const char *wanted;
    near_name *items;
    size_t count;
} near_names;

static int note_near_name(void *arg, const char *name, size_t len)
{
    near_names *names = arg;

    if (name[0] == '_')
        return 0;
    near_name *item = &names->items[names->count++];
    memcpy(item->name, name, len);
    item->name[len] = '\0';
    item->distance = nearest_distance(names->wanted, strlen(names->wanted), name, len, (size_t)FAR);
    return names->count == MOST_NAMES;
}

static int compare_distances(const void *a, const void *b)
{
    const near_name *one = a, *other = b;
    if (one->distance != other->distance)
        return one->distance < other->distance ? -1 : 1;
    return strcmp(one->name, other->name);
}

static int tell_names(str *out, const near_names *names)
{
    int error = SNUG_OK;
    for (size_t i = 0; !error && i < names->count && i < TOLD_NAMES; i++)
        error = str_printf(out, "%s%s", i > 0 ? ", " : " ", names->items[i].name);
    if (error)
        return error;
    return str_add(out, names->count > TOLD_NAMES ? ", ...; " : "; ");
}

int packages_explain(str *out, const char *folder, const char *module, size_t len)
{
    char name[NAME_BYTES] = "";

    first_part(name, module, len);
    const char *system = home_packages();
    if (!folder)
        return str_printf(out, "%s is not installed: this machine has no folder of packages", name);

    near_names names = { name, calloc(MOST_NAMES, sizeof *names.items), 0 };
    if (!names.items)
        return SNUG_ENOMEM;

    visit_modules(folder, note_near_name, &names);
    qsort(names.items, names.count, sizeof *names.items, compare_distances);
    int error = str_printf(out, "%s is not installed in %s, which has", name, folder);
    if (!error && names.count > 0)
        error = tell_names(out, &names);
    else if (!error)
        error = str_add(out, " no packages; ");

    if (!error && system && strcmp(folder, system) == 0)
        error = str_printf(out, "the system adds it as python3-%s", name);
    else if (!error)
        error = str_printf(out, "add it with snug packages install %s --into %s", name, folder);

    free(names.items);
    return error;
}
