/*
 * bash_words.h - what a word of bash could become: variables behind $, commands where one stands,
 * files elsewhere. The session's own bash is asked, beside its cells.
 */
#ifndef SNUG_CLI_BASH_WORDS_H
#define SNUG_CLI_BASH_WORDS_H

#include "cli/editor/menu.h"
#include "cli/prompt/shown_session.h"

/* Adds what could stand at cursor, and sets where it begins. Nothing where bash does not answer in
 * some seconds. */
void bash_words(shown_session *s, menu *out, const char *text, size_t cursor);

#endif
