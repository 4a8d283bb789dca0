/*
 * keep_options.h - a copy of a session's options, for an open that comes later than its caller's
 * own.
 */
#ifndef SNUG_SESSION_KEEP_OPTIONS_H
#define SNUG_SESSION_KEEP_OPTIONS_H

#include <snug/snug.h>

typedef struct kept_options kept_options;

/* given may be NULL. SNUG_OK, or an error with a message. */
int kept_options_make(kept_options **out, const snug_session_options *given);
const snug_session_options *kept_options_of(const kept_options *kept);
/* NULL is fine. */
void kept_options_free(kept_options *kept);

#endif
