/*
 * handing_over.h - what the programs of a question made, files of their session and figures, put
 * where the user finds it: into --out, else into a folder that is named after the question. Nothing
 * there is ever replaced.
 */
#ifndef SNUG_CLI_HANDING_OVER_H
#define SNUG_CLI_HANDING_OVER_H

#include <snug/agent.h>

#include "base/str.h"
#include "cli/program/options.h"
#include "cli/program/signals.h"

typedef struct handing {
    const options *options;
    signals *signals;
    int is_on;
    str path;         /* of the folder, as the user says it; empty: the first question names it */
    int folder;       /* -1: it is not open */
    int is_own;       /* it was made for this, and nothing is in it */
    unsigned parents; /* of it, that were made for this too */

    /* Of the last reply. */
    uint64_t bytes, files; /* that were handed over */
    str made;              /* the first of them, for a line */
    str left;              /* what was left out, and why, for a sentence */
    uint64_t left_count;
    str fault;
    uint64_t fault_count;
} handing;

/* Before any program runs. EXIT_FINE, or EXIT_USAGE after one sentence. Close in every case. */
int handing_open(handing *h, const options *o, signals *s);
/* Options want it so, and it is not to where programs have made it: their work directory. */
int handing_is_wanted(const handing *h);
/* Hands over, and says so in the reply; to the user, nothing yet. Nothing where a signal has come,
 * or where it is not wanted. */
void handing_do(handing *h, snug_reply *reply, snug_session *session, const char *question);
/* On stderr: a line of what was handed over, and a sentence for what was not. EXIT_FINE, or
 * EXIT_USAGE where something could not be written. */
int handing_tell(const handing *h);
void handing_close(handing *h);

#endif
