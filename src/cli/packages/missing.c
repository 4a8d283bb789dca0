#include "cli/packages/missing.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "cli/packages/installed.h"
#include "cli/packages/requirements.h"
#include "cli/packages/usual.h"

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

static const char *package_by_name(const char *module, int *is_known)
{
    *is_known = 1;
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++)
        if (strcmp(other_names[i].module, module) == 0)
            return other_names[i].package;
    *is_known = usual_has(module);
    return module;
}

/* A folder that cannot be read has nothing. */
static int look_up(missing_module *out, const options *o, const char *report)
{
    installed there = { 0 };
    char *folder = usual_folder(o, report);
    const package *found = NULL;

    if (folder && installed_read(&there, folder) == SNUG_OK)
        found = installed_find_import(&there, out->module);
    out->is_installed = found != NULL;
    /* Others have what the system has, and in Python only. */
    out->needs_full = !found || found->has_extensions || o->package_folder;
    const char *by_name = package_by_name(out->module, &out->is_known);
    out->package = strdup(found ? found->name : by_name);
    installed_free(&there);
    free(folder);
    return out->package ? SNUG_OK : SNUG_ENOMEM;
}

/* ---- the list ---- */

static int is_listed(const missing *m, const char *module, size_t len)
{
    for (size_t i = 0; i < m->count; i++)
        if (strlen(m->items[i].module) == len && memcmp(m->items[i].module, module, len) == 0)
            return 1;
    return 0;
}

int missing_add(missing *m, const char *name, const options *o, const char *report)
{
    const size_t len = strcspn(name, ".");
    const size_t fine = requirements_name(name);

    if (len == 0 || fine < len || is_listed(m, name, len))
        return 0;
    if (array_reserve(&m->items, &m->cap, m->count + 1, sizeof *m->items))
        return -1;

    missing_module *item = &m->items[m->count];
    *item = (missing_module){ .module = strndup(name, len) };
    if (!item->module || look_up(item, o, report)) {
        free(item->module);
        return -1;
    }

    m->count++;
    return 1;
}

/* "No module named 'numpy'" */
int missing_add_error(missing *m, const char *name, const char *value, const options *o,
                      const char *report)
{
    static const char begin[] = "No module named '";
    char module[256];

    if (strcmp(name, "ModuleNotFoundError") != 0 || strncmp(value, begin, sizeof begin - 1) != 0)
        return 0;
    const char *at = value + sizeof begin - 1;
    const size_t len = strcspn(at, "'");
    if (len >= sizeof module)
        return 0;
    memcpy(module, at, len);
    module[len] = '\0';
    return missing_add(m, module, o, report);
}

char *missing_hint(const missing_module *module, int is_full)
{
    const char *name = module->module;
    const char *full = is_full ? "" : "--full ";
    str text = { 0 };
    int error;

    if (!module->needs_full)
        full = "";
    if (module->is_installed && !is_full && usual_has(name))
        error = str_printf(&text, "%s is installed here: --data gives it to programs", name);
    else if (module->is_installed)
        error = str_printf(&text, "%s is installed here: %s--allow %s gives it to programs", name,
                           full, name);
    else if (module->is_known)
        error = str_printf(&text,
                           "%s is not installed here: snug packages install %s --into DIR gets it, "
                           "and %s--packages DIR --allow %s gives it to programs",
                           name, module->package, full, name);
    else
        error = str_printf(&text,
                           "%s is not installed here: if the package %s is the one that is meant, "
                           "snug packages install %s --into DIR gets it, and %s--packages DIR "
                           "--allow %s gives it to programs",
                           name, module->package, module->package, full, name);

    if (error)
        str_free(&text);
    return error ? NULL : str_take(&text);
}

void missing_free(missing *m)
{
    for (size_t i = 0; i < m->count; i++) {
        free(m->items[i].module);
        free(m->items[i].package);
    }
    free(m->items);
    *m = (missing){ 0 };
}
