/*
 * snug_pg.c - cells in PostgreSQL: a session for each backend.
 *
 * snug_eval(text) answers with the value's text, or is an error; snug_cell(text) answers with the
 * whole result as JSON. snug.form is local, signals or worker, until the session is open.
 *
 * The backend waits for the host's descriptor beside its latch: pg_cancel_backend,
 * pg_terminate_backend and statement_timeout set that, and no thread looks for them.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/wait_event.h"

#include <snug/snug.h>
#include <snug/task.h>

PG_MODULE_MAGIC;

#define MEMORY_BYTES (64u << 20)

void _PG_init(void);

static snug_host *host;
static snug_session *session;
static snug_task *task;   /* what was started last, until somebody has taken what it has made */
static char message[300]; /* the sentence to the last error */
static char *form;
static int wall_ms;

static void drop_task(void)
{
    snug_task_free(task);
    task = NULL;
}

static void cancel_task(void)
{
    if (!task)
        return;
    snug_task_cancel(task);
    snug_task_wait(task, SNUG_UNLIMITED);
    drop_task();
}

static void close_all(int code, Datum unused)
{
    (void)code, (void)unused;
    cancel_task(); /* FATAL does not come past PG_CATCH */
    snug_session_close(session);
    session = NULL;
    snug_host_close(host);
    host = NULL;
}

static void fail(int error)
{
    ereport(ERROR, (errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION), errmsg("snug: %s", message),
                    errdetail("%s", snug_error_name(error))));
}

/* ---- waiting ---- */

static void keep_message(const char *said)
{
    strlcpy(message, said, sizeof message);
}

/* A statement that is cancelled leaves by ereport, and so ends what it waits for. */
static void await_task(void)
{
    PG_TRY();
    {
        while (snug_task_error(task) == SNUG_EAGAIN) {
            WaitLatchOrSocket(MyLatch, WL_LATCH_SET | WL_SOCKET_READABLE | WL_EXIT_ON_PM_DEATH,
                              snug_host_fd(host), -1, PG_WAIT_EXTENSION);
            ResetLatch(MyLatch);
            CHECK_FOR_INTERRUPTS();
            snug_host_dispatch(host, 0);
        }
    }
    PG_CATCH();
    {
        cancel_task();
        PG_RE_THROW();
    }
    PG_END_TRY();
}

/* Of what a function has started, or could not start: the error in the end. */
static int await_started(int error)
{
    if (error) {
        keep_message(snug_error_message());
        return error;
    }
    await_task();
    keep_message(snug_task_message(task));
    return snug_task_error(task);
}

/* ---- sessions ---- */

static void open_host(void)
{
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    int error;

    if (!strcmp(form, "worker"))
        options.form = SNUG_FORM_WORKER;
    if (!strcmp(form, "signals"))
        options.flags = SNUG_HOST_SIGNALS;
    if ((error = snug_host_open(&host, &options))) {
        keep_message(snug_error_message());
        fail(error);
    }
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
    error = await_started(snug_session_start_open(&task, host, &options, NULL, NULL));
    if (!error)
        session = snug_task_take_session(task);
    drop_task();
    if (error)
        fail(error);
}

static int reset_session(void)
{
    int error = await_started(snug_session_start_reset(&task, session, NULL, NULL));

    drop_task();
    return error;
}

static int run_source(snug_result **result, const char *source)
{
    int error =
        await_started(snug_session_start(&task, session, source, strlen(source), NULL, NULL, NULL));

    if (!error)
        *result = snug_task_take_result(task);
    drop_task();
    return error;
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
    error = run_source(&result, source);
    if (error == SNUG_EDEAD && !(error = reset_session())) {
        ereport(NOTICE, (errmsg("snug: the session was lost and begins anew")));
        error = run_source(&result, source);
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
