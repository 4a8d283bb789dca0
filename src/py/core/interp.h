/*
 * interp.h - one restricted interpreter: opened, used and closed on one thread.
 *
 * Without Python.h, so that session/ can hold one. Unless said otherwise the
 * caller is the thread that opened it, and does not hold the interpreter: each
 * function enters and leaves by itself.
 *
 *     interp_open
 *          |
 *          |  interp_give (a subinterpreter) or interp_prepare (the main one)
 *          v
 *     a session's ------ a job: interp_run, interp_set, ... ------> running
 *          |      <----- it has returned: interp_rest ------------     |
 *          |                                                           | torn out of it
 *          |  interp_retire: a job, what the guest left for the end    v
 *          v                                                       given up: interp_abandon
 *        empty                                                         ^
 *          |  interp_ending, interp_close ----- it does not end -------+
 *          v
 *        ended
 *          |  interp_free
 *
 * interp_give and interp_prepare are jobs as well. Between jobs interp_move takes it to the thread
 * that goes on after a pause, and interp_switch to and from the caller's own. What was given up
 * stays in memory; only its thread's end is left.
 */
#ifndef SNUG_PY_INTERP_H
#define SNUG_PY_INTERP_H

#include <stddef.h>
#include <stdint.h>

#include "base/fixed.h"
#include "base/str.h"
#include "capture/capture.h"
#include "limits/disk.h"
#include "limits/guard.h"
#include "limits/memory.h"
#include "policy/allowlist.h"
#include "policy/paths.h"
#include "py/core/outcome.h"

typedef struct interp interp;
struct desk;
struct desk_tool;

/* All of it stays the caller's and outlives the interpreter. */
typedef struct interp_options {
    const allowlist *modules;
    capture *output;
    const path_root *roots; /* what cells may open */
    size_t root_count;
    const char *workdir; /* in which relative paths start */
    int has_folder;      /* it is the thread's own current folder; else relative.h */
    memory_account *memory;
    disk_account *disk;
    const char *packages; /* folder of the packages that are allowed; NULL: none are */
    int is_inline;        /* on a thread of the host's, which outlives it */
    int is_full;          /* the main interpreter, which nothing prunes */
    const path_mount *mounts;
    size_t mount_count;
    int confines_libraries; /* the kernel judges what C libraries open and map */
    int owns_descriptors;   /* the thread's table is its own: cells may use what is in it */
    uint64_t threads;       /* that a cell may have besides its own */
    struct desk *desk;      /* what cells ask of the host */
    int has_input;          /* input() among it */
    fixed_values fixed;     /* the clock and the seed that cells have in place of the machine's */
    /* Called when the interpreter was lost while more than one thread is in it: a stop
     * shall end them all. Any thread. */
    void (*on_loss)(void *payload);
    void *payload;
} interp_options;

/* Sets what a guard asks of Python. Before guard_attach. */
void interp_set_guard(guard *g);
/* Starts a subinterpreter for the calling thread, or takes the main one, which then wants
 * interp_prepare. SNUG_EPYTHON with a message. */
int interp_open(interp **out, const interp_options *options);
/* Makes it a session's, whose modules, packages, roots, mounts, workdir, has_input and fixed may be
 * others than it was opened with; once more, only has_input may be. On 3.11 code of other
 * sessions that have got at this one may run here: its thread has the kernel's filters before.
 * SNUG_EPYTHON with a message, SNUG_ESTOPPED or SNUG_EDEAD. */
int interp_give(interp *in, const interp_options *options);
/* Puts what an earlier session has left in the main interpreter in order, and sets it up. Code of
 * the guest's may run, so the thread is sealed and a stop can end it. SNUG_EPYTHON with a message,
 * SNUG_ESTOPPED or SNUG_EDEAD. */
int interp_prepare(interp *in);
/* Runs what the guest has left for the end (atexit functions, finalizers of what
 * its names hold), while a stop can still end it. The namespace is empty then.
 * SNUG_OK or SNUG_EDEAD. */
int interp_retire(interp *in);
/* Ends it. interp_stop may come only after interp_ending said so. SNUG_OK: only interp_free is left
 * to do. SNUG_EDEAD when it had to be given up: it stays. */
int interp_close(interp *in);
/* Frees what interp_close ended; no stop may come any more. NULL is fine. */
void interp_free(interp *in);
/* The calling thread works in that one from now on; NULL: in none. For a thread that does so now
 * and then: without it the thread is the one that opened it. */
void interp_switch(interp *in);
/* The calling thread takes it over from the one before it, which has ended and on whose stack it
 * stands, and works in it from now on. */
void interp_move(interp *in);
/* From now on a stop is for the finalizers that the end runs, until the thread state goes. */
void interp_ending(interp *in);

/* What is not recorded: the history does not have it, and it has no number. */
typedef enum cell_aside {
    CELL_RECORDED,
    CELL_ASIDE,     /* as snug_session_run_aside */
    CELL_UNRECORDED /* as snug_session_run_unrecorded */
} cell_aside;

typedef struct cell_limits {
    uint64_t source_bytes;
    uint64_t value_bytes;
    uint64_t list_bytes; /* of outcome.changes */
    int is_aside; /* a cell_aside; but for CELL_RECORDED the number is that of the next cell */
} cell_limits;

/* Runs source as cell number (from 1). What the code does is in out, which the
 * caller frees; what it prints goes to the capture. source[len] is NUL.
 * SNUG_OK, or SNUG_ENOMEM when the outcome could not be put together; SNUG_EDEAD
 * when the code was torn out of and the interpreter given up: out tells why, and
 * only the thread's end is left to do. */
int interp_run(outcome *out, interp *in, const char *source, size_t len, uint64_t number,
               const cell_limits *limits);

struct program_call;
/* Calls a program, or maps it. out is empty before. What the code does is in out, what it answers
 * in the call; the caller frees both. As interp_run, in all else. */
int interp_compute(outcome *out, interp *in, struct program_call *call);
/* What was compiled of programs goes. The caller holds the interpreter. */
void interp_forget_programs(interp *in);

/* As snug_session_completeness. */
int interp_is_complete(interp *in, const char *source, size_t len);
struct name_list;
/* As complete_source. */
int interp_complete(struct name_list *out, interp *in, const char *source, size_t len,
                    size_t cursor, uint64_t list_bytes);

/* The rows of frozen/describe.py's variables() as a JSON list of at most that many bytes; how many
 * more there are. SNUG_EPYTHON with a message if it answered nothing. */
int interp_variables(str *out, size_t *left_out, interp *in, uint64_t list_bytes);
/* What its inspect(name) answers, as JSON. As interp_variables. */
int interp_inspect(str *out, interp *in, const char *name);
/* The dotted name at byte cursor of source, or of the function in whose call that stands, as
 * offset and length; empty where there is none. */
void interp_name_at(size_t *at, size_t *len, const char *source, size_t source_len, size_t cursor);

/* Binds the host's function to its name in the namespace; fills in what its signature tells.
 * SNUG_EINVAL with a message that says what is wrong with name or signature, SNUG_ENOMEM,
 * SNUG_ESTOPPED or SNUG_EDEAD. */
int interp_bind(interp *in, struct desk_tool *tool);

/* As snug_session_set_variable. SNUG_OK, SNUG_EINVAL, SNUG_ENOMEM, SNUG_ESTOPPED or SNUG_EDEAD. */
int interp_set(interp *in, const char *name, const char *json, size_t len);
/* As snug_session_checkpoint, _rollback and _forget_checkpoint. */
int interp_checkpoint(interp *in);
int interp_rollback(interp *in);
int interp_forget_checkpoint(interp *in);

struct scan_findings;
struct scan_rules;
/* As scan_source. The interpreter is for scans only: no cell has run in it. SNUG_EDEAD
 * when it had to be given up. */
int interp_scan(struct scan_findings *out, interp *in, const struct scan_rules *rules,
                const char *source, size_t len);

/* The stack of a session's thread, and of one that a cell starts, is no larger. */
enum { INTERP_MOST_STACK_BYTES = 1 << 30 };

/* The guard of each thread that a cell has started, for a stop. It is not in use where
 * none is attached to the session's thread, but for its tid. Any thread. */
void interp_each_thread(interp *in, void (*visit)(void *arg, guard *g), void *arg);
/* Whether one is on its way in or out, and so not visited: others may wait for it, who would
 * have answered. Any thread. */
int interp_awaits_thread(const interp *in);
/* The processor time of those that this cell, or the last one, has started. Any thread. */
uint64_t interp_threads_cpu_ns(interp *in);

/* Why a run was stopped. */
typedef enum stop_reason {
    STOP_NONE,
    STOP_TIMEOUT,     /* the cell's elapsed time */
    STOP_CPU,         /* the cell's processor time */
    STOP_SESSION_CPU, /* the session's */
    STOP_MEMORY,      /* it goes on after MemoryError */
    STOP_STALLED,     /* it waits for the GIL, and its caller waits no longer */
    STOP_INTERRUPT
} stop_reason;

/* Makes what runs in the interpreter end with an exception that no handler keeps:
 * it is raised again until interp_rest. Waits of our own (time.sleep, the event
 * loop) end too. Any thread, without the GIL, only between the start and the end
 * of a job on the session's thread: the caller orders this (session/core/stop.c). Call
 * it again every few milliseconds while the job goes on: C code may have dropped
 * the exception. limit (ms or bytes) is for the message. The first reason stays. */
void interp_stop(interp *in, stop_reason reason, uint64_t limit);
/* From now on, or no longer, allocations of the code that runs answer NULL. Any
 * thread. */
void interp_starve(interp *in, int is_starving);
/* Ends what C libraries of the session's are at, where these can be asked. Any thread, as
 * interp_stop. */
void interp_stop_libraries(interp *in);
/* Makes the next call that counts its recursion fail. For a stop where no signal is
 * handled: else a kick does it on the thread itself. Any thread, as interp_stop. */
void interp_cut_recursion(interp *in);
/* 1 when the code has ended and only the report is being made: nothing of the
 * guest's runs any more. Any thread. */
int interp_is_settled(const interp *in);
/* On 3.11: another session has the GIL, and this one, whose thread is g's, may only be
 * waiting for its turn. Any thread. */
int interp_waits_for_gil(interp *in, const guard *g);
/* How long the code that ran in it has waited by its own wish (time.sleep, a tool, an event loop)
 * up to now; and whether it does so now. Not for those with threads of cells. Any thread. */
uint64_t interp_own_waits_ns(const interp *in, uint64_t now_ns);
int interp_is_waiting(const interp *in);
/* What a stop that is under way is for. Any thread. */
stop_reason interp_stop_reason(const interp *in);
/* Whether code that was interrupted has caught that, or what it has open ends: then it is let be
 * for a while, as in Python, until interp_end_handling. Any thread. */
int interp_handles_stop(const interp *in);
void interp_end_handling(interp *in);
/* The outcome of a cell that did not come back in time at all: its thread still
 * runs, and is ended behind the answer. Any thread. */
int interp_explain_loss(outcome *out, const interp *in);
/* The session's thread, after the last possible interp_stop of a job. */
void interp_rest(interp *in);
/* Wakes the event loop's wait. Any thread. */
void interp_wake(interp *in);

#endif
