/*
 * talk_words.h - the words of a conversation's prompt: /help, /model and the others.
 */
#ifndef SNUG_CLI_TALK_WORDS_H
#define SNUG_CLI_TALK_WORDS_H

#include "cli/ask/talk.h"

typedef enum talk_answer { WORD_IS_QUESTION, WORD_IS_DONE, WORD_IS_LEAVING } talk_answer;

/* Does what the line says, where it is one of them, or looks like one. */
talk_answer talk_take_word(talk *t);
/* "/help", "/model ", with a blank where something follows; NULL past the last. */
const char *talk_word(size_t index);

#endif
