/*
 * tools_json.h - snug tools --json: what cells can call, for programs.
 */
#ifndef SNUG_CLI_TOOLS_JSON_H
#define SNUG_CLI_TOOLS_JSON_H

#include <stddef.h>

#include "base/str.h"
#include "cli/tools/user_tools.h"

/* Appends "snug.tools/1" with those of these numbers of the list of t, on one line. SNUG_OK or an
 * error of snug.h. */
int tools_json_write(str *out, tools *t, const size_t *chosen, size_t count);

#endif
