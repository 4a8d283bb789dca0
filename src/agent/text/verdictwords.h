/*
 * verdictwords.h - a verdict that was given in words: "NO: that is the sum", "Verdict: fail".
 */
#ifndef SNUG_AGENT_VERDICTWORDS_H
#define SNUG_AGENT_VERDICTWORDS_H

#include <stddef.h>

#include <snug/agent.h>

#include "base/str.h"

/* 1 where text, of valid UTF-8, has a verdict; *value is it then, and *reason where what was said
 * for it begins, which goes to the end of the text. It stands at the beginning of the first line
 * or of the last one, or anywhere behind "Verdict:", and is a word by itself or one that a colon,
 * a dash or the end of a sentence sets apart from its reason.
 *
 * 0, and nothing is guessed, where there is none ("Nothing is wrong", "Not bad, pass"), where
 * there are two that differ, and where what is behind it takes it back ("Yes, but ..."). */
int verdictwords_read(snug_agent_verdict *value, size_t *reason, const char *text, size_t len);

#endif
