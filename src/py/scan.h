/*
 * scan.h - judges source without running it, in the main interpreter.
 *
 * The tree is CPython's own; frozen/scan.py walks it and follows aliases and
 * from-imports, the decisions come from policy/ through C. Nothing of a session
 * takes part, and nothing of the source runs.
 *
 * The caller is the host's service thread and holds the main interpreter.
 */
#ifndef SNUG_PY_SCAN_H
#define SNUG_PY_SCAN_H

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
void scan_findings_free(scan_findings *findings);

#endif
