/* plugin.c - a plugin that keeps a host and a session of its own from its first call on. PLUGIN is
 * its name. */
#include <snug/snug.h>
#include <stdio.h>
#include <string.h>

int plugin_run(const char *form, const char *source);

static snug_host *host;
static snug_session *session;

static int open_session(const char *form)
{
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    if (!strcmp(form, "worker"))
        options.form = SNUG_FORM_WORKER;
    int error = snug_host_open(&host, &options);
    return error ? error : snug_session_open(&session, host, NULL);
}

/* Prints what became of the cell. */
int plugin_run(const char *form, const char *source)
{
    snug_result *result;
    int error = session ? SNUG_OK : open_session(form);

    if (!error)
        error = snug_session_run(&result, session, source, strlen(source), NULL);
    if (error) {
        printf("%s: %s\n", PLUGIN, snug_error_name(error));
        return error;
    }
    printf("%s: %s %s%s\n", PLUGIN, snug_status_name(snug_result_status(result)),
           snug_result_text(result, SNUG_STREAM_VALUE, NULL), snug_result_error_value(result));
    snug_result_free(result);
    return 0;
}
