/*
 * fixed_options.h - --clock, --seed and --zone: runs that are the same each time.
 */
#ifndef SNUG_CLI_FIXED_OPTIONS_H
#define SNUG_CLI_FIXED_OPTIONS_H

#include "cli/program/options.h"

/* Reads them into o->session, and puts the zone into this process's environment, for sessions that
 * are in it. EXIT_FINE, or EXIT_USAGE after one sentence. */
int fixed_options_read(options *o);
/* What of them is a host's. */
void fixed_options_set_host(snug_host_options *host, const options *o);

#endif
