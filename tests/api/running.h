/* A cell whose result there has to be. */
#ifndef SNUG_TESTS_API_RUNNING_H
#define SNUG_TESTS_API_RUNNING_H

#include <string.h>

#include <snug/snug.h>

/* wall_ms: 0 is the session's limit. */
static inline snug_result *run(snug_session *session, const char *source, uint64_t wall_ms)
{
    snug_result *result = NULL;
    const snug_limits limits = { .size = sizeof(snug_limits), .wall_ms = wall_ms };
    if (snug_session_run(&result, session, source, strlen(source), &limits) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    return result;
}

#endif
