/*
 * creations.h - every call that may make a file, a folder or a lock, or moves a file, waits for an
 * answer.
 *
 * Looking at a folder finds too many files when they are there; here nobody makes one that may not
 * be, or moves one while somebody looks. Where a path is asked for, it is what is in the caller's
 * memory at that moment: who changes it meanwhile has one file more, and no more than that.
 */
#ifndef SNUG_BASH_CREATIONS_H
#define SNUG_BASH_CREATIONS_H

#include <stddef.h>
#include <sys/types.h>

typedef enum creation_kind {
    CREATION_OF_FILE, /* or folder, link, FIFO */
    CREATION_OF_ADDRESS,
    CREATION_OF_LOCK,
    CREATION_BY_MOVE, /* nothing but a name is new */
} creation_kind;

/* One call that waits; valid within judge. */
typedef struct creation {
    creation_kind kind;
    pid_t who;         /* the thread */
    int folder;        /* a descriptor of its process's, that a path begins at; AT_FDCWD */
    unsigned long at;  /* of the path, in its memory */
    unsigned long len; /* of an address */
} creation;

/* For the calling thread and all that it starts, besides denylist_load. A descriptor to serve,
 * before any of them makes a file; -1 where this kernel does not have it. */
int creations_load(void);
/* Answers all, on a thread that makes none itself, until the descriptor is of no more use: 0 lets
 * the call go on, an errno is its end. */
void creations_serve(int fd, int (*judge)(void *payload, const creation *c), void *payload);
/* The path of a file or an address, as the caller has it: 1; 0 where it makes no file; -1 where
 * nobody can tell. */
int creation_path(char *out, size_t size, const creation *c);

#endif
