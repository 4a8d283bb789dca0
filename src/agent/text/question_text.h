/*
 * question_text.h - whether the text of a question can be sent at all.
 */
#ifndef SNUG_AGENT_QUESTION_TEXT_H
#define SNUG_AGENT_QUESTION_TEXT_H

#include <stdint.h>

/* SNUG_OK; or SNUG_EINVAL with one sentence: nothing but white space, more than max_bytes, not
 * UTF-8, a control character (tab and line ends are fine), with its byte, from 1. */
int question_check(const char *text, uint64_t max_bytes);

#endif
