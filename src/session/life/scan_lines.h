/*
 * scan_lines.h - what of a scan needs no interpreter: the caller's patterns in the lines of the
 * source and in scripts of bash, and the excerpts of findings.
 */
#ifndef SNUG_SESSION_SCAN_LINES_H
#define SNUG_SESSION_SCAN_LINES_H

#include "py/queries/scan_source.h"

enum { SCAN_MOST_FINDINGS = 1000 };

typedef struct scan_text {
    const char *source;
    size_t len;
    const forbid_list *forbidden;
} scan_text;

/* The findings of a script of bash: its length and its commands. max_bytes 0: the default. SNUG_OK
 * or SNUG_ENOMEM. */
int scan_bash(scan_findings *out, const scan_text *text, uint64_t max_bytes);
/* Adds those of regular expressions, puts all into the order of the source, and gives each its
 * excerpt. SNUG_OK or SNUG_ENOMEM. */
int scan_lines(scan_findings *found, const scan_text *text);

#endif
