/*
 * in_bash.h - which questions are answered by programs in bash, and by what options then.
 */
#ifndef SNUG_CLI_IN_BASH_H
#define SNUG_CLI_IN_BASH_H

#include "cli/program/options.h"

/* Whether that is left to the model. */
int in_bash_is_open(const options *o);
/* The same options for sessions of bash; what they point to stays theirs. */
options in_bash_options(const options *o);

#endif
