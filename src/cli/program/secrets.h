/*
 * secrets.h - the keys that snug knows, kept out of what it quotes of other processes: an MCP
 * server, a tool, a worker's command and pip may say what is in their environment.
 *
 * The agent has its own keys (agent/model/key.h), and hides them in what a provider says.
 */
#ifndef SNUG_CLI_SECRETS_H
#define SNUG_CLI_SECRETS_H

#include "base/str.h"
#include "cli/program/options.h"

/* Those of the environment (NAME_API_KEY), of the key file and of the headers and the fetch secrets
 * that options name. Where the command asks a model, the keys of providers and the variables of the
 * last two are taken out of the environment (base/secret_env.h).
 * Before the first other thread. EXIT_FINE, or EXIT_USAGE after one sentence on stderr. */
int secrets_learn(const options *o, int asks_model);
/* One more: the value of a header, and its last word. Any thread. SNUG_OK or SNUG_ENOMEM. */
int secrets_add_value(const char *value);
/* Wipes them. */
void secrets_forget(void);

/* Puts "[key]" for each of them in text, and for the beginning of one that text was cut in. Any
 * thread. Answers the length that is left, never more than len; a NUL stands behind it if it is
 * less. */
size_t secrets_hide(char *text, size_t len);
void secrets_hide_str(str *text);
/* The same of JSON that is whole, in its strings and names. It stays JSON. */
size_t secrets_hide_json(char *text, size_t len);
int secrets_are_in_json(const char *text, size_t len);
/* snug_error_message without them, on this thread. */
const char *secrets_error_message(void);

#endif
