/*
 * find.h - which tools a few words mean: by their names and what they say of themselves, in an
 * index of SQLite's FTS5 in memory.
 *
 * A word of a query also finds what begins with it, what has the same stem (searching: search), and
 * a few others for the same (remove: delete). search_issues and searchIssues are two words each.
 */
#ifndef SNUG_CLI_FIND_H
#define SNUG_CLI_FIND_H

#include <stddef.h>

#include "cli/tools/stubs.h"

typedef struct find find;

/* The texts are not used any more afterwards. SNUG_OK or SNUG_ENOMEM. */
int find_open(find **out, const stub *items, size_t count);
/* The numbers of the best, the best first, into best, which has room for *count; how many there
 * are to *count. SNUG_OK or SNUG_ENOMEM. f may be NULL: it has no tools. */
int find_best(size_t *best, size_t *count, const find *f, const char *query);
void find_close(find *f);

#endif
