/*
 * snug_pg.c - cells in PostgreSQL: a session for each backend.
 *
 * snug_eval(text) answers with the value's text, or is an error; snug_cell(text) answers with the
 * whole result as JSON. snug.form is local, signals or worker, until the session is open.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "utils/builtins.h"
#include "utils/guc.h"

#include <snug/snug.h>

PG_MODULE_MAGIC;

#define MEMORY_BYTES (64u << 20)

void _PG_init(void);

static snug_host *host;
static snug_session *session;
static char *form;
static int wall_ms;

static void close_all(int code, Datum unused)
{
    (void)code, (void)unused;
    snug_session_close(session);
    session = NULL;
    snug_host_close(host);
    host = NULL;
}

static void fail(int error)
{
    ereport(ERROR,
            (errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION), errmsg("snug: %s", snug_error_message()),
             errdetail("%s", snug_error_name(error))));
}

static void open_host(void)
{
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    int error;

    if (!strcmp(form, "worker"))
        options.form = SNUG_FORM_WORKER;
    if (!strcmp(form, "signals"))
        options.flags = SNUG_HOST_SIGNALS;
    if ((error = snug_host_open(&host, &options)))
        fail(error);
    before_shmem_exit(close_all, 0);
}

static void open_session(void)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    int error;

    limits.memory_bytes = MEMORY_BYTES;
    limits.wall_ms = (uint64)wall_ms;
    options.limits = &limits;
    if ((error = snug_session_open(&session, host, &options)))
        fail(error);
}

/* A session that an earlier cell has cost begins anew. */
static snug_result *run_cell(const char *source)
{
    snug_result *result = NULL;
    int error;

    if (!host)
        open_host();
    if (!session)
        open_session();
    error = snug_session_run(&result, session, source, strlen(source), NULL);
    if (error == SNUG_EDEAD && !(error = snug_session_reset(session))) {
        ereport(NOTICE, (errmsg("snug: the session was lost and begins anew")));
        error = snug_session_run(&result, session, source, strlen(source), NULL);
    }
    if (error)
        fail(error);
    return result;
}

/* ereport jumps: what it says is copied first, and the result freed. */
static void fail_as_cell(snug_result *result)
{
    char *name = pstrdup(snug_result_error_name(result));
    char *value = pstrdup(snug_result_error_value(result));
    char *traceback = pstrdup(snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL));

    snug_result_free(result);
    ereport(ERROR, (errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION), errmsg("%s: %s", name, value),
                    errdetail("%s", traceback)));
}

PG_FUNCTION_INFO_V1(snug_eval);
Datum snug_eval(PG_FUNCTION_ARGS)
{
    snug_result *result = run_cell(text_to_cstring(PG_GETARG_TEXT_PP(0)));
    text *value;
    size_t len;
    const char *shown;

    if (snug_result_status(result) != SNUG_STATUS_OK)
        fail_as_cell(result);
    shown = snug_result_text(result, SNUG_STREAM_VALUE, &len);
    value = cstring_to_text_with_len(shown, (int)len);
    snug_result_free(result);
    PG_RETURN_TEXT_P(value);
}

PG_FUNCTION_INFO_V1(snug_cell);
Datum snug_cell(PG_FUNCTION_ARGS)
{
    snug_result *result = run_cell(text_to_cstring(PG_GETARG_TEXT_PP(0)));
    text *value = cstring_to_text(snug_result_json(result, NULL));

    snug_result_free(result);
    PG_RETURN_TEXT_P(value);
}

void _PG_init(void)
{
    DefineCustomStringVariable("snug.form", "local, signals or worker", NULL, &form, "local",
                               PGC_USERSET, 0, NULL, NULL, NULL);
    DefineCustomIntVariable("snug.wall_ms", "The time limit of a cell.", NULL, &wall_ms, 30000, 1,
                            3600000, PGC_USERSET, GUC_UNIT_MS, NULL, NULL, NULL);
}
