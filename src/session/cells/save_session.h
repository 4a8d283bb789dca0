/*
 * save_session.h - a session into a file, and out of it: what the caller's thread does. The
 * session's own cannot write outside its work directory, and hands over what it has in memory.
 *
 * What is unpacked is checked as packed.h says.
 */
#ifndef SNUG_SESSION_SAVE_SESSION_H
#define SNUG_SESSION_SAVE_SESSION_H

#include <snug/snug.h>

#include "base/str.h"
#include "wire/pack.h"

/* save and restore of local_form. */
int local_save(snug_saved **out, snug_session *session, const char *path);
int local_restore(snug_saved **out, snug_session **session, const char *path);

int local_save_text(snug_saved **out, snug_session *session, str *file);
int local_restore_text(snug_saved **out, snug_session *session, const str *file);

/* The same, where file is not NULL: the saved session is appended there and not written to path.
 * The other takes the text of one that was read from path. is_fresh: nothing has run in the session
 * yet, so that it need not be made again. */
int session_save(snug_saved **out, snug_session *session, const char *path, str *file);
int session_restore(snug_saved **out, snug_session **at, const char *path, str *text, int is_fresh);
/* What a template is called where a file's path stands in messages. */
#define SAVE_TEMPLATE "the template"
/* What is at path, for a restore. */
int session_read_saved(str *out, const char *path);

/* The report of either. */
void saved_pack(packer *p, const snug_saved *saved);
int saved_unpack(snug_saved **out, unpacker *u, const snug_session *session, const char *path);

#endif
