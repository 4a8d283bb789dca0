/* hello.c - the ten lines of README.md: one cell, and its value. */
#include <snug/snug.h>
#include <stdio.h>

int main(void)
{
    snug_host *host;
    snug_session *session;
    snug_result *result;
    if (snug_host_open(&host, NULL) || snug_session_open(&session, host, NULL) ||
        snug_session_run(&result, session, "6 * 7", 5, NULL))
        return fprintf(stderr, "%s\n", snug_error_message()), 1;
    puts(snug_result_text(result, SNUG_STREAM_VALUE, NULL));
    snug_result_free(result);
    snug_session_close(session);
    return snug_host_close(host);
}
