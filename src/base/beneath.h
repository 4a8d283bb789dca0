/*
 * beneath.h - whether a path leaves a directory by symbolic links, asked of the kernel.
 */
#ifndef SNUG_BASE_BENEATH_H
#define SNUG_BASE_BENEATH_H

/* Resolves path, relative, from the directory root. 0 if a link or ".." in it leads out of
 * root; 1 if none does, also where the path ends early because something is not there, and
 * where the kernel has no openat2 (before 5.6). follows: the last part too. Any thread. */
int beneath(const char *root, const char *path, int follows);

#endif
