/*
 * kernel_facts.h - what this machine's kernel offers a sandbox.
 */
#ifndef SNUG_CLI_KERNEL_FACTS_H
#define SNUG_CLI_KERNEL_FACTS_H

#include <stddef.h>

#include "base/str.h"

/* The name of the fact at index; NULL past the end. */
const char *kernel_fact_name(size_t index);
/* Appends what is so here, in a few words. index is that of a fact. */
void kernel_fact_tell(str *text, size_t index);

#endif
