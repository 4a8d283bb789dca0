/*
 * tree.h - a folder with all that is in it, as a hostile hand may have made it.
 *
 * Symbolic links are not followed and other file systems not entered. All goes by
 * descriptors, so that no path gets too long.
 */
#ifndef SNUG_BASE_TREE_H
#define SNUG_BASE_TREE_H

#include <stdint.h>

typedef struct tree_usage {
    uint64_t bytes; /* sizes of the regular files, as a listing shows them */
    uint64_t files; /* all entries: files, folders, links */
} tree_usage;

/* More folders in each other than that are not looked into. */
enum { TREE_DEPTH = 128 };

/* 0, or an errno where the sums are too low: ELOOP for what is deeper than TREE_DEPTH. */
int tree_measure(tree_usage *out, const char *path);
/* What can not be removed stays. */
void tree_remove(const char *path);

#endif
