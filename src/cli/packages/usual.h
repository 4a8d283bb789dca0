/*
 * usual.h - the packages that work with data usually imports, as far as they are installed.
 */
#ifndef SNUG_CLI_USUAL_H
#define SNUG_CLI_USUAL_H

#include "cli/program/options.h"

/* Appends those that are importable from a folder of packages. SNUG_OK or SNUG_ENOMEM; a folder
 * that cannot be read has none. */
int usual_add(text_list *out, const char *folder);
/* Whether it is one of them. */
int usual_has(const char *module);
/* What sessions may import besides their profile: what is allowed, a list with NULL behind it or
 * NULL, and, with --data, the usual packages that are installed where the options or a host's
 * report say. The texts are those that were given, or constant. SNUG_OK or SNUG_ENOMEM. */
int usual_allow(text_list *out, const options *o, const char *const *allowed, const char *report);

/* The folder of packages that full sessions import from, by the options or a host's report; NULL:
 * there is none. Free it. */
char *usual_folder(const options *o, const char *report);

#endif
