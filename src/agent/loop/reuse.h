/*
 * reuse.h - programs that depend on nothing but their data are not run again: caches_results.
 *
 * In solve and chain, and only where the session has run nothing yet: nobody may look into a
 * namespace that is not there. When a program of the same session is run after one that was not,
 * or its variables are listed, that one is run for real first.
 */
#ifndef SNUG_AGENT_REUSE_H
#define SNUG_AGENT_REUSE_H

#include "agent/run/run.h"

/* The data of an input is part of the key. SNUG_OK or SNUG_ENOMEM. */
int reuse_add_input(run *r, const char *name, const str *data);
/* 1: the attempt has the result of an earlier run; 0: it is to be run. */
int reuse_find(run *r, attempt *a);
/* After a run that went well. */
void reuse_keep(run *r, const attempt *a);
/* Runs what was not run. As run_cell. */
int reuse_catch_up(run *r);
/* Whether nothing but its data decides what source gives. Judged by names alone; 0 where they leave
 * a doubt. */
int reuse_is_pure(const char *source, size_t len);

#endif
