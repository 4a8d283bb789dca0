/*
 * encode_display.h - displays as snug.h has them: of a result, and of a cell that runs.
 */
#ifndef SNUG_SESSION_ENCODE_DISPLAY_H
#define SNUG_SESSION_ENCODE_DISPLAY_H

#include <snug/snug.h>

#include "capture/display.h"

/* The displays as the header tells them. SNUG_OK or SNUG_ENOMEM. */
int result_show(snug_result *result);
/* One that belongs to the caller, who frees its parts, out of d, whose texts it borrows. */
int result_describe(snug_display *out, const display *d);

#endif
