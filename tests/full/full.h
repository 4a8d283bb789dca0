/* What the tests of full sessions share: one host, and cells with what they leave. */
#ifndef SNUG_TEST_FULL_H
#define SNUG_TEST_FULL_H

#include "../unit/test.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <snug/snug.h>

#include "session/core/full.h"

/* ctest's word for a test that cannot be made here. */
enum { SKIPPED = 77 };

static snug_host *host;

static inline void open_host(void)
{
    if (snug_host_open(&host, NULL))
        fail_msg("%s", snug_error_message());
}

static const char *const numerics[] = { "numpy", "pandas", "matplotlib", NULL };

static inline snug_session_options full_options(const char *const *allow)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.kind = SNUG_KIND_FULL;
    options.profile = "data";
    options.allow = allow;
    return options;
}

/* That a test has left open where it failed. */
static snug_session *opened;

static inline void close_session(snug_session *session)
{
    opened = NULL;
    snug_session_close(session);
}

static inline snug_session *open_session(const snug_session_options *options)
{
    snug_session *session;
    close_session(opened);
    if (snug_session_open(&session, host, options))
        fail_msg("%s", snug_error_message());
    return opened = session;
}

static inline snug_session *open_numeric(void)
{
    snug_session_options options = full_options(numerics);
    return open_session(&options);
}

static inline snug_result *run_within(snug_session *session, const char *source, uint64_t wall_ms)
{
    snug_result *result;
    snug_limits limits = { .size = sizeof(snug_limits), .wall_ms = wall_ms };
    if (snug_session_run(&result, session, source, strlen(source), &limits))
        fail_msg("%s", snug_error_message());
    return result;
}

/* For imports, which take minutes on a busy machine. */
enum { IMPORTS_MS = 600000 };

/* A cell that ends well, with this value. */
static inline void expect(snug_session *session, const char *source, const char *value)
{
    snug_result *result = run_within(session, source, IMPORTS_MS);
    if (snug_result_status(result) != SNUG_STATUS_OK)
        fail_msg("%s\n%s", source, snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL));
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), value);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_STDERR, NULL), "");
    snug_result_free(result);
}

/* A cell that ends so, and leaves the session whole; the caller frees the result. */
static inline snug_result *expect_status(snug_session *session, const char *source,
                                         snug_status status)
{
    snug_result *result = run_within(session, source, status == SNUG_STATUS_OK ? IMPORTS_MS : 0);
    if (snug_result_status(result) != status)
        fail_msg("%s\nended as %s\n%s", source, snug_status_name(snug_result_status(result)),
                 snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL));
    assert_int_equal(snug_result_state(result), SNUG_STATE_KEPT);
    return result;
}

static inline void expect_words(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("\"%s\" is not in\n%s", words, text);
}

/* Whether Debian's packages are there. */
static inline int has_packages(void)
{
    for (size_t i = 0; numerics[i]; i++) {
        char path[128];
        snprintf(path, sizeof path, "/usr/lib/python3/dist-packages/%s", numerics[i]);
        if (access(path, R_OK) != 0)
            return printf("%s is not installed: skipped\n", numerics[i]), 0;
    }

    /* Debian builds packages for the Pythons that it supports, which may be fewer than it has. */
    glob_t found;
    int error = glob("/usr/lib/python3/dist-packages/pandas/_libs/lib.cpython-" PYTHON_TAG "-*.so",
                     0, NULL, &found);
    globfree(&found);
    if (error)
        return printf("pandas is not built for this Python (" PYTHON_TAG "): skipped\n"), 0;
    return 1;
}

#endif
