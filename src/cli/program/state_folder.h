/*
 * state_folder.h - where snug keeps what outlives it: $XDG_STATE_HOME/snug, or ~/.local/state/snug.
 */
#ifndef SNUG_CLI_STATE_FOLDER_H
#define SNUG_CLI_STATE_FOLDER_H

#include "base/str.h"
#include "cli/program/options.h"

/* The path of name ("library.db", "sessions/a.db") there; its folders are made, for this user
 * only. SNUG_OK, SNUG_ENOMEM, SNUG_ENOTFOUND: no variable says where, or SNUG_ESYSTEM: *out, which
 * ends where a folder cannot be made, and errno. Without a message. */
int state_find(str *out, const char *name);
/* The same: EXIT_FINE, or EXIT_USAGE after one sentence. */
int state_path(str *out, const char *name);
/* The file of a conversation: NAME is one of the state folder, and a path where it has a slash. */
int state_session(str *out, const char *name);
/* The library and the cache that the options ask for, put into wanted; library and cache keep the
 * paths of those in the state folder. */
int state_material(str *library, str *cache, snug_agent_options *wanted, const options *o);

#endif
