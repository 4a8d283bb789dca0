/*
 * question.h - what a question is asked with, once it is known that it can be asked.
 */
#ifndef SNUG_AGENT_QUESTION_H
#define SNUG_AGENT_QUESTION_H

#include "agent/run/run.h"

typedef struct question {
    snug_agent_mode mode;
    snug_agent_limits limits;
    const char *refused; /* not NULL: it is answered with the error's message, and this question */
} question;

/* Checks the options and the text: nothing but white space, too many bytes, not UTF-8, a control
 * character (tab and line ends are fine), a program in a language that the session does not run.
 * SNUG_OK, also where it is refused; or SNUG_EINVAL with one sentence. */
int question_prepare(question *out, const snug_agent *agent, const char *text,
                     const snug_agent_ask_options *o);

#endif
