/*
 * key_names.h - which key of the configuration a name was probably meant to be.
 */
#ifndef SNUG_CLI_KEY_NAMES_H
#define SNUG_CLI_KEY_NAMES_H

/* The section that other programs' configurations have around all of this; their keys are read as
 * if they were not in it. */
#define KEYS_OUTER   "flows"
#define KEYS_WRAPPER "flows.code_execution"
#define KEYS_NO_FLOW "is not a flow that snug has: code_execution is"
/* For those who would run programs without a sandbox. */
#define KEYS_NO_SANDBOX                                                                            \
    "every program runs in a sandbox; what it needs of this machine is given by --mount, --full, " \
    "--docker or --worker-command"

/* The name without that section; points into name. */
const char *keys_unwrap(const char *name);
/* Whether there are keys in a section of that name. */
int keys_is_section(const char *name);
/* Whether an argument is an override, KEY=VALUE: its key is one, or looks like one that is spelt
 * wrong. A question may have a dot and a sign too: "x.y=3?". */
int keys_is_override(const char *argument);
/* Says that there is no key of that name, and which is near; said is what the sentence calls
 * it. EXIT_USAGE. */
int keys_fail_unknown(const char *said, const char *name);

#endif
