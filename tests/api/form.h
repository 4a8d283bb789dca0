/*
 * form.h - the form of host that SNUG_TEST_FORM names: the same tests run in each.
 */
#ifndef SNUG_TESTS_API_FORM_H
#define SNUG_TESTS_API_FORM_H

#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

static inline int is_worker_form(void)
{
    const char *form = getenv("SNUG_TEST_FORM");
    return form && strcmp(form, "worker") == 0;
}

static inline int open_test_host(snug_host **out)
{
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    options.form = is_worker_form() ? SNUG_FORM_WORKER : SNUG_FORM_LOCAL;
    return snug_host_open(out, &options);
}

#endif
