/*
 * shellwords.h - which words of a script of bash may be commands.
 *
 * Those at the beginning of a line, or behind ";", "|", "(" and their like, and all words behind a
 * command that runs others: "sudo", "xargs", "bash -c". Quotes and here-documents protect nothing,
 * so that a word in a text counts too where a command would stand there. What a variable holds is
 * not known. Pure.
 */
#ifndef SNUG_POLICY_SHELLWORDS_H
#define SNUG_POLICY_SHELLWORDS_H

#include <stddef.h>

/* One word without its quotes, which begins at text[at] of the script; what it answers other than 0
 * ends the reading. */
typedef int (*shellwords_fn)(void *payload, const char *word, size_t len, size_t at);

/* Calls found for each in their order. 0, what found answered, or SNUG_ENOMEM. */
int shellwords_commands(const char *text, size_t len, shellwords_fn found, void *payload);

#endif
