/*
 * leads.h - where a path leads that another process uses, as the kernel resolves it for that
 * process.
 *
 * The same path may lead elsewhere for this one: /proc/self differs, and with it all that lies
 * behind /dev/fd and /dev/stdout. So each name is looked up by itself, and /proc/self is the
 * caller's.
 */
#ifndef SNUG_BASH_LEADS_H
#define SNUG_BASH_LEADS_H

#include <sys/stat.h>
#include <sys/types.h>

typedef enum lead {
    LEAD_THERE,   /* to something that is there */
    LEAD_NEW,     /* to nothing yet, in a folder that is there */
    LEAD_NOWHERE, /* such a folder is missing: whoever asks for it hears so */
    LEAD_UNKNOWN  /* it cannot be said where */
} lead;

/* thread: whose path it is, in the process namespace of this process's /proc. start: what a path
 * begins at that is not from the root, a descriptor of the thread's or AT_FDCWD. *folder is set for
 * LEAD_NEW. A link at the end is followed. */
lead leads_to(struct stat *folder, pid_t thread, int start, const char *path);

#endif
