/*
 * search.h - texts and questions as FTS5 has them: any text is a query, and scripts that have no
 * spaces between words are found too.
 *
 * Characters of Chinese, Japanese and Korean are words of their own; in a query two that follow
 * each other are one phrase.
 */
#ifndef SNUG_AGENT_SEARCH_H
#define SNUG_AGENT_SEARCH_H

#include <stddef.h>

#include "base/str.h"

/* Appends text as it is put into the index. SNUG_OK or SNUG_ENOMEM. */
int search_words(str *out, const char *text, size_t len);
/* Appends a query that finds what has any of the words, the last one also as the beginning of a
 * word; nothing where text has no word. Words that stand in all texts ("the", "how") count only
 * where there are no others. SNUG_OK or SNUG_ENOMEM. */
int search_query(str *out, const char *text, size_t len);
/* Where a passage of text from byte `from` ends: at the end of a paragraph, else of a line, of a
 * word, of a character, of at most `most` bytes. text is UTF-8. */
size_t search_passage(const char *text, size_t len, size_t from, size_t most);

#endif
