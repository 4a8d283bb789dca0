/*
 * tree.h - removes a directory with all that is in it.
 */
#ifndef SNUG_SESSION_TREE_H
#define SNUG_SESSION_TREE_H

/* Follows no symbolic links. What can not be removed stays. */
void tree_remove(const char *path);

#endif
