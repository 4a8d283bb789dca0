#include "cli/packages/usual.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/packages/installed.h"

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

char *usual_folder(const options *o, const char *report)
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
    installed there = { 0 };
    int error = SNUG_OK;

    if (installed_read(&there, folder) == SNUG_OK)
        for (size_t i = 0; i < USUAL && !error; i++)
            if (installed_find_import(&there, usual[i]))
                error = add_text(out, usual[i]);
    installed_free(&there);
    return error;
}

int usual_allow(text_list *out, const options *o, const char *const *allowed, const char *report)
{
    char *folder = o->is_data ? usual_folder(o, report) : NULL;
    int error = SNUG_OK;

    for (size_t i = 0; allowed && allowed[i] && !error; i++)
        error = add_text(out, allowed[i]);
    if (!error && folder)
        error = usual_add(out, folder);
    free(folder);
    return error;
}
