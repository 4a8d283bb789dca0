/*
 * installing.h - what a question does about modules that are missing, by --install: packages are
 * installed where somebody agrees to it, and the question is asked again in a session that has
 * them.
 */
#ifndef SNUG_CLI_INSTALLING_H
#define SNUG_CLI_INSTALLING_H

#include "cli/ask/seats.h"
#include "cli/packages/modules.h"
#include "cli/program/options.h"

/* Installs those that are not there, and makes the seats' next session of Python one that has all
 * of them. What is said goes to stderr. EXIT_FINE; EXIT_FAILED where nothing was installed; or
 * another exit status. */
int installing_do(seats *s, const missing *m);

#endif
