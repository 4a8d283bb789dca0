/*
 * html_text.h - HTML as a terminal shows it: its text, and its tables in columns. Pure.
 *
 * It reads what notebooks display, and no more of HTML than that: tags, a few entities, tables
 * without rowspan. Whatever the bytes are, the text has a bound.
 */
#ifndef SNUG_CLI_HTML_TEXT_H
#define SNUG_CLI_HTML_TEXT_H

#include <stddef.h>

#include "base/str.h"

enum { HTML_MOST_ROWS = 200, HTML_CELL_COLUMNS = 60 };

/* Appends lines of at most width columns where they are of a table, each with its end. SNUG_OK or
 * SNUG_ENOMEM. */
int html_text(str *out, const char *html, size_t len, size_t width);
int html_has_table(const char *html, size_t len);

#endif
