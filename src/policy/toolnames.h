/*
 * toolnames.h - names that no tool may have: who calls them means something else. Pure.
 */
#ifndef SNUG_POLICY_TOOLNAMES_H
#define SNUG_POLICY_TOOLNAMES_H

#include "policy/allowlist.h"

/* What keeps the name from being a tool's, "the name is a built-in one of Python"; NULL:
 * nothing. modules: those that cells may import. */
const char *toolnames_fault(const char *name, const allowlist *modules);

#endif
