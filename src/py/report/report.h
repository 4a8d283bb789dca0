/*
 * report.h - the text of a traceback while it is written: within its limit, and with
 * the margin of exception groups.
 */
#ifndef SNUG_PY_REPORT_H
#define SNUG_PY_REPORT_H

#include "base/str.h"
#include "capture/stream.h"
#include "py/core/pytext.h"

typedef struct report {
    stream text;
    size_t max_bytes;
    int error;      /* the first failure; writing goes on and is dropped */
    unsigned depth; /* of groups around what is written */
    char margin;
    int is_line_start, is_after_cr;
} report;

void report_init(report *r, size_t max_bytes);
void report_free(report *r);
/* Appends what was written, at most max_bytes of it. SNUG_OK or SNUG_ENOMEM. */
int report_text(const report *r, str *out);

/* Starts a piece: within groups each of its lines begins with the margin, '|' or '+'. */
void report_begin(report *r, char margin);
/* More of the piece. */
void report_put(report *r, span text);
void report_add(report *r, const char *text);
/* A short text: at most 255 bytes. */
__attribute__((format(printf, 2, 3))) void report_printf(report *r, const char *format, ...);
/* A str object; nothing for others. The caller holds the interpreter. */
void report_add_object(report *r, PyObject *text);
/* A line of a group's box: indented, without margin. */
void report_rule(report *r, const char *line);
/* Remembers error unless it is SNUG_OK or not the first. */
void report_fail(report *r, int error);

#endif
