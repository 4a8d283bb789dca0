/*
 * talk.h - a conversation at a terminal: a prompt whose lines are questions.
 */
#ifndef SNUG_CLI_TALK_H
#define SNUG_CLI_TALK_H

#include "base/str.h"
#include "cli/ask/asker.h"
#include "cli/editor/reader.h"

typedef struct talk {
    asker *asker;
    reader *reader;
    str line;  /* what was entered */
    str model; /* that /model has named; empty: that of the options */
} talk;

/* Until somebody leaves, or it is ended. The exit status. */
int talk_hold(asker *a);
/* The name of the model that is asked. */
const char *talk_model(const talk *t);

#endif
