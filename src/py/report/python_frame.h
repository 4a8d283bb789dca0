/*
 * python_frame.h - one entry of a traceback: where it stands, and the lines that show it.
 *
 * The caller holds the interpreter. No code of the guest's runs and no exception is
 * left set.
 */
#ifndef SNUG_PY_PYTHON_FRAME_H
#define SNUG_PY_PYTHON_FRAME_H

#include "py/core/python.h"
#include "py/report/sourcetext.h"

/* -1: not known. Lines from 1, columns in bytes from 0, end_column behind the last. */
typedef struct frame_position {
    int line, end_line, column, end_column;
} frame_position;

/* Longer file and function names are cut. */
enum { FRAME_NAME_BYTES = 4096 };

/* CPython finds a position by reading the code's table from its start: so much of code
 * may be read for one report. */
enum { FRAME_SEARCH_BYTES = 32 << 20 };

/* *search_bytes: what is left of that. Past it only the line is known. */
void frame_position_of(frame_position *out, PyTracebackObject *entry, PyCodeObject *code,
                       size_t *search_bytes);
/* Appends "  File ..., line ..., in ...", the source and its carets, as
 * StackSummary.format_frame_summary. SNUG_OK or SNUG_ENOMEM. */
int frame_format(str *out, sourcetext *source, PyCodeObject *code, const frame_position *at);

#endif
