/*
 * ledger.h - the calls of a cell as its result lists them, in the order in which they were made.
 * The lock of its desk guards it.
 */
#ifndef SNUG_CALLS_LEDGER_H
#define SNUG_CALLS_LEDGER_H

#include "calls/desk.h"

typedef struct ledger_entry {
    const char *name; /* the tool's */
    call_state state;
    uint64_t start_ns, duration_ns;
    size_t next_over; /* the one that ended after it; LEDGER_NONE */
} ledger_entry;

typedef struct ledger {
    ledger_entry *entries;
    size_t count, cap;
    size_t first_over, last_over; /* of those that ledger_take_over has not given yet */
    uint64_t start_ns;            /* of the cell */
    uint64_t made, denied;        /* in the cell, with those that have no entry */
} ledger;

/* Index of a call that has no entry. */
enum { LEDGER_NONE = DESK_ENTRIES + DESK_DENIED_ENTRIES };

/* As snug_tool_call has it. */
const char *ledger_status(call_state state);

/* A cell begins. */
void ledger_begin(ledger *l);
/* Counts a call that is made, or refused (CALL_DENIED), and enters it. name is the tool's own,
 * which outlives the cell. Answers its index; LEDGER_NONE where there are as many as there may be,
 * or with *error where memory ran out. */
size_t ledger_add(ledger *l, const char *name, call_state state, desk_refusal *error);
/* How the call at index ended. */
void ledger_end(ledger *l, size_t index, call_state how, uint64_t duration_ns);
/* The next call that has ended, each once, in the order of their ends; none that was refused. 0:
 * there is none. out is as long valid as the tool. */
int ledger_take_over(snug_tool_call *out, ledger *l);
/* Copies the calls: SNUG_OK or SNUG_ENOMEM. */
int ledger_copy(snug_tool_call **out, size_t *count, const ledger *l);
void ledger_free_copy(snug_tool_call *calls, size_t count);
void ledger_free(ledger *l);

#endif
