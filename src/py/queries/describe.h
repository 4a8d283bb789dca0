/*
 * describe.h - what a prompt wants to know of a session: is this source whole,
 * which names could stand here. Decides nothing.
 *
 * The caller holds the session's interpreter.
 */
#ifndef SNUG_PY_DESCRIBE_H
#define SNUG_PY_DESCRIBE_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "py/core/names.h"
#include "py/core/python.h"

/* A snug_completeness, or a snug_error. As codeop and
 * IPython judge: a block wants an empty line to end it. flags: compiler flags in
 * force in the session. */
int describe_is_complete(const char *source, size_t len, int flags);

typedef struct complete_source {
    const char *text;
    size_t len, cursor;
} complete_source;

/* Sorted names that could stand at byte cursor, as many as have list_bytes as JSON: "key=" of the
 * call that is open, and from the namespace (a dict), the builtins, keywords, attributes of a
 * dotted path of names, and modules after `import` and `from` (modules: sorted, NULL-terminated,
 * those a cell may import). Names that begin with "_" only when asked for. SNUG_OK, SNUG_ENOMEM or
 * SNUG_EINVAL. An exception out of the guest's __dir__ gives no names. */
int describe_complete(name_list *out, PyObject *namespace, const char *const *modules,
                      const complete_source *at, uint64_t list_bytes);
#endif
