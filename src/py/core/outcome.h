/*
 * outcome.h - what became of a cell, in plain C. Made by py/, read by session/.
 */
#ifndef SNUG_PY_OUTCOME_H
#define SNUG_PY_OUTCOME_H

#include <stddef.h>

#include <snug/snug.h>

#include "base/str.h"

typedef struct outcome_frame {
    str file, function, code;
    unsigned line;
} outcome_frame;

typedef struct outcome_denial {
    str event;
    str detail;
} outcome_denial;

/* The texts stand in change_texts, each with a NUL behind it: a cell that sets a name is the
 * common one, and an allocation for each text would show in its time. */
typedef struct outcome_change {
    size_t name, name_len, type; /* offsets; the type is empty where the name is deleted */
    const char *op;              /* static: "set", "rebound" or "deleted" */
} outcome_change;

/* At most this many changes of a cell are reported; further ones are counted. */
enum { OUTCOME_CHANGES = 1000 };

/* At most this many denials of a cell are kept; further ones are counted. */
enum { OUTCOME_DENIALS = 50 };

typedef struct outcome {
    snug_status status;
    str value, value_type, value_json; /* value_json empty: not JSON */
    int has_value;
    str error_name, error_value, traceback, hint;
    const char *category;    /* static; NULL without an error */
    const char *error_class; /* static; NULL without an error */
    outcome_frame *frames;
    size_t frame_count;
    outcome_denial *denials;
    size_t denial_count;
    outcome_change *changes; /* of the namespace */
    size_t change_count, change_cap, more_changes;
    uint64_t change_bytes, most_change_bytes; /* as JSON */
    str change_texts;
    struct display *rich; /* a reference: what the value shows besides its text; NULL: nothing */
} outcome;

/* Of a cell that another session has kept from running. */
#define OUTCOME_STALLED_HINT                                                                    \
    "The cell was not to blame, and the session's names are kept: run it again when the other " \
    "session's cell has ended."

void outcome_free(outcome *out);
/* Of a cell whose session is lost with it. */
extern const char *const outcome_lost_hint;
extern const char *const outcome_stopped_hint; /* where somebody has interrupted the cell */

#endif
