/*
 * tree.h - a folder with all that is in it, as a hostile hand may have made it.
 *
 * Symbolic links are not followed and other file systems not entered. All goes by
 * descriptors, so that no path gets too long.
 */
#ifndef SNUG_BASE_TREE_H
#define SNUG_BASE_TREE_H

#include <stdint.h>
#include <sys/stat.h>

typedef struct tree_usage {
    uint64_t bytes; /* sizes of the regular files, as a listing shows them */
    uint64_t files; /* all entries: files, folders, links */
} tree_usage;

/* More folders in each other than that are not looked into. */
enum { TREE_DEPTH = 128 };

/* 0, or an errno where the sums are too low: ELOOP for what is deeper than TREE_DEPTH. */
int tree_measure(tree_usage *out, const char *path);
/* Where temporary files go: TMPDIR, or /tmp where that is not from the root. */
const char *tree_top(void);
/* What cannot be removed stays. */
void tree_remove(const char *path);
/* The same of name, anything but "." and "..", in an open folder. 0, or the errno of why it is
 * still there. */
int tree_remove_at(int parent, const char *name);

/* What tree_walk meets; all of it is valid during the call. */
typedef struct tree_entry {
    const char *path;         /* from the top, joined by slashes */
    int parent;               /* the open folder that it is in */
    const char *name;         /* there */
    const struct stat *facts; /* of itself, where it is a link */
} tree_entry;

/* Meets what is in an open folder: each folder's names in the order of their bytes, a folder
 * before what is in it. Reads `most` names. 0, or an errno where there is more than was met:
 * EOVERFLOW for more names, ELOOP for what is deeper than TREE_DEPTH, ENOMEM. Ends where meet
 * answers an errno, with that. */
int tree_walk(int top, uint64_t most, int (*meet)(void *payload, const tree_entry *entry),
              void *payload);

#endif
