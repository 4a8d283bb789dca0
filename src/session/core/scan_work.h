/*
 * scan_work.h - what a scan works on.
 */
#ifndef SNUG_SESSION_SCAN_WORK_H
#define SNUG_SESSION_SCAN_WORK_H

#include "policy/allowlist.h"
#include "py/queries/scan_source.h"

/* What the scanner works on: its thread may still be at it when the caller has been
 * answered. Then it is freed with the session. */
struct session_scan {
    allowlist *modules;
    uint64_t max_bytes;
    scan_findings found;
};

/* NULL is fine. */
void scan_free_work(struct session_scan *work);

#endif
