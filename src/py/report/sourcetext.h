/*
 * sourcetext.h - lines of source by number, for one report.
 *
 * Remembers where it is in the text, so that frames of one file do not each count its
 * lines from the first. Bounded: past 16 MiB of reading there are no more lines.
 *
 * The caller holds the interpreter.
 */
#ifndef SNUG_PY_SOURCETEXT_H
#define SNUG_PY_SOURCETEXT_H

#include <stdint.h>

#include "py/core/pytext.h"
#include "py/report/traceback.h"

typedef struct sourcetext {
    const source_lines *lines; /* NULL: no file has a text */
    PyObject *filename;        /* whose text this is; owned */
    span text;
    size_t at; /* where the line begins */
    int line;
    uint64_t read_bytes;
} sourcetext;

void sourcetext_init(sourcetext *s, const source_lines *lines);
void sourcetext_free(sourcetext *s);
/* Line number line of the file, from 1, without its end: "\n", "\r\n" or "\r". at is
 * NULL if there is none, or none that is UTF-8. Valid until another file is asked for. */
span sourcetext_line(sourcetext *s, PyObject *filename, int line);

#endif
