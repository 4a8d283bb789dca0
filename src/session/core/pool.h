/*
 * pool.h - spares, which a thread of the host's makes before somebody asks for them: sessions, or
 * workers of a host whose sessions are elsewhere.
 *
 * A whole spare session is a session under the default options with its filters in force: it only
 * has to be handed over. A half is an interpreter on its thread, which is not a session's yet: it
 * has no rules and no filters, nothing has run in it, and it can become a session of any options
 * but memory and threads.
 *
 * A failure here is never reported to the caller who opens a session: without a spare it is
 * opened cold.
 */
#ifndef SNUG_SESSION_POOL_H
#define SNUG_SESSION_POOL_H

#include <stddef.h>
#include <stdint.h>

#include <snug/snug.h>

typedef struct pool pool;

typedef enum spare_kind {
    SPARE_WHOLE,
    SPARE_HALF,
    SPARE_NONE,
    SPARE_KINDS = SPARE_NONE
} spare_kind;

/* ---- what to do next; pure ---- */

enum { POOL_WISHES = 32 };

/* So long after an open, or a turn, the machine is left to who uses sessions, unless the open took
 * the last spare: an interpreter that is made holds 3.11's GIL for milliseconds. After so long
 * without such a pause a spare is made all the same. */
#define POOL_QUIET_NS    UINT64_C(2000000)
#define POOL_PATIENCE_NS UINT64_C(100000000)

typedef struct pool_facts {
    size_t wanted; /* spares in all */
    size_t ready[SPARE_KINDS];
    size_t opening;        /* opens under way: the machine is theirs */
    uint32_t wishes;       /* of the last opens that a spare could serve: 1: not a whole one */
    unsigned wish_count;   /* POOL_WISHES at most */
    uint64_t idle_ns;      /* without an open; UINT64_MAX: never */
    uint64_t last_open_ns; /* when the last one ended, or the pool began */
    uint64_t last_used_ns; /* when the last turn of a session ended; 0: none has */
    uint64_t retry_ns;     /* no spare is made before: the last one failed */
} pool_facts;

typedef enum pool_action { POOL_WAIT, POOL_FILL, POOL_GIVE_BACK } pool_action;

typedef struct pool_step {
    pool_action action;
    spare_kind kind;   /* to be made or given back */
    uint64_t until_ns; /* how long to wait, if nobody opens a session; UINT64_MAX: for ever */
} pool_step;

/* Between the kinds the spares are shared as the last opens would have had them. Where one of
 * them has run out while all places are taken, a spare of the other is given back. */
pool_step pool_next(const pool_facts *facts, uint64_t now_ns);

/* ---- a host's ---- */

enum { POOL_MOST = 1024, POOL_IDLE_MS = 60000 };

/* What a pool holds begins with it. */
typedef struct pool_item {
    struct pool_item *next;
} pool_item;

/* What a pool holds: all on the pool's thread, but is_sound on that of who takes one. */
typedef struct pool_source {
    /* SNUG_OK, or an error, and it is tried again later. */
    int (*make)(pool_item **out, void *payload, spare_kind kind);
    int (*is_sound)(const pool_item *spare);
    void (*end)(pool_item *spare);
} pool_source;

/* idle_ms as in snug_host_options. SNUG_ENOMEM or SNUG_ESYSTEM with a message. */
int pool_open(pool **out, const pool_source *source, void *payload, size_t wanted,
              uint64_t idle_ms);
/* Waits for the spare that is being made, and ends all. NULL is fine. */
void pool_close(pool *p);

/* An open begins, which asks for that kind: the spare is the caller's, and *kind what it is, which
 * is SPARE_HALF too where there is no whole one. NULL: there is none. Any thread, like the next
 * two. */
pool_item *pool_take(pool *p, spare_kind *kind);
/* It has ended: asked for one kind, and was served by the other, or failed. */
void pool_opened(pool *p, spare_kind asked, spare_kind served, int has_failed);
/* A turn of a session has ended. Any thread; takes no lock. */
void pool_used(pool *p);
/* A spare of which nothing has become: it is ended off the caller's way. */
void pool_lose(pool *p, pool_item *spare);
/* Nobody would take the spares that are ready: others are made. */
void pool_lose_all(pool *p);

/* NULL is fine. */
snug_pool pool_tell(pool *p);

#endif
