/*
 * state.h - the inside of an interpreter, shared by the files of py/.
 */
#ifndef SNUG_PY_STATE_H
#define SNUG_PY_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "py/core/changes.h"
#include "py/core/codecache.h"
#include "py/core/fixed.h"
#include "py/core/gil_turns.h"
#include "py/core/internals.h"
#include "py/core/interp.h"
#include "py/core/python.h"
#include "py/core/threadlist.h"

/* How far an interpreter is with its end. */
typedef enum interp_end {
    END_NOT_BEGUN,
    END_BEGUN, /* the guest's finalizers still run */
    END_NEAR   /* tstate is going away */
} interp_end;

/* Whether code that was interrupted handles that, as the code of a cell may once, for a while. All
 * else that runs in a session, as a save or a listing, catches what guest code raises and goes on,
 * and would take an interrupt for that. */
typedef enum stop_handling { HANDLING_OVER, HANDLING_NOT_YET, HANDLING_NOW } stop_handling;

/* A stop, written by other threads too. */
struct stopping {
    _Atomic int reason;       /* stop_reason */
    _Atomic int handling;     /* stop_handling, changed under settling */
    _Atomic uint64_t limit;   /* for the message, in ms or bytes; set before reason */
    _Atomic long raised;      /* how often `stopped` went into an empty slot */
    recursion_left left;      /* when the job began */
    volatile int hit_yellow;  /* it has been taken away by a handler */
    volatile int is_cut;      /* by the last kick, and put back by the next */
    _Atomic int is_starving;  /* allocations answer NULL, now and then */
    _Atomic int grants;       /* allocations until the next such answer */
    pthread_mutex_t settling; /* held by interp_cut_recursion, to change is_settled, and by who
                                 stops what the interpreter's end runs */
    _Atomic int is_guest;     /* inside interp_guarded, which puts the recursion back */
    _Atomic int is_cutting;   /* inside interp_cut_recursion: to leave is_guest waits for it */
    _Atomic int is_settled;   /* the code has ended; the report is being made */
    _Atomic int end;          /* interp_end */
    PyObject *last_names;     /* the dict of the interpreter's that goes last; set near its end */
};

/* What was noted while the cell ran (cell_notes.h). */
struct cell_notes {
    pthread_mutex_t denying; /* guards the next two: SQLite's threads ask without the GIL */
    outcome_denial *denials;
    size_t denial_count;
    PyObject *hinted;  /* the exception that hint belongs to */
    PyObject *streams; /* keep_streams.c's */
    str hint;
};

struct interp {
    interp_options options;
    PyThreadState *tstate;
    struct arena_list *arenas;
    fair_member fair;
    fixed_state fixed;
    guest_threads threads;
    struct sqlite_connections {
        pthread_mutex_t lock;
        struct sqlite_connection *first;
    } databases;   /* that are open: sqlite.c */
    own_locks own; /* theirs */

    PyObject *main;       /* __main__'s dict */
    PyObject *builtins;   /* the builtins module's dict */
    PyObject *print;      /* builtins.print as CPython made it */
    PyObject *compile;    /* builtins.compile as CPython made it; NULL in the static programs */
    PyObject *value_name; /* where a cell's code leaves the value of its last expression: no
                             identifier, so no cell can name it */
    PyObject *assign;     /* _ast.Assign; NULL until the first cell, or in the static programs */
    PyObject *targets;    /* [_ast.Name of value_name]; the same */
    PyObject *policy_error, *import_denied;             /* the policy's own exceptions */
    PyObject *tool_error, *tool_timeout, *tool_refused; /* ToolError ... of builtins */
    PyObject *stopped;              /* what interp_stop raises: a subclass of KeyboardInterrupt */
    PyObject *set_running_loop;     /* asyncio's, as it was when asyncio was imported */
    PyObject *run_async;            /* frozen loop.py's runner; NULL until the first await */
    PyObject *await_call;           /* frozen loop.py's; NULL until a tool is awaited */
    PyObject *awaited, *awaited_of; /* frozen awaited.py's of that source; NULL: none yet */

    int has_session;  /* it has been given one */
    int is_abandoned; /* before it had: what others hold of it stays */
    int is_set_up;    /* the main one: but for what is a session's own */
    int is_untidy;    /* a stop has ended the last job: the next one tidies up first */
    int is_guarded;   /* the audit hook and the gate judge; off while we set things up, never later:
                         a collection or a warning calls the guest from within any call */
    int knows_linecache, knows_asyncio, knows_types; /* patch_py.c has seen them */
    int knows_pandas, knows_matplotlib, knows_tqdm;  /* the same, in a full session */
    Py_ssize_t modules_seen;       /* there: how many were loaded when patch_c.c has last looked */
    uint64_t adopted;              /* there: a bit for each row of its table that has been */
    int has_figures;               /* it may have matplotlib's, of a cell that was stopped */
    int has_buffer;                /* a cell has asked for sys.stdout.buffer or that of stderr */
    struct posix_originals *posix; /* posix.c's, direntry.c's, loader.c's */
    struct direntry_originals *entries;
    struct loader_originals *loader;
    struct mend_use *uses[64]; /* mend.c's: calls that have not returned */
    size_t use_count;
    uint32_t lost_signals; /* menddecimal.c's */
    PyObject *lazy_import; /* gate.c's: CPython's __lazy_import__, since 3.15 */
    PyObject *raw_type;    /* mendio.c's stand-in */
    PyObject *server_type; /* toolbind.c's; NULL until there is one */

    struct stopping stop;
    _Atomic uint32_t bell;                 /* futex word: moves at interp_stop and interp_wake */
    struct own_waits {                     /* of cells, by wait.c; of one thread at a time */
        _Atomic uint64_t all_ns, since_ns; /* 0: it does not wait now */
    } waits;

    /* Cells. */
    uint64_t number;    /* of the cell that runs or ran last */
    PyObject **sources; /* source of cell n at [n - 1], as str; NULL where it never compiled */
    size_t source_count, source_cap;
    PyObject *in_list, *out_dict; /* In and Out as we made them */
    PyObject *file_sources;  /* texts of modules of the work directory; NULL until there is one */
    PyObject *last_names[3]; /* these names */
    uint64_t forgotten;      /* Out has dropped the values of cells up to this one */
    PyObject *last[3];       /* what we put into _, __ and ___; NULL before */
    codecache cache;
    struct program_slots *programs; /* cell/program.c's; NULL until one is called */
    known_names known;              /* the namespace as the last cell left it */
    PyObject *checkpoint;           /* the namespace as it was then, a dict; NULL: none */
    int is_aside;                   /* what runs is not recorded */
    PyObject *pretty, *rich; /* frozen pretty.py's and display.py's; NULL until they are needed */
    int compiler_flags;      /* __future__ statements stay in force, as at a prompt */

    /* Of a save or restore that runs; else NULL. */
    struct save_work *saving;
    PyObject *save_ids; /* frozen/savemakers.py's, while saving; borrowed */

    /* Of the running cell. */
    struct cell_notes notes;
    struct unfinished_char {
        char bytes[3];
        int len;
    } unfinished[CAPTURE_STREAMS]; /* begun in a write of bytes to the stream */
};

/* The interpreter of the calling thread, or NULL on a thread of the host's own. */
extern _Thread_local interp *interp_current __attribute__((tls_model("initial-exec")));

/* What of the next audit events of the calling thread is our own, and is let pass once. By
 * thread, for each of a session's threads has its own. */
typedef struct own_events {
    PyObject *compiling;      /* file name that the next "compile" has, by identity; borrowed */
    char unmarshals;          /* the next "marshal.loads": see loader.c */
    char is_database_guarded; /* sqlite.c's: the connection that it opened last */
} own_events;

extern _Thread_local own_events interp_own __attribute__((tls_model("initial-exec")));

/* Takes and gives back the interpreter; every job does, on the session's thread. */
void interp_enter(interp *in);
void interp_leave(void);
/* Runs fn(arg) in the interpreter, under the thread's guard. SNUG_EDEAD when it was
 * torn out of: the interpreter is given up then, and end and number tell why. */
int interp_guarded(interp *in, void (*fn)(void *arg), void *arg, guard_end *end, int *number);
/* Leaves the interpreter as it is, torn, for ever: to use it again or to end it
 * crashes. Only what other threads wait for is given back. Its other threads are ended and
 * waited for; end and number become those of the first that was torn out. */
void interp_abandon(interp *in, guard_end *end, int *number);
/* In the interpreter already: runs fn(arg) under the thread's guard, if it has one. */
guard_end interp_run_claimed(interp *in, void (*fn)(void *arg), void *arg);
/* What the guard of a thread has to know of the interpreter that it works in. */
void interp_claim_guard(interp *in, guard *g, PyThreadState *tstate);
/* After the interpreter is made: -1 with an exception. */
int interp_set_up(interp *in);
/* After it is a session's; the same. */
int interp_set_up_session(interp *in);
/* Of the main interpreter, whose exceptions are there: in place of that. */
int interp_set_up_full(interp *in);
/* Whether an allocation of this thread, in this interpreter, shall fail now. After each
 * refusal some are granted: one is enough to unwind a loop in C, and what unwinds needs
 * a few itself (without any, CPython ends the process: "Cannot recover from
 * MemoryErrors while normalizing exceptions"). */
enum { GRANTS_BETWEEN_REFUSALS = 200 };

static inline int interp_starves(interp *in)
{
    if (!atomic_load_explicit(&in->stop.is_starving, memory_order_relaxed) ||
        atomic_load_explicit(&in->stop.is_settled, memory_order_relaxed) ||
        atomic_load_explicit(&in->stop.handling, memory_order_relaxed) == HANDLING_NOW)
        return 0;
    int left = atomic_load_explicit(&in->stop.grants, memory_order_relaxed);
    atomic_store_explicit(&in->stop.grants, left > 0 ? left - 1 : GRANTS_BETWEEN_REFUSALS,
                          memory_order_relaxed);
    return left <= 0;
}

/* Runs a cell's code in the namespace, in the event loop where it awaits. */
PyObject *cell_evaluate(interp *in, PyObject *code);

#endif
