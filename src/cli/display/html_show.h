/*
 * html_show.h - HTML on the terminal that stdout is.
 */
#ifndef SNUG_CLI_HTML_SHOW_H
#define SNUG_CLI_HTML_SHOW_H

#include <snug/snug.h>

/* 1: what has a table is shown, without the last end of a line, and where there is no text of it
 * other HTML too. 0: nothing is; html may be NULL, and stdout something else. */
int html_show(const snug_mime *html, int has_text);

#endif
