/*
 * scan_source.h - judges source without running it.
 *
 * The tree is CPython's own; frozen/scan.py walks it and follows aliases and
 * from-imports, the decisions come from policy/ through C. Nothing of a session
 * takes part, and nothing of the source runs.
 *
 * The caller holds an interpreter that runs no cells.
 */
#ifndef SNUG_PY_SCAN_SOURCE_H
#define SNUG_PY_SCAN_SOURCE_H

#include <stdint.h>

#include "base/str.h"
#include "policy/allowlist.h"

typedef struct scan_finding {
    const char *rule; /* static: "syntax", "import", "call", "length" */
    unsigned line, column;
    str subject, message;
} scan_finding;

typedef struct scan_findings {
    scan_finding *items;
    size_t count;
} scan_findings;

/* SNUG_OK, SNUG_ENOMEM or SNUG_EPYTHON. Findings in the order of the source. */
int scan_source(scan_findings *out, const allowlist *modules, const char *source, size_t len,
                uint64_t max_bytes);
/* Adds one. rule is static. SNUG_OK or SNUG_ENOMEM. */
int scan_add(scan_findings *list, const char *rule, unsigned line, unsigned column,
             const char *subject, const char *message);
void scan_findings_free(scan_findings *findings);

#endif
