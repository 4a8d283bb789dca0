/*
 * shown_session.h - a session whose cells are shown to somebody: what the prompt and snug run have
 * in common.
 */
#ifndef SNUG_CLI_SHOWN_SESSION_H
#define SNUG_CLI_SHOWN_SESSION_H

#include <snug/snug.h>

#include "cli/program/options.h"
#include "cli/program/session_files.h"
#include "cli/program/signals.h"
#include "cli/prompt/show_cell.h"
#include "cli/tools/user_tools.h"

typedef struct shown_session {
    const options *options;
    snug_host *host;
    snug_session *session; /* NULL: not open */
    signals signals;
    show show;
    session_files files;
    tools tools;
    int replayed; /* when it is closed: what tools_close has answered */
} shown_session;

/* These answer EXIT_FINE, or another exit status after one sentence. */

/* Signals and tools: what comes before the host. Close in both cases. */
int shown_session_start(shown_session *s, const options *o);
/* The session, with its tools and what --restore names. Unless --json is given its output and
 * displays are shown as they come, and input() reads stdin where asks is not 0. */
int shown_session_open(shown_session *s, int asks);
/* --save and --export, after the last cell; status is what the cells have come to, and stays where
 * that is not EXIT_FINE. */
int shown_session_end(shown_session *s, int status);
/* Answers the signal that asks to end; 0: none. */
int shown_session_close(shown_session *s);

#endif
