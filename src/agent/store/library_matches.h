/*
 * library_matches.h - what is found in a library: the snug_library_result of snug/library.h.
 */
#ifndef SNUG_AGENT_LIBRARY_MATCHES_H
#define SNUG_AGENT_LIBRARY_MATCHES_H

#include <snug/library.h>

#include "agent/store/database.h"

/* Empty; NULL if memory ran out. */
snug_library_result *library_matches_new(void);
/* Of a row with name, kind, title, bytes and text. SNUG_OK or SNUG_ENOMEM with a message. */
int library_matches_add(snug_library_result *matches, sqlite3_stmt *row, double score);
/* What the statement finds, of such rows; name: its parameter, or NULL where it has none. SNUG_OK,
 * or an error of the database. */
int library_matches_read(snug_library_result **out, database *d, const char *sql, const char *name);

#endif
