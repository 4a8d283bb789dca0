/*
 * encode.h - snug.result/1, the one shape of a result: docs/program.md has one.
 */
#ifndef SNUG_SESSION_ENCODE_H
#define SNUG_SESSION_ENCODE_H

#include <snug/snug.h>

/* The one encoder of snug.result/1: the JSON object, malloc'ed, or NULL. */
char *result_encode(snug_result *result);

#endif
