/*
 * talk_tables.h - what a session has, as tables on stdout: its variables, its files.
 */
#ifndef SNUG_CLI_TALK_TABLES_H
#define SNUG_CLI_TALK_TABLES_H

#include <snug/snug.h>

/* Or one sentence on stderr. */
void tables_print_variables(snug_session *session);
void tables_print_files(snug_session *session);

#endif
