#include "cli/packages/modules.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/str.h"
#include "base/tree.h"

enum { MOST_NAMES = 100000, MOST_MODULE_BYTES = 200 };

/* ---- what a folder has ---- */

static int is_extension(const char *name)
{
    const size_t len = strlen(name);
    return len > 3 && strcmp(name + len - 3, ".so") == 0;
}

/* ECANCELED ends the walk. */
static int meet_file(void *payload, const tree_entry *entry)
{
    int *found = payload;
    *found = S_ISREG(entry->facts->st_mode) && is_extension(entry->name);
    return *found ? ECANCELED : 0;
}

/* Whether some of a module is in C; entry: its folder or file. */
static int is_in_c(int folder, const char *entry)
{
    const int fd = openat(folder, entry, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int found = is_extension(entry);

    if (fd < 0)
        return found;
    (void)tree_walk(fd, MOST_NAMES, meet_file, &found);
    close(fd);
    return found;
}

/* A module is a folder, NAME.py, or NAME.cpython-311-x86_64-linux-gnu.so. needs_c may be NULL. */
static int has_module(const char *folder, const char *module, int *needs_c)
{
    const size_t len = strlen(module);
    int is_there = 0;
    DIR *dir = opendir(folder);

    for (const struct dirent *entry; dir && !is_there && (entry = readdir(dir));) {
        const char *rest = entry->d_name + len;
        if (strncmp(entry->d_name, module, len) != 0)
            continue;
        is_there = !*rest || !strcmp(rest, ".py") || (*rest == '.' && is_extension(rest));
        if (is_there && needs_c)
            *needs_c = is_in_c(dirfd(dir), entry->d_name);
    }
    if (dir)
        closedir(dir);
    return is_there;
}

char *packages_folder(const options *o, const char *report)
{
    static const char key[] = "\npython.packages: ";

    if (o->package_folder)
        return strdup(o->package_folder);
    const char *at = strstr(report, key);
    if (!at || at[sizeof key - 1] != '/')
        return NULL;
    at += sizeof key - 1;
    return strndup(at, strcspn(at, "\n"));
}

/* ---- what is usual ---- */

/* By the names that import statements have. matplotlib's package has two. */
static const char *const usual[] = { "numpy", "pandas",   "matplotlib", "mpl_toolkits",
                                     "scipy", "sympy",    "sklearn",    "seaborn",
                                     "PIL",   "openpyxl", "statsmodels" };
enum { USUAL = sizeof usual / sizeof usual[0] };

int usual_has(const char *module)
{
    for (size_t i = 0; i < USUAL; i++)
        if (strcmp(usual[i], module) == 0)
            return 1;
    return 0;
}

static int add_text(text_list *out, const char *text)
{
    if (array_reserve(&out->items, &out->cap, out->count + 2, sizeof *out->items))
        return SNUG_ENOMEM;
    out->items[out->count++] = text;
    out->items[out->count] = NULL;
    return SNUG_OK;
}

int usual_add(text_list *out, const char *folder)
{
    int error = SNUG_OK;

    for (size_t i = 0; i < USUAL && !error; i++)
        if (has_module(folder, usual[i], NULL))
            error = add_text(out, usual[i]);
    return error;
}

int usual_allow(text_list *out, const options *o, const char *const *allowed, const char *report)
{
    char *folder = o->is_data ? packages_folder(o, report) : NULL;
    int error = SNUG_OK;

    for (size_t i = 0; allowed && allowed[i] && !error; i++)
        error = add_text(out, allowed[i]);
    if (!error && folder)
        error = usual_add(out, folder);
    free(folder);
    return error;
}

/* ---- which package has a module ---- */

/* Where the names differ. */
static const struct {
    const char *module, *package;
} other_names[] = {
    { "Bio", "biopython" },
    { "Crypto", "pycryptodome" },
    { "PIL", "pillow" },
    { "attr", "attrs" },
    { "bs4", "beautifulsoup4" },
    { "cv2", "opencv-python-headless" },
    { "dateutil", "python-dateutil" },
    { "docx", "python-docx" },
    { "dotenv", "python-dotenv" },
    { "fitz", "pymupdf" },
    { "jwt", "pyjwt" },
    { "magic", "python-magic" },
    { "pptx", "python-pptx" },
    { "serial", "pyserial" },
    { "skimage", "scikit-image" },
    { "sklearn", "scikit-learn" },
    { "yaml", "pyyaml" },
};

static void name_package(missing_module *out)
{
    out->package = out->module;
    out->is_known = usual_has(out->module);
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++)
        if (strcmp(other_names[i].module, out->module) == 0) {
            out->package = other_names[i].package;
            out->is_known = 1;
        }
}

/* ---- what is missing ---- */

static int is_listed(const missing *m, const char *module)
{
    for (size_t i = 0; i < m->count; i++)
        if (strcmp(m->items[i].module, module) == 0)
            return 1;
    return 0;
}

int missing_add(missing *m, const char *name, const options *o, const char *report)
{
    char module[MOST_MODULE_BYTES];
    size_t len = 0;
    int is_in_c = 1;

    while (is_word(name[len]) && len + 1 < sizeof module)
        len++;
    memcpy(module, name, len);
    module[len] = '\0';
    if (len == 0 || !is_letter(*name) || !strchr(".'", name[len]) || is_listed(m, module))
        return 0;
    if (array_reserve(&m->items, &m->cap, m->count + 1, sizeof *m->items))
        return -1;

    char *folder = packages_folder(o, report);
    missing_module *item = &m->items[m->count];
    *item = (missing_module){ .module = strdup(module) };
    item->is_installed = folder && has_module(folder, module, &is_in_c);
    /* Others have what the system has, and in Python only. */
    item->needs_full = is_in_c || o->package_folder;
    free(folder);
    if (!item->module)
        return -1;
    name_package(item);
    m->count++;
    return 1;
}

/* "No module named 'numpy'" */
int missing_add_error(missing *m, const char *name, const char *value, const options *o,
                      const char *report)
{
    static const char begin[] = "No module named '";

    if (strcmp(name, "ModuleNotFoundError") != 0 || strncmp(value, begin, sizeof begin - 1) != 0)
        return 0;
    return missing_add(m, value + sizeof begin - 1, o, report);
}

char *missing_hint(const missing_module *module, int is_full)
{
    const char *name = module->module, *full = is_full || !module->needs_full ? "" : "--full ";
    str text = { 0 };
    int error;

    if (module->is_installed && !is_full && usual_has(name))
        error = str_printf(&text, "%s is installed here: --data gives it to programs", name);
    else if (module->is_installed)
        error = str_printf(&text, "%s is installed here: %s--allow %s gives it to programs", name,
                           full, name);
    else
        error = str_printf(&text,
                           "%s is not installed here: %s%s%ssnug packages install %s --into DIR "
                           "gets it, and %s--packages DIR --allow %s gives it to programs",
                           name, module->is_known ? "" : "if the package ",
                           module->is_known ? "" : module->package,
                           module->is_known ? "" : " is the one that is meant, ", module->package,
                           full, name);

    if (error)
        str_free(&text);
    return error ? NULL : str_take(&text);
}

void missing_free(missing *m)
{
    for (size_t i = 0; i < m->count; i++)
        free(m->items[i].module);
    free(m->items);
    *m = (missing){ 0 };
}
