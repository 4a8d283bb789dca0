/*
 * cgroup_ground.h - where this process may make groups (cgroup.h), and their files.
 *
 * Source: proc(5), proc_pid_mountinfo(5), cgroups(7), and the kernel's admin-guide/cgroup-v1 and
 * admin-guide/cgroup-v2.
 */
#ifndef SNUG_BASE_CGROUP_GROUND_H
#define SNUG_BASE_CGROUP_GROUND_H

#include <limits.h>
#include <stddef.h>

enum { CGROUP_MEMORY = 1, CGROUP_PIDS = 2, CGROUP_ALL = 3 };

/* Version 1 has a hierarchy for each controller, version 2 one for all; both may be mounted. */
enum { CGROUP_MOST_PLACES = 2 };

typedef struct cgroup_hierarchy {
    char path[PATH_MAX]; /* where groups are made */
    int is_v2, has;      /* which controllers */
} cgroup_hierarchy;

/* What there is for this process. */
typedef struct cgroup_ground {
    cgroup_hierarchy places[CGROUP_MOST_PLACES];
    size_t count;
    char why[256]; /* there is nothing */
} cgroup_ground;

/* Zeroed before. In version 2 the process may be in another group afterwards, below its own. */
void cgroup_find_ground(cgroup_ground *g);
/* Of all places together. */
int cgroup_controllers(const cgroup_ground *g);

/* "snug-group-" and a random number: no other folder is taken for one of ours. */
enum { CGROUP_NAME_BYTES = 40 };
/* 0, or -1. */
int cgroup_fill_name(char out[CGROUP_NAME_BYTES]);
int cgroup_is_name(const char *name);

/* A file in a group's folder: its first size - 1 bytes and a zero. Answers their number. */
size_t cgroup_read_file(int folder, const char *name, char *out, size_t size);
/* 0, or an errno. */
int cgroup_write_file(int folder, const char *name, const char *text);

#endif
