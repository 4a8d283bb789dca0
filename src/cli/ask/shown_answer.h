/*
 * shown_answer.h - what a terminal has of an answer besides its words: the table that the value is,
 * and pictures, as the prompt shows them.
 */
#ifndef SNUG_CLI_SHOWN_ANSWER_H
#define SNUG_CLI_SHOWN_ANSWER_H

#include <snug/agent.h>

#include "cli/display/pictures.h"
#include "cli/program/options.h"
#include "cli/program/signals.h"

typedef struct shown_answer {
    pictures pictures;
    signals *signals;
} shown_answer;

void shown_open(shown_answer *s, const options *o, signals *taken);
/* Whether stdout is a terminal, and the value of the run has a table. */
int shown_has_table(const snug_reply *reply);
/* Whether text is that value, so that the table says the same. */
int shown_is_value(const snug_reply *reply, const char *text);
void shown_put_table(const snug_reply *reply);
/* Those that the terminal can show; of files of the session too. */
void shown_put_pictures(shown_answer *s, const snug_reply *reply, snug_session *session);
void shown_close(shown_answer *s);

#endif
