/*
 * staging.h - a folder of packages that is changed as a whole or not at all.
 *
 * What is new is made in a hidden folder beside it, of which a copy of the old one becomes part
 * by hard links; then the two change places in one step. A lock beside the folder keeps a second
 * one away. What an install that was killed has left behind goes at the next one.
 *
 * Only a folder that snug has filled is changed, which a file in it says, and an empty one: the
 * place of a home folder is not taken.
 */
#ifndef SNUG_CLI_STAGING_H
#define SNUG_CLI_STAGING_H

#include "base/str.h"

/* In a folder of packages: a line that says for which Python they are. */
#define STAGING_MARK ".snug-packages"

typedef struct staging {
    str folder; /* absolute, without links */
    int is_there, is_filled;
    str parent;  /* that the folder is in */
    str lock;    /* path of the lock */
    int lock_fd; /* -1: not held */
    str aside;   /* where the old folder is for a moment, if the kernel cannot exchange two */
    str scratch; /* hidden, beside the folder */
    str fresh;   /* in scratch, not made: for the packages that are new */
    str whole;   /* in scratch: what is to take the folder's place */
} staging;

/* Each answers EXIT_FINE, or another exit status after one sentence. */

/* python: "3.11". Close in all cases. */
int staging_open(staging *s, const char *into, const char *python);
/* Makes whole of the folder and of what is in fresh, which is moved; a package takes the place of
 * the one of its name. */
int staging_merge(staging *s, const char *python);
/* Puts whole in the folder's place. */
int staging_commit(staging *s);
/* Removes what is hidden. */
void staging_close(staging *s);

#endif
