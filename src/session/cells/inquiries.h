/*
 * inquiries.h - what a prompt asks of a session: whether the source is whole, which names could
 * stand here, what is known of one, which there are. Parts of local_form, and their answers as
 * bytes.
 *
 * What is unpacked is checked as packed.h says.
 */
#ifndef SNUG_SESSION_INQUIRIES_H
#define SNUG_SESSION_INQUIRIES_H

#include <snug/snug.h>

#include "session/core/form.h"
#include "wire/pack.h"

int local_is_complete(snug_session *session, const char *source, size_t len);
int local_complete(snug_completion **out, snug_session *session, const char *source, size_t len,
                   size_t cursor);
int local_variables(snug_description **out, snug_session *session);
int local_inspect(snug_description **out, snug_session *session, const char *source, size_t len,
                  size_t cursor);

void completion_pack(packer *p, const snug_completion *completion);
int completion_unpack(snug_completion **out, unpacker *u);
void description_pack(packer *p, const snug_description *description);
int description_unpack(snug_description **out, unpacker *u);

/* What the host does to a session's names without running a cell: parts of
 * local_form. */

int local_set(snug_session *session, const char *name, const char *json, size_t len);
int local_checkpoint(snug_session *session, checkpoint_step step);

/* The host's functions: bound in a session, called on the caller's thread, answered
 * from any. */

/* bind of local_form. */
int local_bind(snug_session *session, const snug_tool *tool);

#endif
