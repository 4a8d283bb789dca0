/*
 * variables.h - what the host does to a session's names without running a cell: parts of
 * local_form.
 */
#ifndef SNUG_SESSION_VARIABLES_H
#define SNUG_SESSION_VARIABLES_H

#include <snug/snug.h>

#include "session/core/form.h"

int local_set(snug_session *session, const char *name, const char *json, size_t len);
int local_checkpoint(snug_session *session, checkpoint_step step);

#endif
