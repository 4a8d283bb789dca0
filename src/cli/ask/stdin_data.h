/*
 * stdin_data.h - what is piped into snug ask as data, where a question stands on the command line.
 *
 * Without being asked for it is taken from a pipe, a socket, or a file from its beginning on: from
 * nothing else, so that a terminal, /dev/null and a closed stdin are left alone. A file that
 * somebody has read from already belongs to a loop of the caller's shell.
 */
#ifndef SNUG_CLI_STDIN_DATA_H
#define SNUG_CLI_STDIN_DATA_H

#include <stdint.h>

#include "base/str.h"
#include "cli/program/signals.h"

typedef struct stdin_limits {
    uint64_t wait_ms;    /* without a byte; SNUG_UNLIMITED: as long as it takes */
    uint64_t most_ms;    /* in all, the same */
    uint64_t most_bytes; /* more than that is a fault */
    int is_asked_for;    /* by an option: it is read whatever it is, and waited for like cat does */
    int is_quiet;        /* nothing is said while it is waited for */
} stdin_limits;

/* Whether a path of --input means stdin: "-", "/dev/stdin" and the like. */
int stdin_is_meant(const char *path);
/* Whether stdin is such that it is data without being asked for. */
int stdin_may_be_data(void);
/* Appends all that comes. *is_silent: nothing came at all, and the question goes on without.
 * EXIT_FINE; 128 and the signal that ended it; or EXIT_USAGE after one sentence. */
int stdin_read(str *out, int *is_silent, const stdin_limits *limits, signals *s);

#endif
