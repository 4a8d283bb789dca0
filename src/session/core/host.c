#include "session/core/host.h"

#include "base/error.h"
#include "base/forked.h"

int host_check(const snug_host *host, const char *what)
{
    if (!host)
        return error_set(SNUG_EINVAL, "%s: host is NULL", what);
    if (!forked_is_process(host->process))
        return forked_refuse(what);
    return SNUG_OK;
}

int host_fail(const snug_host *host, int error)
{
    if (!host || !forked_is_process(host->process))
        return error;
    return last_error_keep(&((snug_host *)(uintptr_t)host)->last_error, error);
}
