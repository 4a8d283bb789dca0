/*
 * library.h - what the agent uses of a library besides snug/library.h.
 */
#ifndef SNUG_AGENT_LIBRARY_H
#define SNUG_AGENT_LIBRARY_H

#include <snug/library.h>

/* Any thread: a request for embeddings that is under way ends at once; NULL is fine. */
void library_cancel(snug_library *library);
void library_resume(snug_library *library);
/* When embeddings are not waited for any longer; UINT64_MAX, as at the beginning: never. */
void library_limit(snug_library *library, uint64_t deadline_ns);

#endif
