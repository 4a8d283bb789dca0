/*
 * open.c - opens a host for each argument, "worker", "local" or the option python of a local one,
 * and prints what 6 * 7 is there, or why there is none; then how many files with Python's code the
 * process has mapped.
 */
#include <snug/snug.h>

#include <stdio.h>
#include <string.h>

static int print_answer(snug_host *host)
{
    snug_session *session;
    snug_result *result;
    int error = snug_session_open(&session, host, NULL);
    if (error)
        return error;

    error = snug_session_run(&result, session, "6 * 7", 5, NULL);
    if (!error) {
        printf("answer: %s\n", snug_result_text(result, SNUG_STREAM_VALUE, NULL));
        snug_result_free(result);
    }

    snug_session_close(session);
    return error;
}

static void open_one(const char *which)
{
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    snug_host *host = NULL;

    if (strcmp(which, "worker") == 0)
        options.form = SNUG_FORM_WORKER;
    else if (strcmp(which, "local") != 0)
        options.python = which;

    int error = snug_host_open(&host, &options);
    if (!error)
        error = print_answer(host);
    if (error)
        printf("%s: %s\n", snug_error_name(error), snug_error_message());
    snug_host_close(host);
}

static int count_mapped(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    int count = 0;

    while (maps && fgets(line, sizeof line, maps))
        count += strstr(line, "libpython") || strstr(line, "libsnug-python");
    if (maps)
        fclose(maps);
    return count;
}

int main(int count, char **arguments)
{
    for (int i = 1; i < count; i++)
        open_one(arguments[i]);
    printf("mapped: %d\n", count_mapped());
    return 0;
}
