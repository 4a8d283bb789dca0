/*
 * kernel_facts.h - what this machine's kernel offers a sandbox.
 */
#ifndef SNUG_CLI_KERNEL_FACTS_H
#define SNUG_CLI_KERNEL_FACTS_H

#include <stddef.h>

#include "base/str.h"

/* The name of the fact at index, NULL past the end; its text is appended. */
const char *kernel_fact(size_t index, str *text);

#endif
