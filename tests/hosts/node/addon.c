/*
 * addon.c - snug for Node: cells as promises, on libuv's loop, and no thread of its pool.
 *
 *     open(form, profile) -> promise of a session      form: "local", "signals" or "worker"
 *     session.run(code) -> promise of the result's JSON text
 *     session.interrupt(), session.close()
 *
 * Node loads addons with RTLD_LOCAL. All of this runs on the thread of the JavaScript; the host's
 * descriptor is one more that libuv waits for, while there is a task.
 */
#include <node_api.h>
#include <snug/snug.h>
#include <snug/task.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define MEMORY_BYTES (64u << 20)

/* One for each thread of JavaScript would be more than the tests need. */
static snug_host *host;
static size_t session_count;
static uv_poll_t watch;
static size_t task_count;

struct session {
    snug_session *snug;
    snug_task *task; /* the cell that runs; NULL: none */
    int is_closing;  /* it is closed when that is over */
};

/* What a promise waits for. */
struct call {
    napi_env env;
    napi_deferred deferred;
    napi_ref keep; /* the session's object, while a cell runs; NULL for an open */
    struct session *session;
};

static napi_value throw_error(napi_env env, int error, const char *message)
{
    napi_throw_error(env, snug_error_name(error), message);
    return NULL;
}

/* ---- the loop ---- */

/* Promises go on when the callback's scope ends. */
static void dispatch(uv_poll_t *poll, int status, int events)
{
    napi_env env = poll->data;
    napi_handle_scope handles;
    napi_callback_scope scope;
    napi_async_context context;
    napi_value name, resource;

    (void)status, (void)events;
    napi_open_handle_scope(env, &handles);
    napi_create_string_utf8(env, "snug", NAPI_AUTO_LENGTH, &name);
    napi_create_object(env, &resource);
    napi_async_init(env, resource, name, &context);
    napi_open_callback_scope(env, resource, context, &scope);
    snug_host_dispatch(host, 0);
    napi_close_callback_scope(env, scope);
    napi_async_destroy(env, context);
    napi_close_handle_scope(env, handles);
}

/* The process ends by itself when nothing is under way. */
static void count_task(int change)
{
    task_count += (size_t)change;
    if (task_count)
        uv_ref((uv_handle_t *)&watch);
    else
        uv_unref((uv_handle_t *)&watch);
}

static int open_host(napi_env env, const char *form)
{
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    uv_loop_t *loop;
    int error;

    if (host)
        return SNUG_OK;
    if (!strcmp(form, "worker"))
        options.form = SNUG_FORM_WORKER;
    if (!strcmp(form, "signals"))
        options.flags = SNUG_HOST_SIGNALS;
    if ((error = snug_host_open(&host, &options)))
        return error;
    napi_get_uv_event_loop(env, &loop);
    uv_poll_init(loop, &watch, snug_host_fd(host));
    watch.data = env;
    uv_poll_start(&watch, UV_READABLE, dispatch);
    uv_unref((uv_handle_t *)&watch);
    return SNUG_OK;
}

/* ---- promises ---- */

static void reject(struct call *call, snug_task *task)
{
    napi_value code, message, error;

    napi_create_string_utf8(call->env, snug_error_name(snug_task_error(task)), NAPI_AUTO_LENGTH,
                            &code);
    napi_create_string_utf8(call->env, snug_task_message(task), NAPI_AUTO_LENGTH, &message);
    napi_create_error(call->env, code, message, &error);
    napi_reject_deferred(call->env, call->deferred, error);
}

static struct call *make_call(napi_env env, struct session *session, napi_value *promise)
{
    struct call *call = calloc(1, sizeof *call);

    if (!call)
        return NULL;
    call->env = env;
    call->session = session;
    napi_create_promise(env, &call->deferred, promise);
    return call;
}

/* ---- sessions ---- */

static void close_session(struct session *session)
{
    if (!session->snug || snug_session_close(session->snug))
        return;
    session->snug = NULL;
    session_count--;
}

static void finalize(napi_env env, void *data, void *unused)
{
    (void)env, (void)unused;
    close_session(data);
    free(data);
}

static struct session *session_of(napi_env env, napi_callback_info info, size_t *argc,
                                  napi_value *argv, napi_value *object)
{
    void *data = NULL;

    napi_get_cb_info(env, info, argc, argv, object, NULL);
    napi_unwrap(env, *object, &data);
    return data;
}

static void on_cell(void *payload, snug_task *task)
{
    struct call *call = payload;
    struct session *session = call->session;
    snug_result *result = snug_task_take_result(task);
    napi_value text;
    size_t len;
    const char *json;

    session->task = NULL;
    if (result) {
        json = snug_result_json(result, &len);
        napi_create_string_utf8(call->env, json, len, &text);
        napi_resolve_deferred(call->env, call->deferred, text);
        snug_result_free(result);
    } else {
        reject(call, task);
    }
    snug_task_free(task);
    count_task(-1);
    if (session->is_closing)
        close_session(session);
    napi_delete_reference(call->env, call->keep);
    free(call);
}

static napi_value run(napi_env env, napi_callback_info info)
{
    napi_value argv[1], object, promise;
    size_t argc = 1, len;
    struct session *session = session_of(env, info, &argc, argv, &object);
    struct call *call;
    char *source;
    int error;

    if (!session || !session->snug || session->is_closing)
        return throw_error(env, SNUG_EINVAL, "the session is closed");
    if (napi_get_value_string_utf8(env, argv[0], NULL, 0, &len) != napi_ok)
        return throw_error(env, SNUG_EINVAL, "code is a string");
    source = malloc(len + 1);
    call = make_call(env, session, &promise);
    napi_get_value_string_utf8(env, argv[0], source, len + 1, &len);
    napi_create_reference(env, object, 1, &call->keep);

    error = snug_session_start(&session->task, session->snug, source, len, NULL, on_cell, call);
    free(source);
    if (error) {
        napi_delete_reference(env, call->keep);
        free(call);
        return throw_error(env, error, snug_error_message());
    }
    count_task(1);
    return promise;
}

static napi_value interrupt(napi_env env, napi_callback_info info)
{
    napi_value object;
    size_t argc = 0;
    struct session *session = session_of(env, info, &argc, NULL, &object);

    if (session && session->task)
        snug_task_cancel(session->task);
    return NULL;
}

static napi_value close_now(napi_env env, napi_callback_info info)
{
    napi_value object;
    size_t argc = 0;
    struct session *session = session_of(env, info, &argc, NULL, &object);

    if (!session)
        return NULL;
    session->is_closing = session->task != NULL;
    if (session->is_closing)
        snug_task_cancel(session->task);
    else
        close_session(session);
    return NULL;
}

/* ---- opening ---- */

static napi_value make_object(napi_env env, struct session *session)
{
    napi_property_descriptor methods[] = {
        { "run", NULL, run, NULL, NULL, NULL, napi_default, NULL },
        { "interrupt", NULL, interrupt, NULL, NULL, NULL, napi_default, NULL },
        { "close", NULL, close_now, NULL, NULL, NULL, napi_default, NULL },
    };
    napi_value object;

    napi_create_object(env, &object);
    napi_define_properties(env, object, sizeof methods / sizeof *methods, methods);
    napi_wrap(env, object, session, finalize, NULL, NULL);
    return object;
}

static void on_open(void *payload, snug_task *task)
{
    struct call *call = payload;
    struct session *session = call->session;

    session->snug = snug_task_take_session(task);
    if (session->snug) {
        session_count++;
        napi_resolve_deferred(call->env, call->deferred, make_object(call->env, session));
    } else {
        reject(call, task);
        free(session);
    }
    count_task(-1);
    free(call);
}

static napi_value open_session(napi_env env, napi_callback_info info)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    char form[20] = "local", profile[20] = "core";
    napi_value argv[2], promise;
    size_t argc = 2, len;
    struct session *session;
    struct call *call;
    int error;

    napi_get_cb_info(env, info, &argc, argv, NULL, NULL);
    if (argc > 0)
        napi_get_value_string_utf8(env, argv[0], form, sizeof form, &len);
    if (argc > 1)
        napi_get_value_string_utf8(env, argv[1], profile, sizeof profile, &len);
    if ((error = open_host(env, form)))
        return throw_error(env, error, snug_error_message());

    limits.memory_bytes = MEMORY_BYTES;
    options.limits = &limits;
    options.profile = profile;
    session = calloc(1, sizeof *session);
    call = make_call(env, session, &promise);
    if ((error = snug_session_start_open(NULL, host, &options, on_open, call))) {
        free(session);
        free(call);
        return throw_error(env, error, snug_error_message());
    }
    count_task(1);
    return promise;
}

NAPI_MODULE_INIT()
{
    napi_property_descriptor all[] = {
        { "open", NULL, open_session, NULL, NULL, NULL, napi_default, NULL },
    };

    napi_define_properties(env, exports, 1, all);
    return exports;
}
