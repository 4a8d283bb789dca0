/*
 * talk_slips.h - lines of a conversation that somebody has not meant for the model: options,
 * sections and keys of a configuration, a command of the shell. Pure.
 */
#ifndef SNUG_CLI_TALK_SLIPS_H
#define SNUG_CLI_TALK_SLIPS_H

#include "base/str.h"

/* 1: text looks like one, and out is a sentence that says what to do. A blank before it makes any
 * text a question. */
int slip_find(str *out, const char *text);

#endif
