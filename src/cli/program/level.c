#include "cli/program/level.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SNUG_PYTHON_LEVEL
#define SNUG_PYTHON_LEVEL ""
#endif

/* What every Python of that version needs, and of the same source as the archive. */
static const char package[] = "libpython" SNUG_PYTHON_NUMBER "-stdlib";

const char *level_built_in(void)
{
    return SNUG_PYTHON_LEVEL;
}

/* ---- what is installed ---- */

/* dpkg's own list, which is text; dpkg looks for it in the same place. */
static FILE *open_list(void)
{
    const char *folder = getenv("DPKG_ADMINDIR");
    char path[4096];
    int length =
        snprintf(path, sizeof path, "%s/status", folder && *folder ? folder : "/var/lib/dpkg");
    if (length >= (int)sizeof path)
        return NULL;
    return fopen(path, "re");
}

/* What follows "name: " in the line, or NULL. */
static const char *paragraph_field(const char *line, const char *name)
{
    size_t len = strlen(name);
    if (strncmp(line, name, len) != 0 || strncmp(line + len, ": ", 2) != 0)
        return NULL;
    return line + len + 2;
}

/* A paragraph a package; its name comes first. */
static void find_installed(str *version)
{
    FILE *list = open_list();
    char *line = NULL;
    size_t size = 0;
    int is_ours = 0, is_installed = 0, is_found = 0;

    while (list && !is_found && getline(&line, &size, list) >= 0) {
        const char *value;
        line[strcspn(line, "\n")] = '\0';
        if ((value = paragraph_field(line, "Package"))) {
            is_ours = strcmp(value, package) == 0;
            is_installed = 0;
        } else if (is_ours && (value = paragraph_field(line, "Status"))) {
            is_installed = strcmp(value, "install ok installed") == 0;
        } else if (is_ours && is_installed && (value = paragraph_field(line, "Version"))) {
            is_found = str_append(version, value, strlen(value)) == 0;
        }
    }

    free(line);
    if (list)
        fclose(list);
}

/* ---- comparing ---- */

#ifdef SNUG_PYTHON_IS_SHARED
enum { IS_SHARED = 1 };
#else
enum { IS_SHARED = 0 };
#endif

level_state level_compare(str *installed)
{
    if (IS_SHARED)
        return LEVEL_SHARED;
    find_installed(installed);
    if (!level_built_in()[0] || !str_text(installed)[0])
        return LEVEL_UNKNOWN;
    return strcmp(level_built_in(), str_text(installed)) == 0 ? LEVEL_SAME : LEVEL_DIFFERS;
}

void level_tell(str *out)
{
    str installed = { 0 };
    const char *built_in = level_built_in();

    switch (level_compare(&installed)) {
    case LEVEL_SAME:
        str_printf(out, "%s is built in, as it is installed", built_in);
        break;
    case LEVEL_DIFFERS:
        str_printf(out,
                   "%s is built in, and %s is installed: sessions have the fixes of the first; "
                   "build snug again",
                   built_in, str_text(&installed));
        break;
    case LEVEL_UNKNOWN:
        str_printf(out, "%s is built in; what is installed is not known",
                   built_in[0] ? built_in : "a libpython of no package");
        break;
    case LEVEL_SHARED:
        str_printf(out, "those of the shared library that is installed");
        break;
    }
    str_free(&installed);
}
