/*
 * leads.h - where a path of another process's leads, as the kernel will find it for that process.
 *
 * The same path may lead elsewhere for this one: /proc/self is another's, and by it all that lies
 * behind /dev/fd and /dev/stdout. So each name is looked up by itself, and what is the caller's is
 * the caller's here too.
 */
#ifndef SNUG_BASH_LEADS_H
#define SNUG_BASH_LEADS_H

#include <sys/stat.h>
#include <sys/types.h>

typedef enum lead {
    LEAD_THERE,   /* to something that is there */
    LEAD_NEW,     /* to nothing yet, in a folder that is there */
    LEAD_NOWHERE, /* such a folder is missing: whoever asks for it hears so */
    LEAD_UNKNOWN  /* which cannot be said */
} lead;

/* thread: whose path it is, in the process namespace of this process's /proc. start: what a path
 * begins at that is not from the root, a descriptor of the thread's or AT_FDCWD. *folder is set for
 * LEAD_NEW. A link at the end is followed. */
lead leads_to(struct stat *folder, pid_t thread, int start, const char *path);

#endif
