/*
 * limit_magic.h - lines "%limit NAME=VALUE..." in front of a cell: limits of the cells from that
 * one on. "%limit" alone lists them.
 */
#ifndef SNUG_CLI_LIMIT_MAGIC_H
#define SNUG_CLI_LIMIT_MAGIC_H

#include <stddef.h>
#include <stdint.h>

#include <snug/snug.h>

#include "base/str.h"

/* Takes those lines off the code, in which empty ones stay, and appends what they print to out.
 * given: the session's, where zero means the default. SNUG_OK; SNUG_ENOMEM; SNUG_EINVAL with a
 * sentence, and no limit is another one. */
int limit_magic_take(str *code, str *out, snug_limits *limits, const snug_limits *given);
/* The default of the limit at that offset in snug_limits. */
uint64_t limit_magic_default(size_t offset);

#endif
