/* A host program that is compiled with a sanitizer, in front of a library that is not: the life of
 * a host, in this process. Ends with 1 and a line where something is not as it should be. Run by
 * sanitizers.py. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

static snug_host *host;

static void fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, snug_error_message());
    exit(1);
}

static void run(snug_session *session, const char *source, uint64_t wall_ms, snug_status wanted)
{
    snug_result *result = NULL;
    snug_limits limits = SNUG_LIMITS_INIT;
    limits.wall_ms = wall_ms;
    if (snug_session_run(&result, session, source, strlen(source), &limits) != SNUG_OK)
        fail(source);
    if (snug_result_status(result) != wanted) {
        fprintf(stderr, "%s: ended with %s: %s\n", source,
                snug_status_name(snug_result_status(result)), snug_result_error_value(result));
        exit(1);
    }
    snug_result_free(result);
}

static void live(snug_session *session)
{
    run(session, "import json; x = json.dumps(list(range(1000)))", 0, SNUG_STATUS_OK);
    run(session, "1 / 0", 0, SNUG_STATUS_ERROR);
    run(session, "while True: pass", 200, SNUG_STATUS_TIMEOUT);
    run(session, "import time; time.sleep(1000)", 200, SNUG_STATUS_TIMEOUT);
    run(session, "def f(n): return f(n + 1)\nf(0)", 0, SNUG_STATUS_ERROR);
    run(session, "[0] * 10 ** 9", 0, SNUG_STATUS_MEMORY);
    run(session, "assert len(x) > 3000", 0, SNUG_STATUS_OK);
}

static snug_session *open_session(int is_here, uint64_t threads)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    options.on_caller_thread = is_here;
    options.limits = &limits;
    limits.threads = threads;
    if (snug_session_open(&session, host, &options) != SNUG_OK)
        fail("a session");
    return session;
}

int main(int argc, char **argv)
{
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    int has_signals = argc > 1 && strcmp(argv[1], "signals") == 0;
    options.flags = has_signals ? SNUG_HOST_SIGNALS : 0;
    options.pool_sessions = 1;
    if (snug_host_open(&host, &options) != SNUG_OK)
        fail("the host");

    for (int is_here = 0; is_here < 2; is_here++) {
        snug_session *session = open_session(is_here, 0);
        live(session);
        if (snug_session_reset(session) != SNUG_OK)
            fail("a reset");
        run(session, "6 * 7", 0, SNUG_STATUS_OK);
        snug_session_close(session);
    }

    snug_session *threaded = open_session(0, 2);
    run(threaded,
        "import threading\n"
        "t = threading.Thread(target=sum, args=(range(1000),)); t.start(); t.join()",
        0, SNUG_STATUS_OK);
    snug_session_close(threaded);

    if (has_signals) {
        snug_session *torn = open_session(0, 0);
        run(torn, CRASH, 0, SNUG_STATUS_CRASHED);
        snug_session_close(torn);
    }

    if (snug_host_close(host) != SNUG_OK)
        fail("the host's end");
    puts("fine");
    return 0;
}
