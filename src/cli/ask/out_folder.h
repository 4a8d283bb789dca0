/*
 * out_folder.h - the folder that what programs made is handed over in. It is made for the first
 * file, nothing in it is ever replaced, and below what was there when snug began no link is
 * followed: a program may be able to write there.
 */
#ifndef SNUG_CLI_OUT_FOLDER_H
#define SNUG_CLI_OUT_FOLDER_H

#include <stddef.h>

#include "base/str.h"

typedef struct out_folder {
    str path; /* as the user says it; empty: it is named after the first question that needs it */
    int base; /* what of it was there at first, the current folder for none; -1: not open */
    size_t rest;      /* where in path the names below that begin */
    int folder;       /* -1: not open */
    const char *made; /* where in path the first name begins that was not there; NULL: all were */
    int is_used;      /* something is in it */
} out_folder;
#define OUT_FOLDER_INIT          \
    {                            \
        .base = -1, .folder = -1 \
    }

/* Before anything runs. given: as the user says it, or NULL. SNUG_OK, or SNUG_ENOMEM or
 * SNUG_ESYSTEM with a message. Close in every case. */
int out_folder_open(out_folder *f, const char *given);
/* Writes a file of that relative path, see out_name.h, under the first of its names from number on
 * that is free: "plot.png" for 0, "plot-2.png", "plot-3.png". Appends where the user finds it.
 * SNUG_OK, SNUG_ENOMEM, or SNUG_ESYSTEM with a message; nothing is left of it then. */
int out_folder_put(str *at, out_folder *f, const char *question, const char *path, unsigned number,
                   const void *data, size_t len);
/* Until the next put, which may make it again. */
void out_folder_leave(out_folder *f);
void out_folder_close(out_folder *f);

#endif
