/*
 * bash_syntax.h - the faults of syntax that bash itself finds in a program, without running it.
 */
#ifndef SNUG_AGENT_BASH_SYNTAX_H
#define SNUG_AGENT_BASH_SYNTAX_H

#include "agent/run/run.h"

/* By `bash -n`, in the session's sandbox and beside its shell. message stays empty where there is
 * no fault, or nobody can say: then bash finds it when it reads the program to run it. *line: 0
 * where it is not told. An error of snug.h. */
int bash_syntax_check(str *message, unsigned *line, run *r, const str *code);

#endif
