/* A host whose sessions are in workers, for all tests of a file. */
#ifndef SNUG_TESTS_API_WORKER_HOST_H
#define SNUG_TESTS_API_WORKER_HOST_H

#include <stdio.h>

#include <snug/snug.h>

static snug_host *host;

static inline int open_worker_host(void **state)
{
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    options.form = SNUG_FORM_WORKER;
    if (snug_host_open(&host, &options) == SNUG_OK)
        return 0;
    fprintf(stderr, "%s\n", snug_error_message());
    return -1;
}

static inline int close_worker_host(void **state)
{
    return snug_host_close(host);
}

#endif
