/*
 * state_folder.h - where snug keeps what outlives it: $XDG_STATE_HOME/snug, or ~/.local/state/snug.
 */
#ifndef SNUG_CLI_STATE_FOLDER_H
#define SNUG_CLI_STATE_FOLDER_H

#include "base/str.h"
#include "cli/program/options.h"

/* The path of name ("library.db", "sessions/a.db") there; its folders are made, for this user
 * only. SNUG_OK, SNUG_ENOMEM, SNUG_ENOTFOUND where no variable says where it is, or SNUG_ESYSTEM
 * with errno: *out is the folder that cannot be made. No message is set. */
int state_find(str *out, const char *name);
/* The same: EXIT_FINE, or EXIT_USAGE after one sentence. */
int state_path(str *out, const char *name);
/* The file of the conversation name: in the state folder, or name itself where it has a slash.
 * EXIT_FINE, or EXIT_USAGE after one sentence. */
/* Appends the folder of the conversations, which may not be there. As state_path. */
int state_sessions_folder(str *out);
int state_session_path(str *out, const char *name);
/* Where a prompt keeps what was entered: the file of the option, else of that variable, else name
 * in the state folder. NULL: nowhere. malloc'ed. */
char *state_history(const options *o, const char *variable, const char *name);
/* EXIT_FINE, or EXIT_USAGE after one sentence where it is the address of another store. */
int state_check_library(const char *file);
/* Puts the library and the cache that the options ask for into wanted. library and cache keep the
 * paths of those in the state folder, and must outlive wanted. EXIT_FINE, or EXIT_USAGE after one
 * sentence. */
int state_set_material(str *library, str *cache, snug_agent_options *wanted, const options *o);

#endif
