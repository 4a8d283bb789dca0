/*
 * breach.h - plants what the files of escape, leak and tamper are after, and tells what a file
 * got at: a secret, a marker, a neighbour's value or a setting of the host. README.md beside it
 * says what is planted and what counts.
 */
#ifndef ESCAPES_BREACH_H
#define ESCAPES_BREACH_H

#include <snug/snug.h>

typedef struct breach breach;

/* Starts the program again with secrets in its environment and its arguments, where /proc shows
 * them too; returns in the program that has them, or -1. */
int breach_restart(char **argv);
/* Makes the folder outside of all work directories and the one to mount, and removes what was
 * made. In the process that supervises. */
int breach_make_folder(void);
void breach_remove_folder(void);

/* In the process that runs the files: plants the rest and opens the neighbour, in a session
 * under that profile. */
breach *breach_open(snug_host *host, const char *profile);
void breach_close(breach *b);

/* A cell that gives the file the names that README.md lists: what an attacker may know. */
const char *breach_prelude(const breach *b);
/* The folder "data" of a session of leak, to read: its links lead out of it. */
snug_mount breach_mount(void);
/* A file begins; setting is what its header says that it reads, "pid", or "". */
void breach_watch(breach *b, const char *setting);
/* Searches what the file was answered. */
void breach_read(breach *b, snug_result *result);
/* Searches what the file made: no file with set-id bits may lie there when the session ends. */
void breach_look_into(breach *b, const char *workdir);
/* The file is over and its session closed. */
void breach_compare(breach *b);
/* What was got at since breach_watch; NULL: nothing. */
const char *breach_of_host(const breach *b);
const char *breach_of_neighbour(const breach *b);

#endif
