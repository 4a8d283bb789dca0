/*
 * member.h - members of the objects that events and replies are, as text and numbers.
 */
#ifndef SNUG_CLI_MEMBER_H
#define SNUG_CLI_MEMBER_H

#include "base/jsontext.h"
#include "base/str.h"

/* For the caller to free: a text as it is, anything else as JSON; "" where there is none, or null.
 */
str member_text(jsontext_span object, const char *name);
/* 0 where there is none. */
double member_number(jsontext_span object, const char *name);
/* Writes it to stderr, with those words in front. 1: there is one that is not empty. */
int member_put(const char *before, jsontext_span object, const char *name);

#endif
