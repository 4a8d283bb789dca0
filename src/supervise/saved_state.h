/*
 * saved_state.h - the folder in which sessions are saved: STATE/TENANT/SESSION.snug.
 *
 * Beside a save stand, where they are needed:
 *     SESSION.open     the session is in memory and not as it was saved, or was so when its process
 *                      or worker was killed: the cells since the save, and why it was lost
 *     SESSION.tried    restoring the save has failed once
 *     SESSION.left     files of the work directory that were not saved, as JSON
 *     SESSION.damaged  a save that could not be read
 *
 * Names are written so that no two meet and none means anything to the file system: what is not a
 * letter, digit, "-" or "_" of ASCII is %XX.
 */
#ifndef SNUG_SUPERVISE_SAVED_STATE_H
#define SNUG_SUPERVISE_SAVED_STATE_H

#include <stdint.h>

#include "base/str.h"

typedef struct state_folder {
    char *path; /* absolute */
    int lock;   /* its lock file; -1: none */
    uint64_t saved;
} state_folder;

/* Counts what is saved there, and removes what was half written. SNUG_EBUSY, SNUG_EPOLICY,
 * SNUG_ESYSTEM, SNUG_ENOMEM with a message. */
int state_open(state_folder *out, const char *path);
void state_close(state_folder *state);

/* How long a name is as that of a file. */
size_t state_name_bytes(const char *name);
/* A name as that of a file. SNUG_OK, SNUG_ENOMEM. */
int state_name(str *out, const char *name);
/* The paths of a session's files, without the dot and what is behind it. SNUG_OK, SNUG_ENOMEM. */
int state_place(str *out, const state_folder *state, const char *tenant, const char *session);
/* The tenant's folder is there: SNUG_OK, SNUG_ESYSTEM with a message. place: of one of its
 * sessions. */
int state_make_folder(const char *place);

/* Each file by its place and ".snug", ".open", ".left", ".damaged", ".tried". */
int state_has(const char *place, const char *ending);
/* When it was written, in ms since 1970; 0: it is not there. */
int64_t state_written_ms(const char *place, const char *ending);
/* 1: it was there. */
int state_remove(const char *place, const char *ending);
/* Restoring the save has failed. 1: not for the first time. */
int state_note_try(const char *place);
/* The save is NAME.damaged from now on. SNUG_OK or SNUG_ESYSTEM. */
int state_put_aside(const char *place);

/* Says how many cells have run since the save. why: why they are lost; NULL: they are not.
 * SNUG_OK or SNUG_ESYSTEM with a message. It does not wait for the disk: what it wrote survives the
 * process, but perhaps not a power cut. */
int state_mark(const char *place, uint64_t cells, const char *why);
/* Of a mark that could not be written whole, because the disk was full. */
#define MARK_UNKNOWN UINT64_MAX
/* 1, and what state_mark said; 0: there is no mark. */
int state_read_mark(const char *place, uint64_t *cells, str *why);

/* Text of SESSION.left. SNUG_OK or an error with a message. */
int state_write_left(const char *place, const char *json);
/* "" where there is none, or it cannot be read, or is not JSON. */
void state_read_left(const char *place, str *json);

#endif
