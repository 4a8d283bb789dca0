/*
 * replay.h - calls of cells that are answered from a journal. On the thread that runs the cell.
 */
#ifndef SNUG_CALLS_REPLAY_H
#define SNUG_CALLS_REPLAY_H

#include "calls/journal.h"

/* The host has taken the call, which is of a track: it is answered as the journal's call of its
 * number was, when its turn comes, or refused where it is another one. */
void replay_answer(journal_track *t, snug_call *call, uint64_t number);
/* Answers the calls whose turn has come, and lets go of those that are over. */
void replay_go_on(journal_track *t);
/* The call of that number is over: one that the host has never taken has no turn. */
void replay_end(journal_track *t, uint64_t number);

#endif
