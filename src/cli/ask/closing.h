/*
 * closing.h - the lines on stderr behind an answer: how many attempts it took, times, and what
 * the programs made.
 */
#ifndef SNUG_CLI_CLOSING_H
#define SNUG_CLI_CLOSING_H

#include <snug/agent.h>

typedef struct closing {
    int keeps_files; /* the session is stored, with the files of its work directory */
    int has_warned;  /* of files that go with the session: once */
} closing;

/* is_handed_over: somebody else tells what the programs made. */
void closing_tell(closing *c, const snug_reply *reply, int is_handed_over);

#endif
