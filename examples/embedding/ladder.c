/* A program that carries the full stop ladder: Python is within it, and a regular expression that
 * backtracks without end, which libsnug beside a shared libpython cannot stop, ends at its limit.
 * Its project is CMakeLists.txt beside it. */
#include <snug/snug.h>
#include <stdio.h>
#include <string.h>

static void print_ladder(const snug_host *host)
{
    const char *line = strstr(snug_host_report(host), "ladder: ");

    if (line)
        printf("%.*s\n", (int)strcspn(line, "\n"), line);
}

/* Runs a cell and tells how it ended, on one line. */
static int tell(snug_session *session, const char *source, const snug_limits *limits)
{
    snug_result *result;
    int error = snug_session_run(&result, session, source, strlen(source), limits);

    if (error)
        return error;
    printf("%s, the state is %s: %s\n", snug_status_name(snug_result_status(result)),
           snug_state_name(snug_result_state(result)),
           snug_result_text(result, SNUG_STREAM_VALUE, NULL));
    snug_result_free(result);
    return SNUG_OK;
}

int main(void)
{
    snug_limits limits = SNUG_LIMITS_INIT;
    snug_host *host = NULL;
    snug_session *session = NULL;

    limits.wall_ms = 500;
    int error = snug_host_open(&host, NULL);
    if (!error) {
        print_ladder(host);
        error = snug_session_open(&session, host, NULL);
    }
    if (!error)
        error = tell(session, "kept = 6 * 7", NULL);
    if (!error)
        error = tell(session, "import re; re.match('(a+)+$', 'a' * 60 + 'b')", &limits);
    if (!error)
        error = tell(session, "kept", NULL);
    if (error)
        fprintf(stderr, "%s\n", snug_error_message());

    snug_session_close(session);
    snug_host_close(host);
    return error != SNUG_OK;
}
