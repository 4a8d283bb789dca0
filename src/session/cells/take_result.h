/*
 * take_result.h - what a cell has left becomes its result, on the caller's thread.
 */
#ifndef SNUG_SESSION_TAKE_RESULT_H
#define SNUG_SESSION_TAKE_RESULT_H

#include <snug/snug.h>

#include "capture/capture.h"

/* Of a cell that has ended. SNUG_OK, or SNUG_ENOMEM with a message, as the next. */
int result_take_end(snug_result *result, snug_session *session);
/* The cell's interpreter is gone: by a jump, a fault or an exit, or because its thread did not come
 * back, and then nothing that it may still write is touched. */
int result_take_loss(snug_result *result, snug_session *session);
/* Its thread waits for the GIL, and its caller does not: what it has printed stays with it. */
int result_take_stall(snug_result *result, snug_session *session);
/* What a cell has printed and displayed. SNUG_OK or SNUG_ENOMEM. */
int result_take_output(snug_result *result, capture *output);

#endif
