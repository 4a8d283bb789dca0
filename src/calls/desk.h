/*
 * desk.h - what the code of a cell asks of its host: calls of the host's functions, and lines
 * for input(). They wait here for the thread that runs the cell, and their answers for the
 * cell.
 *
 * Two sides hold a call: the cell, until it has taken the answer or does not want it any more,
 * and the host, until it has answered. It is freed when both have let go; the desk goes
 * with the session and the last call. No call outlives its cell: what is not
 * answered at the end of the cell is cancelled, and what the host answers later is dropped.
 *
 * Under the desk's lock nothing of Python's is called. A thread that holds it is not torn out
 * of its code (limits/guard.h).
 */
#ifndef SNUG_CALLS_DESK_H
#define SNUG_CALLS_DESK_H

#include <stddef.h>
#include <stdint.h>

#include <snug/snug.h>

#include "base/str.h"

typedef struct desk desk;

/* All calls of a session that somebody holds have no more than this, arguments and answers
 * together. */
#define DESK_BYTES (UINT64_C(64) << 20)

/* ---- the host's functions ---- */

typedef struct desk_tool {
    uint64_t id;                  /* another one each time that the name is bound */
    char *name, *signature, *doc; /* signature: NULL for any names; doc: may be NULL */
    char *origin;                 /* may be NULL */
    int is_async, takes_any, is_untimed, is_read_only, is_unrecorded;
    int is_approved;     /* for all further calls; under the lock */
    uint64_t timeout_ms; /* 0: none */
    void (*fn)(void *payload, snug_call *call, const char *arguments_json);
    void *payload;
    /* Of the arguments, in order; what py/host/tool.c found in the signature. */
    char **parameters;
    size_t parameter_count;
    int takes_others; /* further names too */
    /* The desk's: its place among all, and the next one in its bucket. */
    size_t place;
    struct desk_tool *next_alike;
} desk_tool;

/* A copy; NULL if memory ran out. */
desk_tool *desk_tool_copy(const snug_tool *tool);
void desk_tool_free(desk_tool *tool);
/* Takes it, in place of the one with its name. While no code of the session runs. SNUG_OK or
 * SNUG_ENOMEM: then it is the caller's. */
int desk_put_tool(desk *d, desk_tool *tool);
/* Puts copies of all tools of another one there, and its rules. The same. */
int desk_put_tools(desk *d, const desk *from);
/* Copies them. As tool_rules_take. */
int desk_set_rules(desk *d, const snug_tool_rule *rules, size_t count);
/* For how long a call waits for its approval, before it is refused. At first SNUG_UNLIMITED. */
void desk_set_approval_ms(desk *d, uint64_t ms);
/* Its calls are written to the journal, or answered from it, as those of a session of that name;
 * NULL: none. Before the first tool. SNUG_OK or SNUG_ENOMEM. */
int desk_set_journal(desk *d, snug_journal *journal, const char *name);
int desk_replays(const desk *d);
/* NULL past the end; for one that was bound before and is not any more. Stay while code of
 * the session runs. */
desk_tool *desk_tool_at(const desk *d, size_t index);
desk_tool *desk_tool_named(const desk *d, const char *name);
const desk_tool *desk_find_tool(const desk *d, uint64_t id);
/* For the next one. */
uint64_t desk_next_id(desk *d);

/* ---- the session ---- */

/* on_call: a call waits to be taken; on a thread of the cell's. NULL if memory ran out. */
desk *desk_open(void (*on_call)(void *payload), void *payload);
/* What is held by the host stays until it is answered. NULL is fine. */
void desk_close(desk *d);
/* Whom an answer wakes, under the desk's lock; NULL: nobody. */
void desk_set_wake(desk *d, void (*wake)(void *payload), void *payload);
/* Calls it. Any thread. */
void desk_wake(desk *d);
/* The interpreter is gone: nobody in it holds a call. */
void desk_abandon(desk *d);
/* A cell begins, which may make that many calls, and waits so long for its lines of input(), all
 * together. */
void desk_begin(desk *d, uint64_t most_calls, uint64_t input_ms);
/* The number of the cell that is to begin, for the journal; 0: it has none. */
void desk_number_cell(desk *d, uint64_t number);
/* It has ended, or is given up: further calls are refused. Any thread, any number of times. */
void desk_end(desk *d);
/* It was interrupted, and is elsewhere: who answers what a person is asked, for an approval or a
 * line, need not wait until it has ended that. Any thread. */
void desk_interrupt(desk *d);

enum { DESK_ENTRIES = 10000, DESK_DENIED_ENTRIES = 50 };
/* The calls of the cell that has ended, in the order in which they were made: the first
 * DESK_ENTRIES, and at most DESK_DENIED_ENTRIES that were refused. SNUG_OK or SNUG_ENOMEM;
 * free with ledger_free_copy. */
int desk_take_ledger(snug_tool_call **out, size_t *count, desk *d);

/* Writes calls that are over to the journal, and answers those whose turn it is from it. */
void desk_go_on(desk *d);
/* The next call of the cell, which runs or has ended, that is over and was not given here before.
 * 0: there is none. The name is the tool's. */
int desk_take_over(snug_tool_call *out, desk *d);

/* ---- a call, for the cell ---- */

typedef enum call_state {
    CALL_PREPARED,
    CALL_WAITS, /* for the thread that runs the cell */
    CALL_MADE,  /* the host has it */
    CALL_OK,    /* from here on it is over */
    CALL_ERROR,
    CALL_NONE, /* no line */
    CALL_REFUSED,
    CALL_TIMEOUT,
    CALL_CANCELLED,
    CALL_DENIED /* of a ledger's entry */
} call_state;

typedef enum desk_refusal {
    DESK_FINE,
    DESK_NO_CELL,  /* none runs */
    DESK_TOO_MANY, /* the limit */
    DESK_FULL,     /* DESK_BYTES */
    DESK_TWICE,    /* it was made before */
    DESK_NO_MEMORY
} desk_refusal;

/* A call that is not made yet, held by the cell. tool NULL: a line for input(), whose prompt
 * text is. Takes text, also when it refuses. */
desk_refusal call_prepare(snug_call **out, desk *d, const desk_tool *tool, str *text);
/* Makes it. tells: its end shall be reported by desk_tell. */
desk_refusal call_make(snug_call *call, int tells);
/* Before it is made, of a line: what is typed is not to be seen. */
void call_hide_answer(snug_call *call);
int call_is_over(const snug_call *call);
uint64_t call_number(const snug_call *call);
uint64_t call_deadline_ns(snug_call *call);
const char *call_name(const snug_call *call);
/* Appends what is said of a call of that tool that has taken too long. SNUG_OK or SNUG_ENOMEM. */
int call_say_timeout(str *out, const char *name, uint64_t timeout_ms);
uint64_t call_timeout_ms(const snug_call *call);
/* Ends it if it is not over: CALL_CANCELLED, or CALL_TIMEOUT, and that only when its time is up: of
 * one that waits for an approval this is a refusal. */
void call_end(snug_call *call, call_state how);
/* The end, and the answer or the message of the error, which the caller frees. */
call_state call_take(str *answer, snug_call *call);
/* The cell lets go; cancels it if it is not over. */
void call_drop(snug_call *call);

/* Numbers of calls that are over and were not told yet, oldest first; those whose time is up
 * end here. Answers how many. */
size_t desk_tell(desk *d, uint64_t *numbers, size_t most);
/* When the next of the calls that tell their end has no more time; UINT64_MAX: never. */
uint64_t desk_deadline_ns(desk *d);
uint64_t desk_most_calls(const desk *d);
uint64_t desk_input_ms(const desk *d);
/* How long calls that are not timed, those for input() among them, have been under way since the
 * desk was opened: where there are several at a time, it counts once. Any thread. */
uint64_t desk_untimed_ns(desk *d, uint64_t now_ns);
/* Whether one is under way now. Any thread. */
int desk_is_untimed(desk *d);

/* ---- a call, for the host ---- */

/* Whether one waits to be taken that was approved. */
int desk_has_approved(desk *d);
typedef enum desk_line { DESK_NEW, DESK_ALL /* also those that were approved */ } desk_line;
/* The next one that waits; the host has it from now on. NULL: none. */
snug_call *desk_take(desk *d, desk_line which);
/* NULL: input() asks. Not after its cell. */
const desk_tool *call_tool(const snug_call *call);
const char *call_text(const snug_call *call);
/* Answers it from the journal. 0: it is not of a replay. */
int call_replay(snug_call *call);
/* It is over for the cell, which is elsewhere: CALL_CANCELLED or CALL_TIMEOUT. */
void call_give_up(snug_call *call, call_state how);
/* What the rules say about it, which the host has taken; approved is what was allowed for this one
 * or for all of its tool. */
snug_tool_decision call_decide(snug_call *call);
/* It waits for an approval: until it goes on, no time of its own or of its cell passes. It is
 * refused where that takes too long. */
void call_hold(snug_call *call);
void call_go_on(snug_call *call);
int call_is_held(snug_call *call);
/* Goes on, and waits to be taken again; always: so that all further ones of its tool are allowed.
 * SNUG_OK; SNUG_ENOTFOUND: nobody waits for it any more, and it is let go; SNUG_EINVAL: it is not
 * held. Any thread. */
int call_approve(snug_call *call, int always);
/* Ends it, with text (len bytes; copied), and lets go: call is not to be used any more.
 * SNUG_OK; SNUG_ENOTFOUND: nobody waits for it any more; SNUG_EINVAL: the text goes over
 * DESK_BYTES, and SNUG_ENOMEM: in both the call has failed. Without a message. Any thread. */
int call_answer(snug_call *call, call_state how, const char *text, size_t len);
int call_is_wanted(const snug_call *call);
/* Whether this process has made it, and not one that it was forked from. */
int call_is_own(const snug_call *call);

/* Which tools cells may call: the rules of a session, in order, of which the first that
 * fits a tool decides. */

typedef struct tool_rules {
    snug_tool_rule *rules;
    size_t count;
} tool_rules;

/* A copy. SNUG_OK, SNUG_ENOMEM, or
 * SNUG_EINVAL for a rule without a pattern or with another decision than those of the enum;
 * both with a sentence. */
int tool_rules_take(tool_rules *out, const snug_tool_rule *rules, size_t count);
void tool_rules_free(tool_rules *r);
/* Where no rule fits: SNUG_TOOL_DECISION_ALLOW. origin may be NULL; nothing is allowed by it, which
 * another one has chosen. */
snug_tool_decision tool_rules_decide(const tool_rules *r, const char *name, const char *origin,
                                     int is_read_only);

#endif
