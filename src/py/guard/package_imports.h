/*
 * package_imports.h - which packages a folder has: one that pip has filled, or the system's.
 *
 * Looks at the folder and imports nothing. Without Python.h; any thread.
 */
#ifndef SNUG_PY_PACKAGE_IMPORTS_H
#define SNUG_PY_PACKAGE_IMPORTS_H

#include <stddef.h>

#include "base/str.h"
#include "policy/allowlist.h"

/* Whether folder has the package or module that the dotted name begins with. NULL: no. */
int packages_has(const char *folder, const char *module, size_t len);
/* Appends why module is not to be had, as one sentence: the nearest name that the folder
 * has, if one is near. SNUG_OK or SNUG_ENOMEM. */
int packages_explain(str *out, const char *folder, const char *module, size_t len);

#endif
