/*
 * profile_text.h - the texts of profiles: where a name leads, and what stands there.
 */
#ifndef SNUG_POLICY_PROFILE_TEXT_H
#define SNUG_POLICY_PROFILE_TEXT_H

#include <stddef.h>

#include "base/str.h"

/* Whether a profile can have that name: letters, digits, '_' and '-'. The tables beside the
 * profiles, calls.txt and alternatives.txt, are not profiles. */
int profile_is_name(const char *name, size_t len);

/* The text of the profile of that name: of beside/name.txt, else of dir/name.txt, or the built-in
 * one if dir is NULL; beside may be NULL too. label becomes what messages call it. SNUG_ENOTFOUND
 * with the names of the profiles that dir or the library has; else as profile_read. */
int profile_find(str *text, str *label, const char *beside, const char *dir, const char *name,
                 size_t len);
/* The text of the file at path, without a byte order mark. SNUG_ENOTFOUND; SNUG_EPOLICY for what is
 * not a file, is too large or cannot be read; SNUG_ENOMEM; with a message that names path. */
int profile_read(str *text, const char *path);

/* Of a name in a sentence. */
enum { PROFILE_SHOWN_BYTES = 80 };
/* How many of len bytes of UTF-8 that are. */
int profile_shown(const char *name, size_t len);

#endif
