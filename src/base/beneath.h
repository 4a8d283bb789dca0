/*
 * beneath.h - whether a path leaves a directory by symbolic links, asked of the kernel.
 */
#ifndef SNUG_BASE_BENEATH_H
#define SNUG_BASE_BENEATH_H

/* Resolves path, relative, from the directory root. 0 if a link or ".." in it leads out of
 * root, or nobody can say, as without a free descriptor; 1 if none does, also where the path
 * ends early because something is not there. follows: the last part too. Any thread. */
int beneath(const char *root, const char *path, int follows);
/* The same from an open directory, part by part: where the kernel has no openat2 (before 5.6), and
 * where a filter refuses it because it does not see the modes of what it makes. */
int beneath_by_parts(int directory, const char *path, int follows);

#endif
