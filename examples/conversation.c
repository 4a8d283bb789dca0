/*
 * conversation.c - several cells in one session. A cell that fails and one that runs out of time
 * leave the session as it was: the cells after them go on with its names.
 */
#include <snug/snug.h>
#include <stdio.h>
#include <string.h>

static const char *const cells[] = {
    "import statistics\n"
    "heights = [1.62, 1.75, 1.68, 1.81]\n"
    "print(len(heights), 'heights')",

    "statistics.mean(heights)",

    /* An honest mistake: the result says what it was, and a hint may say what to do. */
    "statistics.mean(height)",

    "round(statistics.mean(heights), 2)",

    "while True: pass",

    "'still ' + str(len(heights)) + ' heights'",
};

/* A text of the result behind its label, if there is one. */
static void show(const char *label, const char *text)
{
    size_t len = strlen(text);

    if (len > 0)
        printf("%-7s %s%s", label, text, text[len - 1] == '\n' ? "" : "\n");
}

static int run(snug_session *session, const char *source)
{
    snug_result *result;
    int error = snug_session_run(&result, session, source, strlen(source), NULL);

    if (error)
        return error;
    printf("\nIn [%lu]\n%s\n", (unsigned long)snug_result_execution_count(result), source);
    printf("%-7s %s, the state is %s\n", "status", snug_status_name(snug_result_status(result)),
           snug_state_name(snug_result_state(result)));
    show("output", snug_result_text(result, SNUG_STREAM_STDOUT, NULL));
    show("value", snug_result_text(result, SNUG_STREAM_VALUE, NULL));
    if (snug_result_error_name(result)[0] != '\0') {
        printf("%-7s %s: %s\n", "error", snug_result_error_name(result),
               snug_result_error_value(result));
        show("hint", snug_result_error_hint(result));
    }
    snug_result_free(result);
    return SNUG_OK;
}

int main(void)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    snug_host *host = NULL;
    snug_session *session = NULL;
    size_t i;
    int error;

    options.limits = &limits;
    limits.wall_ms = 500;
    if ((error = snug_host_open(&host, NULL)) ||
        (error = snug_session_open(&session, host, &options)))
        goto end;
    for (i = 0; i < sizeof(cells) / sizeof(cells[0]); i++)
        if ((error = run(session, cells[i])))
            goto end;
end:
    if (error)
        fprintf(stderr, "%s: %s\n", snug_error_name(error), snug_error_message());
    snug_session_close(session);
    snug_host_close(host);
    return error != SNUG_OK;
}
