#include "session/core/scan_work.h"

#include <stdlib.h>

void scan_free_work(struct session_scan *work)
{
    if (!work)
        return;
    allowlist_close(work->modules);
    scan_findings_free(&work->found);
    free(work);
}
