/*
 * complete.h - which names could stand at a place of a source. Decides nothing.
 *
 * The caller holds the session's interpreter.
 */
#ifndef SNUG_PY_COMPLETE_H
#define SNUG_PY_COMPLETE_H

#include <stddef.h>
#include <stdint.h>

#include "py/core/names.h"
#include "py/core/state.h"

typedef struct source_cursor {
    const char *text;
    size_t len, cursor;
} source_cursor;

/* Sorted names that could stand at byte cursor, as many as have list_bytes as JSON: "key=" of the
 * call that is open, and from the namespace, the builtins, keywords, attributes of a dotted path of
 * names, and modules after `import` and `from` (modules: sorted, NULL-terminated, those a cell may
 * import); magics; within a literal, keys of an index or files. Names that begin with "_" only when
 * asked for. SNUG_OK, SNUG_ENOMEM or SNUG_EINVAL. An exception out of the guest's __dir__ gives no
 * names. */
int complete_source(name_list *out, interp *in, const char *const *modules, const source_cursor *at,
                    uint64_t list_bytes);

#endif
