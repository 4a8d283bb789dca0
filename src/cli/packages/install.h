/*
 * install.h - packages for sessions, by the pip of the Python that snug was built for, as a process
 * outside of any session. What pip says goes to stderr; none of it is read.
 */
#ifndef SNUG_CLI_PACKAGES_INSTALL_H
#define SNUG_CLI_PACKAGES_INSTALL_H

#include <stddef.h>

#include "base/str.h"
#include "cli/program/options.h"

/* Installs what is named, and what o->packages names besides, into the folder of --into, else into
 * one of the state folder that is named by the hash of what is asked for: where that is there,
 * nothing is done. The folder is there as a whole or not at all. Appends its path. EXIT_FINE,
 * another exit status after one sentence, or 128 and the signal that ended it. */
int packages_install(str *folder, const options *o, const char *const *names, size_t count);

#endif
