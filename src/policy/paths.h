/*
 * paths.h - which paths a session may open, judged on the text.
 *
 * Text loses races and does not see symbolic links: this gives the clear error
 * for honest mistakes. Landlock is the judge.
 */
#ifndef SNUG_POLICY_PATHS_H
#define SNUG_POLICY_PATHS_H

#include <stddef.h>
#include <sys/types.h>

typedef enum path_access { PATH_READ, PATH_WRITE } path_access;

typedef struct path_root {
    const char *path;   /* absolute, normalised, without a slash at its end */
    path_access access; /* PATH_WRITE includes reading */
    int is_ours;        /* has no symbolic links that lead out: the standard library */
    /* Of who opens it more than once: what it was at first. */
    int is_met;
    dev_t device;
    ino_t inode;
    int opened; /* a descriptor of it, in place of path; 0: none */
} path_root;

/* Whether path, taken from the directory cwd if it is relative, lies in or is a
 * root that grants the access, after "." and ".." are taken out. path needs no
 * NUL. */
int paths_allow(const path_root *roots, size_t count, const char *cwd, const char *path, size_t len,
                path_access access);
/* A folder of the host's that cells find under a name in the work directory: a symbolic link
 * there leads to root. */
typedef struct path_mount {
    const char *name;
    const path_root *root;
} path_mount;

/* path by its root's own name, into out, if it leads through a mount of cwd; 0 if it does not,
 * if it does not fit, and if it has "..", which behind a link means another folder than the
 * text says. */
int paths_through_mount(char *out, size_t size, const path_mount *mounts, size_t count,
                        const char *cwd, const char *path, size_t len);
/* Whether one of path's parts is "..". */
int paths_climb(const char *path, size_t len);

/* Whether a root lies in path: a folder on the way to what the session has, whose metadata
 * os.path.realpath asks for. */
int paths_lead(const path_root *roots, size_t count, const char *cwd, const char *path, size_t len);
/* path from cwd, absolute and without "." and "..", into out; 0 if it does not
 * fit into size. */
int paths_normalise(char *out, size_t size, const char *cwd, const char *path, size_t len);
/* It leads to something in the work directory, as far as its names say. */
int paths_is_relative_plain(const char *path);

#endif
