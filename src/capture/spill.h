/*
 * spill.h - the file that has all of a stream's text once that is over its limit.
 *
 * The writer is the session's thread, which may be torn out of its code wherever it
 * holds no lock (limits/guard.h). So a spill belongs to the session and never to that
 * thread's stack; the writer's calls are made under a lock, by which a descriptor or a
 * buffer is never had without being noted; and what a torn writer leaves is taken up with
 * spill_close, on the same thread, whose table has the descriptor. Nothing here fails: what cannot
 * be written is not there, and spill_name tells.
 */
#ifndef SNUG_CAPTURE_SPILL_H
#define SNUG_CAPTURE_SPILL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The directory of a session's spill files, and what they may take together. */
typedef struct spill_place {
    const char *dir; /* the caller's, absolute; NULL: there are no files */
    /* Which directory that was: one that a guest puts in its place is not written to. */
    dev_t device;
    ino_t inode;
    /* (writer) Answers limit_bytes when the first file of a cell is begun; NULL: it is there. */
    uint64_t (*room)(void *payload);
    void *payload;
    int has_asked;
    uint64_t limit_bytes, used_bytes;
} spill_place;

void spill_place_init(spill_place *place, const char *dir);

typedef enum spill_state {
    SPILL_NONE,  /* no file, and none will be */
    SPILL_READY, /* a file may be begun */
    SPILL_OPEN,
    SPILL_FULL, /* the file is at its end, the stream goes on */
    SPILL_CLOSED
} spill_state;

enum { SPILL_BUFFER_BYTES = 64 * 1024, SPILL_NAME_BYTES = 48 };

/* Zeroed is SPILL_NONE. */
typedef struct spill {
    spill_state state;
    int fd; /* while it is open or full */
    spill_place *place;
    uint64_t bytes; /* of the file, with what is in the buffer */
    uint64_t most_bytes;
    char *buffer; /* begins with a whole character */
    size_t buffered;
    char name[SPILL_NAME_BYTES];
} spill;

/* (writer) Makes the file PREFIX-NUMBER.txt, or PREFIX-NUMBER-2.txt and so on where there
 * is one already. SPILL_READY before; SPILL_OPEN or SPILL_NONE after. */
void spill_begin(spill *s, spill_place *place, const char *prefix, uint64_t number);
/* (writer) The stream's next bytes, up to the limit of the place. After an error there is
 * no file any more. Nothing where none is open. */
void spill_write(spill *s, const char *text, size_t len);
/* (writer) The file ends here. */
void spill_end(spill *s);
/* (writer, or what is left of it) Writes what is left, ends it with a whole character, and closes
 * it. Again is fine. */
void spill_close(spill *s);
/* The name of the closed file in its directory; NULL if there is none. */
const char *spill_name(const spill *s);

#endif
