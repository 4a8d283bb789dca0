/* plugin.c - sessions in a library that is loaded with its symbols to itself. */
#include <snug/snug.h>

#include <stdio.h>
#include <string.h>

static const char cell[] =
    "import asyncio, bz2, contextvars, decimal, fractions, lzma, sqlite3, statistics\n"
    "import json.encoder, json.scanner\n"
    "json.encoder.c_make_encoder is not None and json.scanner.c_make_scanner is not None";

int plugin_run(void);
SNUG_EXTERN int plugin_run(void)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_host *host;
    snug_session *session;
    snug_result *result;

    options.profile = "data";
    if (snug_host_open(&host, NULL) || snug_session_open(&session, host, &options) ||
        snug_session_run(&result, session, cell, strlen(cell), NULL))
        return fprintf(stderr, "%s\n", snug_error_message()), 1;

    printf("%s%s\n", snug_result_text(result, SNUG_STREAM_VALUE, NULL),
           snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL));
    snug_result_free(result);
    snug_session_close(session);
    return snug_host_close(host);
}
