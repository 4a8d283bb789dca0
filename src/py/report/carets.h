/*
 * carets.h - where the carets under a piece of source turn from ~ to ^.
 *
 * traceback.py parses the piece and looks at the outermost node: a binary operator, a
 * subscript, from 3.13 a call. Here the tokens outside of brackets are enough, because
 * the piece was part of a program that compiled: no tree is built, nothing of the
 * session is touched and no audit event raised. What was not an expression gets no anchors.
 */
#ifndef SNUG_PY_CARETS_H
#define SNUG_PY_CARETS_H

#include "py/core/pytext.h"

typedef enum segment_kind {
    SEGMENT_OTHER,
    SEGMENT_OPERATION,
    SEGMENT_SUBSCRIPT,
    SEGMENT_CALL,
    SEGMENT_CALL_OF_NAME /* name(...), as opposed to a.b(...) */
} segment_kind;

/* Bytes from the segment's beginning: ^ from left up to right. */
typedef struct anchors {
    size_t left, right;
} anchors;

/* The anchors of this Python version; calls have some from 3.13 on. Segments over
 * 64 KiB are SEGMENT_OTHER. */
segment_kind anchors_find(anchors *out, span segment);

/* Whether the statement that begins a line is `name = <piece>` or `return <piece>`,
 * where before and after are the rest of its lines. 'r' return, '=' assignment, or 0. */
int anchors_statement(span before, span after);

#endif
