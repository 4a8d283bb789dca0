/*
 * supervise.h - the inside of a supervisor, for supervise/.
 *
 * One lock guards all of it. What takes time (a worker's start, opening, cells, saves) happens
 * without the lock by the one thread that holds the seat; waiting threads are woken by `changed`
 * and by the condition of their ticket. Nothing is called with the lock held that could call back.
 */
#ifndef SNUG_SUPERVISE_SUPERVISE_H
#define SNUG_SUPERVISE_SUPERVISE_H

#include <pthread.h>
#include <stdatomic.h>

#include <snug/supervisor.h>

#include "base/error.h"
#include "base/str.h"
#include "base/thread.h"
#include "supervise/saved_state.h"

/* Time and memory as a test wants them; NULL: as they are. With a now_ns there are no threads of
 * the supervisor's: supervisor_sweep does their work, on the thread that calls it. */
typedef struct supervise_world {
    uint64_t (*now_ns)(void *payload);
    uint64_t (*memory_bytes)(void *payload);
    void *payload;
} supervise_world;

typedef struct tenant tenant;
typedef struct seat seat;
typedef struct ticket ticket;

/* A process that has sessions of a tenant. It is kept without any for as long as it lives, because
 * it has memory still. */
typedef struct worker {
    int64_t process;
    int pidfd;
    int is_dead;
    int is_held_up; /* a save could not have its GIL */
    size_t sessions;
    struct worker *next;
} worker;

/* The place of a session, open or not, for as long as it is open or somebody wants it. */
struct seat {
    tenant *tenant;
    char *name, *place; /* place: of its files in the state folder */
    seat *next;
    size_t tickets;            /* of threads that wait for it */
    size_t pins;               /* threads that interrupt its session */
    int is_held;               /* by a lease, or by who saves it; theirs is what follows */
    snug_session *session;     /* NULL: not open. Its change needs the lock too */
    snug_session_options call; /* callbacks and payload of the lease */
    int is_lost;               /* guarded by the lock */
    int is_dirty;              /* not as it was saved */
    int is_running;            /* a cell; guarded by the lock */
    int was_interrupted;       /* it, by a drain */
    uint64_t cells;            /* since the save */
    uint64_t save_ns;          /* how long its last save took */
    str notice;                /* what the next call learns about its saves */
    int is_noticed;            /* a call has */
    worker *worker;            /* that has it; NULL: this process. Guarded by the lock */
    uint64_t used_ns;          /* when it was given back */
    uint64_t away_ns;          /* since when it is put away; 0: it is not. Guarded by the lock */
    int gives_way;             /* its save does, to a call; 2: it has. Guarded by the lock */
    int is_cut;                /* its save took too long for a drain. Guarded by the lock */
    int is_slow;               /* its last save took long, or failed. Guarded by the lock */
    uint64_t retry_ns;         /* when its save, which failed, is tried again */
};

struct tenant {
    char *name;
    tenant *next;
    seat *seats;
    ticket *first, **last; /* those that wait */
    size_t waiting, running;
    size_t open;        /* sessions, with those that are being opened */
    size_t saving;      /* of its sessions, that are saved or put away now */
    uint64_t saving_ns; /* since when the last of these is */
    uint64_t served;    /* number of its last turn */
    uint64_t used_ns;   /* when its last session was closed */
    snug_host *host;    /* in the form LOCAL the supervisor's */
    int has_place;      /* it counts among the hosts */
    int is_starting;
    worker *workers;
};

typedef enum refusal_kind {
    REFUSED_QUEUE,
    REFUSED_WAIT,
    REFUSED_SESSIONS,
    REFUSED_HOSTS,
    REFUSED_MEMORY,
    REFUSED_DRAINING,
    REFUSALS
} refusal_kind;

typedef enum away_reason {
    AWAY_IDLE,
    AWAY_ROOM,
    AWAY_MEMORY,
    AWAY_DRAIN,
    AWAY_REASONS,
    AWAY_NOT = AWAY_REASONS /* it is saved, and stays open */
} away_reason;

typedef struct supervise_counts {
    uint64_t opened, restored, lost, damaged, workers_died, cells, waited, waited_ns, longest_ns;
    uint64_t refused[REFUSALS], away[AWAY_REASONS], away_failed;
} supervise_counts;

/* SLOW_MS: a save that takes longer counts no more among those that are made at a time. RETRY_MS:
 * until one is made again that had no GIL, or failed by the disk in a drain that has time left. */
enum { KEEPERS = 4, KEEPER_STACK_BYTES = 512 << 10, SLOW_MS = 1000, RETRY_MS = 1000 };

struct snug_supervisor {
    uint64_t process; /* that has opened it: base/forked.h */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a seat was given back, a host is there, a session was put away */
    pthread_cond_t work;    /* keepers shall look */
    supervise_world world;
    state_folder state;
    snug_host_options host_options; /* its texts are ours */
    snug_supervisor_limits limits;
    int (*on_session)(void *payload, snug_session *session, const char *tenant, const char *name);
    void (*on_event)(void *payload, const snug_supervisor_event *event);
    void *payload;
    snug_host *host; /* of the form LOCAL */
    tenant *tenants;
    size_t hosts, open, running, waiting;
    size_t calls;  /* leases, and calls under way */
    size_t saving; /* threads that put sessions away, or end workers */
    uint64_t turns;
    supervise_counts counts;
    int is_draining, is_closing;
    uint64_t drain_until_ns;           /* when a drain gives up all saves; UINT64_MAX: never */
    size_t drain_lost;                 /* sessions that the drain has found lost */
    char failure[ERROR_MESSAGE_BYTES]; /* why the last save failed */
    thread keepers[KEEPERS];
    size_t keeper_count;
    size_t resting; /* keepers with nothing to do */
};

struct ticket {
    tenant *tenant;
    seat *seat;
    int needs_seat; /* 0: the one who waits holds it */
    int is_granted;
    int is_refused; /* with this */
    refusal_kind refusal;
    uint64_t since_ns, deadline_ns;
    pthread_cond_t told;
    ticket *next;
};

/* What an arrival points to. */
typedef struct arrival {
    snug_arrival shown;
    str reason, left, notice;
} arrival;

struct snug_lease {
    snug_supervisor *supervisor;
    tenant *tenant;
    seat *seat;
    int has_turn;
    arrival arrival;
};

/* Who waits for what, and whose turn it is. All with the lock. */

/* The tenant and seat of those names, made where they are not there. SNUG_OK, SNUG_ENOMEM. */
int queue_find(seat **out, snug_supervisor *s, const char *tenant, const char *session);
/* NULL where there is none. */
seat *queue_look(const snug_supervisor *s, const char *tenant, const char *session);
/* Frees a seat, and then its tenant, that nobody needs. */
void queue_tidy(snug_supervisor *s, seat *one);
void queue_tidy_tenant(snug_supervisor *s, tenant *tenant);
/* Waits for a turn, and for the seat where needs_seat. SNUG_OK: both are the caller's. waited_ns
 * is added to. SNUG_EBUSY with a message. */
int queue_wait(snug_supervisor *s, seat *wanted, int needs_seat, uint64_t *waited_ns);
void queue_give_turn(snug_supervisor *s, tenant *tenant);
/* One more, which nobody has waited for. */
void queue_add_turn(snug_supervisor *s, tenant *tenant);
void queue_give_seat(snug_supervisor *s, seat *one);
/* Interrupts what its session does, in that way; if it has none, nothing. Releases the lock
 * meanwhile. */
void queue_interrupt(snug_supervisor *s, seat *one, void (*interrupt)(snug_session *session));
/* Refuses those whose time is over, or all. */
void queue_expire(snug_supervisor *s, uint64_t now_ns);
void queue_refuse_all(snug_supervisor *s);

/* What a supervisor tells its owner, and what it writes down of a session. */

uint64_t notes_now(const snug_supervisor *s);
/* Without the lock. session: NULL is "". message: NULL is "". */
void notes_tell(snug_supervisor *s, snug_supervisor_event_kind kind, const char *tenant,
                const char *session, const char *message);
/* SNUG_EBUSY, counted; the sentence is kept. With the lock. */
int notes_refuse(snug_supervisor *s, refusal_kind kind, const char *sentence);
/* Beside its save: the number of cells since then, and why it was lost; NULL: it was not. */
void notes_mark(snug_supervisor *s, seat *one, uint64_t cells, const char *why);
/* For the session's next call, about its saves, once until it changes; "": nothing. */
__attribute__((format(printf, 2, 3))) void notes_notice(seat *one, const char *format, ...);
/* An event with the last error; answers error with what and a message without paths. */
int notes_state_failed(snug_supervisor *s, const seat *one, int error, const char *what);
/* A message without the path of the session's files in it. */
const char *notes_reason(const seat *one, const char *message);
/* It is lost with its cell. */
void notes_lost(snug_supervisor *s, seat *one, const char *why);

/* Sessions are saved, put away, and room is made for others. Without the lock. */

/* Saves it, with the seat held; an error is an event too. */
int evict_save(snug_supervisor *s, seat *one);
/* Whether something is lost where its worker dies: it is not as it was saved. With the seat held.
 */
int evict_loses(const seat *one);
/* Closes it, with the seat held. */
void evict_close(snug_supervisor *s, seat *one);
/* There is room for one more session of the tenant, and it is counted as open. SNUG_EBUSY. */
int evict_make_room(snug_supervisor *s, tenant *tenant);
/* Takes that back. */
void evict_return_room(snug_supervisor *s, tenant *tenant);
/* All that is due. */
void supervisor_sweep(snug_supervisor *s);
/* A session is. With the lock. */
int evict_has_due(const snug_supervisor *s, uint64_t since_ns);
int evict_start(snug_supervisor *s);
void evict_stop(snug_supervisor *s);

/* The tenants' hosts. All without the lock but for what says so. */

/* The host of a tenant, of which a session is counted as open. */
int hosts_get(snug_host **out, snug_supervisor *s, tenant *tenant);
/* Another one in its place, where one session is counted as open and none is; else it stays. */
int hosts_replace(snug_supervisor *s, tenant *tenant);
/* The session was opened or reset, in the worker that it has now. */
void hosts_note(snug_supervisor *s, seat *one);
/* It has none any more. With the lock. */
void hosts_forget(seat *one);
/* No worker is noted of the tenant any more. With the lock. */
void hosts_forget_workers(tenant *tenant);
/* Notices which of a tenant's workers have died, and tells the owner. */
void hosts_check(snug_supervisor *s, tenant *tenant);
/* The same for all tenants. */
void hosts_check_all(snug_supervisor *s);
/* Ends one worker that has no session, and had none for so long. 1: it did. */
int hosts_end_one(snug_supervisor *s, uint64_t idle_ns);
/* Kills all workers: what is under way in them fails, and nothing that is to end with them is
 * waited for. That they died is not told. With the lock. */
void hosts_kill(snug_supervisor *s);
/* Bytes that the workers take, or this process where the sessions are in it. */
uint64_t hosts_memory(snug_supervisor *s);

/* The object, for tests that bring their own time and memory. */

int supervisor_open_in(snug_supervisor **out, const snug_supervisor_options *given,
                       const supervise_world *world);

/* SNUG_EINVAL with a sentence, for the function of supervisor.h that what names: it is NULL, or
 * another process's. */
int supervisor_check(const snug_supervisor *s, const char *what);

#endif
