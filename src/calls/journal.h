/*
 * journal.h - the calls of cells as lines of JSON, for a later run that answers from them
 * (replay.h). snug.h has the format.
 *
 * A journal has a track for each name of a session, which numbers its calls. Desks hold their
 * track, and so the journal, which is only deaf and dumb when it has been closed.
 */
#ifndef SNUG_CALLS_JOURNAL_H
#define SNUG_CALLS_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

#include <snug/snug.h>

#include "base/str.h"
#include "calls/desk.h"

/* Calls that are over and not written yet: of more, further calls are refused. */
#define JOURNAL_BYTES (UINT64_C(256) << 20)

typedef struct journal_track journal_track;

/* The track of sessions of that name; NULL: no memory. */
journal_track *journal_join(snug_journal *j, const char *name);
/* One more desk has it. NULL is fine, as for the next one. */
journal_track *journal_share(journal_track *t);
void journal_leave(journal_track *t);

/* Of the next call, from 1. */
uint64_t journal_number(journal_track *t);
/* Whether calls are answered from it. */
int journal_replays(const journal_track *t);

/* A call that is over. */
typedef struct journal_entry {
    uint64_t number, cell;
    const char *tool;
    const str *arguments, *answer; /* JSON; an answer, or the sentence of the error */
    call_state state;
    uint64_t duration_ns, timeout_ms;
} journal_entry;

/* Appends its line. SNUG_OK, also where the journal writes nothing, or SNUG_ENOMEM. */
int journal_describe(str *out, const journal_track *t, const journal_entry *entry);
/* Hands the line on. */
void journal_write(journal_track *t, str *line);
/* What the journal hides. */
void journal_hide(journal_track *t, str *text);

#endif
