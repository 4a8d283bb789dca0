/* The host of all tests of a file, in the form that form.h says: open_host and close_host are what
 * run_all_tests does before the first and after the last. */
#ifndef SNUG_TESTS_API_TEST_HOST_H
#define SNUG_TESTS_API_TEST_HOST_H

#include "form.h"

static snug_host *host;

static inline int open_host(void **state)
{
    return open_test_host(&host);
}

static inline int close_host(void **state)
{
    return snug_host_close(host);
}

#endif
