/*
 * in_bash.h - which questions are answered by programs in bash, and by what options then.
 */
#ifndef SNUG_CLI_IN_BASH_H
#define SNUG_CLI_IN_BASH_H

#include "cli/program/options.h"

/* By the options, else by the words of the question. */
int in_bash_is_wanted(const options *o, const char *question);
/* Whether that is left to the questions. */
int in_bash_is_open(const options *o);
/* Whether a question has the word "Python". */
int in_bash_names_python(const char *question);
/* The same options for sessions of bash; what they point to stays theirs. */
options in_bash_options(const options *o);

#endif
