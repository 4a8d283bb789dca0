/*
 * installed.h - which packages a folder has, by what installers write beside them: NAME.dist-info
 * and NAME.egg-info.
 */
#ifndef SNUG_CLI_INSTALLED_H
#define SNUG_CLI_INSTALLED_H

#include <stddef.h>

#include "base/str.h"

typedef struct package {
    char *name, *version; /* plain ASCII; the version may be "" */
    char *info;           /* name of its .dist-info or .egg-info in the folder */
    char **imports;       /* what import statements name, sorted */
    size_t import_count, import_cap;
    int has_extensions; /* some of it is in C */
} package;

typedef struct installed {
    package *items; /* by name */
    size_t count, cap;
} installed;

/* SNUG_OK, or an error with a message that names the folder. What has no metadata that can be
 * read is left out. */
int installed_read(installed *out, const char *folder);
void installed_free(installed *in);
/* The one of that name, or NULL. */
const package *installed_find(const installed *in, const char *name);
/* The one that has a module of that name, or NULL. */
const package *installed_find_import(const installed *in, const char *module);

/* The files of a package by its RECORD, as paths in the folder, each with a NUL behind it. Paths
 * that lead out of the folder are left out. SNUG_OK, also where it has no RECORD, or SNUG_ENOMEM
 * with a message. */
int installed_files(str *out, const char *folder, const char *info);

#endif
