/*
 * open_host.h - hosts are opened and closed.
 */
#ifndef SNUG_SESSION_OPEN_HOST_H
#define SNUG_SESSION_OPEN_HOST_H

#include <snug/snug.h>

#include "session/core/form.h"

struct seal;

/* As snug_host_open, of that form; wish: as seal_host_open, or NULL. */
int host_open(snug_host **out, const snug_host_options *options, const host_form *form,
              const struct seal *wish);
/* As snug_host_open, in a process that is for this host alone, whose only thread the caller is.
 * What the kernel does not have is left out, and told in the report. */
int seal_host_open(snug_host **out, const snug_host_options *given, const struct seal *wish);
/* A profile's file, and those that it includes from beside it, under their names into a folder that
 * is made. SNUG_OK, or why not, by its own name. */
int host_copy_profile(const snug_host *host, const char *profile, const char *folder);

#endif
