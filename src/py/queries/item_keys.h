/*
 * item_keys.h - the keys that an index could be: strings of a dict, and names of columns of a
 * DataFrame of pandas. What the index is of is looked up without code of the guest's; where that
 * does not do, nothing is found.
 *
 * The caller holds the session's interpreter.
 */
#ifndef SNUG_PY_ITEM_KEYS_H
#define SNUG_PY_ITEM_KEYS_H

#include <stddef.h>

#include "py/core/python.h"
#include "py/queries/collector.h"

/* Whether an index begins at byte at: a bracket is before it, and before that what may have keys.
 */
int is_index(const char *source, size_t at);
/* Offers the keys of that. Leaves no exception. */
void offer_item_keys(collector *to, PyObject *namespace, const char *source, size_t at,
                     literal_style style);

#endif
