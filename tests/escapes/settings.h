/*
 * settings.h - what belongs to the whole process and so to the host: descriptors, threads,
 * current folder, umask, signals, locale, time zone, environment, limits.
 */
#ifndef ESCAPES_SETTINGS_H
#define ESCAPES_SETTINGS_H

#include <stddef.h>

/* A line for each, "umask: 0031"; to be freed. */
char *settings_now(void);
/* The first line that differs, "umask: 0031, now umask: 0000" or "descriptor 7: pipe, new"; 0 if
 * none does. */
int settings_differ(char *out, size_t size, const char *before, const char *now);
/* What a session has no business to read: "pid", "hostname", ... as text; "" for another name.
 * Some are of the folder and its files. */
void settings_read(char *out, size_t size, const char *name, const char *folder);
/* The files run in that process, 0: in this one. It may end and another one be started, which is
 * not a setting of this process; and what is read are its numbers, and the path of its program, as
 * this process has named it. */
void settings_are_of_worker(int pid, const char *program);
/* Counts SIGUSR1 from now on: settings_now tells how many came. */
void settings_count_signals(void);

#endif
