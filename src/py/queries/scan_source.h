/*
 * scan_source.h - judges source without running it.
 *
 * The tree is CPython's own, of what a session makes of a cell with magics; frozen/scan.py walks it
 * and follows aliases and from-imports, the decisions come from policy/ through C. Nothing of a
 * session takes part, and nothing of the source runs.
 *
 * The caller holds an interpreter that runs no cells.
 */
#ifndef SNUG_PY_SCAN_SOURCE_H
#define SNUG_PY_SCAN_SOURCE_H

#include <stdint.h>

#include "base/str.h"
#include "policy/allowlist.h"
#include "policy/forbid.h"
#include "py/core/interp.h"

typedef struct scan_finding {
    const char *rule; /* static: "syntax", "import", "call", "length", "forbid", "tool" */
    unsigned line, column;
    str subject, message;
    str hint, excerpt; /* each may be empty */
} scan_finding;

typedef struct scan_findings {
    scan_finding *items;
    size_t count;
} scan_findings;

/* What a source is judged by. */
typedef struct scan_rules {
    const allowlist *modules;
    const forbid_list *forbidden;
    const str *tools; /* functions of the host, each ended by NUL */
    uint64_t max_bytes;
} scan_rules;

/* SNUG_OK, SNUG_ENOMEM, SNUG_EPYTHON, or SNUG_EINVAL for a tool that is none. Findings in the order
 * of the source, without excerpts. */
int scan_source(scan_findings *out, interp *in, const scan_rules *rules, const char *source,
                size_t len);
/* Adds one, without hint and excerpt. rule is static. SNUG_OK or SNUG_ENOMEM. */
int scan_add(scan_findings *list, const char *rule, unsigned line, unsigned column,
             const char *subject, const char *message);
void scan_findings_free(scan_findings *findings);

#endif
