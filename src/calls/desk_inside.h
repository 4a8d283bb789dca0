/*
 * desk_inside.h - the inside of a desk, for calls/: desk.c has the session's part, desk_tools.c the
 * host's functions, call_cell.c what the cell does with a call, and call_host.c what the host does.
 */
#ifndef SNUG_CALLS_DESK_INSIDE_H
#define SNUG_CALLS_DESK_INSIDE_H

#include <pthread.h>

#include "calls/desk.h"
#include "calls/journal.h"
#include "calls/ledger.h"

struct snug_call {
    snug_call *previous, *next; /* of all */
    snug_call *behind[3];       /* in the lines that it stands in */
    desk *desk;
    const desk_tool *tool; /* NULL: input(); not after its cell */
    char *name;            /* of the tool; NULL: input() or getpass() */
    _Atomic int state;     /* call_state; written under the lock */
    int is_held, is_host;  /* by the cell, by the host */
    int tells;
    int is_untimed;
    int is_on_hold, is_approved; /* it waits for an approval; it has one */
    int is_unwanted;             /* its cell was interrupted, and ends it soon */
    int is_hidden;               /* a line that is not to be seen */
    str text, answer;
    uint64_t number, start_ns, timeout_ms, deadline_ns;
    uint64_t in_journal; /* its number there; 0: none */
    size_t entry;        /* in the ledger; LEDGER_NONE */
};

/* What one without texts takes, with its name: about. */
enum { CALL_BYTES = 512 };

/* Of those that wait for the host, at first or with an approval, and of those whose end is to be
 * reported; a call can stand in two, when it ended while it waited. */
enum { WAITING, APPROVED, OVER };

typedef struct line {
    snug_call *first, *last;
} line;

/* A call that is over, for the journal. */
typedef struct desk_record {
    uint64_t number;
    str line; /* empty: there is nothing to write */
    struct desk_record *next;
} desk_record;

struct desk {
    uint64_t process; /* that has opened it */
    void (*on_call)(void *payload);
    void *payload;
    /* Only between cells, see desk.h. */
    desk_tool **tools;
    size_t tool_count, tool_cap;
    desk_tool **buckets; /* by the hash of the name; as many as tools, or more */
    size_t bucket_count;
    uint64_t tools_bound;
    tool_rules rules;
    uint64_t approval_ms;   /* for which a call is held */
    journal_track *journal; /* NULL: none */

    pthread_mutex_t lock; /* of everything below */
    void (*wake)(void *payload);
    void *wake_payload;
    int has_session;
    int is_open;               /* a cell runs */
    uint64_t most;             /* calls in this cell */
    uint64_t input_ms;         /* for the lines of this cell */
    uint64_t input_used_ns;    /* of that */
    uint64_t numbers;          /* given to calls */
    uint64_t bytes;            /* of all calls, with their texts */
    uint64_t next_deadline_ns; /* not later than that of any call that tells */
    snug_call *all;
    line lines[3];
    ledger ledger;
    uint64_t cell; /* its number */
    desk_record *first_record, *last_record;
    uint64_t record_bytes;
    uint64_t untimed_calls;                /* under way */
    uint64_t untimed_since_ns, untimed_ns; /* since the first of them; and before that */
};

/* SNUG_OK also for NULL. */
int desk_copy_text(char **out, const char *text);

/* ---- with the lock held ---- */

void desk_line_add(desk *d, int which, snug_call *call);
/* The first of the line, which leaves it; NULL: there is none. */
snug_call *desk_line_take(desk *d, int which);
int desk_is_ended(const snug_call *call);
/* What nobody can ask for goes at once. One whose end is still to be reported stays, without its
 * texts. */
void desk_free_if_let_go(snug_call *call);
/* One more call that is not timed, or one less. */
void desk_count_untimed(desk *d, int more, uint64_t now_ns);
void desk_end_call(snug_call *call, call_state how);
/* What is not made yet, or over, stays. CALL_TIMEOUT of one that waits for an approval refuses it.
 */
void desk_end_if_made(snug_call *call, call_state how);
/* Enters a call that has ended. */
void desk_record_end(snug_call *call, call_state how, uint64_t duration_ns);
/* Gives the lock back. */
void desk_unlock_or_free(desk *d);

#endif
