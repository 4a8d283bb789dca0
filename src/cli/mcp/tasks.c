#include "cli/mcp/tasks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/clock.h"
#include "base/jsontext.h"
#include "base/u64.h"
#include "cli/mcp/asking.h"

#define EXTENSION MCP_META "tasks"

enum { TASK_ID_BYTES = 36, POLL_MS = 1000, TIME_BYTES = 32 };

typedef struct task {
    char id[TASK_ID_BYTES];
    const mcp_principal *principal;
    mcp_server *server;
    mcp_peer *peer; /* the call's from now on; closed with its answer */
    mcp_call *call; /* the same; NULL: it is over */
    int is_done, was_cancelled;
    str answer; /* the whole message */
    uint64_t made_ns;
    uint64_t kept_from_ns; /* where it has asked, and waited: its end */
    char made[TIME_BYTES], changed[TIME_BYTES];
    struct task *next;
} task;

int tasks_are_known(const cJSON *meta)
{
    const cJSON *capabilities = rpc_object(meta, MCP_META "clientCapabilities");
    return rpc_object(rpc_object(capabilities, "extensions"), EXTENSION) != NULL;
}

static void write_time(char out[TIME_BYTES])
{
    const time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(out, TIME_BYTES, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

/* ---- the call's way back ---- */

/* Progress is not part of tasks. */
static void tell_nobody(void *payload, const char *text, size_t len)
{
    (void)payload;
    (void)text;
    (void)len;
}

static void keep_answer(void *payload, mcp_status status, const char *text, size_t len)
{
    task *t = payload;
    mcp_server *s = t->server;

    (void)status;
    pthread_mutex_lock(&s->lock);
    t->is_done = 1;
    if (!text)
        t->was_cancelled = 1;
    else if (str_append(&t->answer, text, len))
        str_clear(&t->answer);
    write_time(t->changed);
    if (t->call->has_asked)
        t->kept_from_ns = clock_now_ns();
    t->peer->is_closed = 1;
    t->peer = NULL;
    t->call = NULL;
    pthread_mutex_unlock(&s->lock);
}

/* ---- what a task says ---- */

static const char *status_of(const task *t)
{
    const jsontext_span whole = { t->answer.data, t->answer.len };
    if (!t->is_done)
        return t->call && asking_is_open(t->call) ? "input_required" : "working";
    if (t->was_cancelled)
        return "cancelled";
    return jsontext_member(whole, "result").text ? "completed" : "failed";
}

/* One that asks may wait for long: as long as it is not over, it is kept. */
static int write_ttl(str *out, const task *t)
{
    if (t->call && t->call->has_asked)
        return str_add(out, "null");
    const uint64_t ms = (t->kept_from_ns - t->made_ns) / NS_PER_MS;
    return str_printf(out, "%llu", (unsigned long long)u64_sum(ms, t->server->limits.task_kept_ms));
}

/* Its members, and the result or error where there is one, or what it asks. SNUG_OK or SNUG_ENOMEM.
 */
static int write_task(str *out, const task *t)
{
    const jsontext_span whole = { t->answer.data, t->answer.len };
    const char *status = status_of(t);
    int error = str_printf(out,
                           "\"taskId\":\"%s\",\"status\":\"%s\",\"createdAt\":\"%s\","
                           "\"lastUpdatedAt\":\"%s\",\"pollIntervalMs\":%d,\"ttlMs\":",
                           t->id, status, t->made, t->changed, POLL_MS);

    if (!error)
        error = write_ttl(out, t);
    if (!error && !strcmp(status, "input_required")) {
        error = str_add(out, ",\"inputRequests\":");
        return error ? error : asking_write_requests(out, t->call);
    }

    const char *name = !strcmp(status, "completed") ? "result" : "error";
    const jsontext_span inner = jsontext_member(whole, name);
    if (strcmp(status, "completed") != 0 && strcmp(status, "failed") != 0)
        return error;
    if (!error)
        error = str_printf(out, ",\"%s\":", name);
    if (error)
        return error;
    if (inner.text)
        return str_append(out, inner.text, inner.len);
    return str_printf(out, "{\"code\":%d,\"message\":\"out of memory for the answer\"}",
                      RPC_INTERNAL_ERROR);
}

/* ---- making ---- */

static int make_id(char out[TASK_ID_BYTES])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
    unsigned char bytes[26];

    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return 0;
    memcpy(out, "task_", 5);
    for (size_t i = 0; i < sizeof bytes; i++)
        out[5 + i] = letters[bytes[i] & 31];
    out[5 + sizeof bytes] = '\0';
    return 1;
}

static void free_task(task *t)
{
    str_free(&t->answer);
    free(t);
}

/* NULL: no memory. */
static task *make_task(mcp_call *c)
{
    task *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->server = c->server;
    t->principal = c->peer->principal;
    t->peer = calloc(1, sizeof *t->peer);
    if (!t->peer || !make_id(t->id)) {
        free(t->peer);
        free_task(t);
        return NULL;
    }

    t->peer->principal = c->peer->principal;
    t->peer->is_alone = t->peer->is_modern = 1;
    t->made_ns = t->kept_from_ns = clock_now_ns();
    t->call = c;
    write_time(t->made);
    write_time(t->changed);
    return t;
}

/* The request is over; the call goes on for the task. With the lock, which is released meanwhile.
 */
static int turn_into_task(mcp_server *s, mcp_call *c)
{
    const mcp_wire wire = c->wire;
    str result = { 0 }, text = { 0 };
    task *t = make_task(c);

    int error = t ? str_add(&result, "{\"resultType\":\"task\",") : SNUG_ENOMEM;
    if (!error)
        error = write_task(&result, t);
    if (!error)
        error = str_add(&result, "}");
    if (!error)
        error = rpc_write_result(&text, c->message.id, result.data);
    str_free(&result);
    c->takes_task = 0;
    if (error) {
        if (t) {
            free(t->peer);
            free_task(t);
        }
        str_free(&text);
        return 0;
    }

    t->peer->next = s->peers;
    s->peers = t->peer;
    t->next = s->tasks;
    s->tasks = t;
    s->task_count++;
    c->peer = t->peer;
    c->wire = (mcp_wire){ .tell = tell_nobody, .answer = keep_answer, .payload = t };
    c->is_task = 1;
    pthread_mutex_unlock(&s->lock);
    wire.answer(wire.payload, MCP_FINE, text.data, text.len);
    str_free(&text);
    pthread_mutex_lock(&s->lock);
    return 1;
}

/* Those whose time is over, and the oldest where there are too many; what still works stays. */
static void forget_tasks(mcp_server *s, uint64_t now_ns)
{
    size_t seen = 0;

    for (task **at = &s->tasks; *at;) {
        task *t = *at;
        const int is_old = now_ns >= clock_deadline_ns(t->kept_from_ns, s->limits.task_kept_ms);
        if (!t->is_done || (++seen <= s->limits.tasks && !is_old)) {
            at = &t->next;
            continue;
        }
        *at = t->next;
        s->task_count--;
        free_task(t);
    }
}

int tasks_tick(mcp_server *s, uint64_t now_ns)
{
    if (s->task_count > 0)
        forget_tasks(s, now_ns);
    for (mcp_call *c = s->calls; c; c = c->next)
        if (c->takes_task && !c->is_cancelled && !s->is_ending &&
            now_ns >= clock_deadline_ns(c->since_ns, s->limits.task_ms))
            return turn_into_task(s, c);
    return 0;
}

void tasks_forget_all(mcp_server *s)
{
    while (s->tasks) {
        task *t = s->tasks;
        s->tasks = t->next;
        free_task(t);
    }
}

/* ---- methods ---- */

static task *find_task(const mcp_call *c)
{
    const char *id = rpc_text(c->message.params, "taskId");
    task *t = c->server->tasks;
    while (t && id && (strcmp(t->id, id) != 0 || t->principal != c->peer->principal))
        t = t->next;
    return id ? t : NULL;
}

/* 1, or 0 when the call was answered. */
static int check_extension(mcp_call *c)
{
    if (tasks_are_known(rpc_object(c->message.params, "_meta")))
        return 1;
    call_fail(c, MCP_BAD, MCP_MISSING_CAPABILITY, "Missing required client capability",
              "{\"requiredCapabilities\":{\"extensions\":{\"" EXTENSION "\":{}}}}");
    return 0;
}

static void fail_unknown(mcp_call *c)
{
    call_fail(c, MCP_FINE, RPC_INVALID_PARAMS, "there is no task of that id, or no more", NULL);
}

static void acknowledge(mcp_call *c)
{
    str out = { 0 };
    int error = str_add(&out, "{");
    if (!error)
        error = call_begin_result(&out, c, -1, NULL);
    if (!error && out.len > 1)
        out.data[out.len - 1] = '}';
    call_result(c, error ? NULL : out.data);
    str_free(&out);
}

void tasks_get(mcp_call *c)
{
    str out = { 0 };
    if (!check_extension(c))
        return;

    int error = str_add(&out, "{");
    if (!error)
        error = call_begin_result(&out, c, -1, NULL);
    pthread_mutex_lock(&c->server->lock);
    const task *t = find_task(c);
    if (!error && t)
        error = write_task(&out, t);
    pthread_mutex_unlock(&c->server->lock);
    if (!error)
        error = str_add(&out, "}");
    if (t)
        call_result(c, error ? NULL : out.data);
    else
        fail_unknown(c);
    str_free(&out);
}

/* NULL: it is over. */
static mcp_call *call_of(const mcp_call *update)
{
    const task *t = find_task(update);
    return t ? t->call : NULL;
}

void tasks_update(mcp_call *c)
{
    const cJSON *responses = rpc_object(c->message.params, "inputResponses");
    if (!check_extension(c))
        return;
    pthread_mutex_lock(&c->server->lock);
    const int is_there = find_task(c) != NULL;
    pthread_mutex_unlock(&c->server->lock);
    if (!is_there)
        fail_unknown(c);
    else if (!responses)
        call_fail(c, MCP_BAD, RPC_INVALID_PARAMS, "\"inputResponses\" must be an object", NULL);
    else if (!asking_take_responses(c->server, call_of, c, responses))
        call_fail(
            c, MCP_BAD, RPC_INVALID_PARAMS,
            "a member of \"inputResponses\" is not an ElicitResult: its \"action\" is accept, "
            "decline or cancel",
            NULL);
    else
        acknowledge(c);
}

void tasks_cancel(mcp_call *c)
{
    if (!check_extension(c))
        return;
    pthread_mutex_lock(&c->server->lock);
    const task *t = find_task(c);
    for (mcp_call *one = c->server->calls; t && one; one = one->next)
        if (one->wire.payload == t)
            one->is_cancelled = CANCELLED_BY_CLIENT;
    pthread_mutex_unlock(&c->server->lock);
    if (!t) {
        fail_unknown(c);
        return;
    }
    server_drop_cancelled(c->server);
    acknowledge(c);
}
