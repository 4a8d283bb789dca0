/* asking_apart.c - cells that outlive the requests of the newest revision that wait for them. */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/clock.h"
#include "base/u64.h"
#include "cli/mcp/asking_form.h"
#include "cli/mcp/asking_inside.h"
#include "cli/mcp/calls.h"

/* ---- the result of those requests ---- */

/* Since 1970: after that nobody keeps what has come of the cell. */
static int64_t state_until(const mcp_server *s)
{
    const uint64_t asked_ms = s->options->session.approval_ms;
    const uint64_t ms =
        u64_sum(asked_ms ? asked_ms : SNUG_APPROVAL_MS, s->limits.task_kept_ms) / 1000;
    const uint64_t most = UINT64_C(1) << 40;
    return (int64_t)time(NULL) + (int64_t)(ms < most ? ms : most);
}

/* It answers what is open now: what is asked later has a higher number. */
static int write_state(str *out, const mcp_call *c)
{
    const asking *k = c->asking;
    uint64_t last = 0;

    for (const question *q = c->questions; q; q = q->next)
        last = q->number;
    return request_state_write(out, c->server->signer, k->principal, k->digest, c->handle->name,
                               k->id, last, state_until(c->server));
}

int asking_write_result(str *out, const mcp_call *c)
{
    int error = str_printf(out,
                           "{\"resultType\":\"input_required\",\"_meta\":{\"" MCP_META
                           "serverInfo\":{\"name\":\"snug\",\"version\":\"%s\"}},"
                           "\"inputRequests\":",
                           snug_version());
    if (!error)
        error = asking_write_requests(out, c);
    if (!error)
        error = str_add(out, ",\"requestState\":\"");
    if (!error)
        error = write_state(out, c);
    return error ? error : str_add(out, "\"}");
}

/* ---- a cell without a request ---- */

/* Of its progress the request that has joined last hears. */
static void tell_joined(void *payload, const char *text, size_t len)
{
    const asking *k = payload;
    const mcp_call *last = NULL;

    for (const mcp_call *c = k->server->joined; c; c = c->next)
        if (c->asking == k)
            last = c;
    if (last)
        last->wire.tell(last->wire.payload, text, len);
}

/* All that wait for it, off the server's list. */
mcp_call *asking_take_joined(mcp_server *s, const asking *k)
{
    mcp_call *taken = NULL, **end = &taken;

    for (mcp_call **at = &s->joined; *at;) {
        mcp_call *c = *at;
        if (c->asking != k) {
            at = &c->next;
            continue;
        }
        *at = c->next;
        c->next = NULL;
        *end = c;
        end = &c->next;
    }
    return taken;
}

static void keep_answer(void *payload, mcp_status status, const char *text, size_t len)
{
    asking *k = payload;
    mcp_server *s = k->server;

    pthread_mutex_lock(&s->lock);
    if (text && str_append(&k->answer, text, len))
        str_clear(&k->answer);
    k->status = status;
    k->work = NULL;
    k->over_ns = clock_now_ns();
    k->peer->is_closed = 1;
    k->peer = NULL;
    mcp_call *joined = asking_take_joined(s, k);
    pthread_mutex_unlock(&s->lock);

    while (joined) {
        mcp_call *c = joined;
        joined = c->next;
        call_forward(c, status, text, len);
    }
}

static void free_asking(asking *k)
{
    free(k->peer);
    str_free(&k->answer);
    free(k);
}

static int make_id(char out[STATE_CELL_BYTES])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
    unsigned char bytes[STATE_CELL_BYTES - 1];

    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return 0;
    for (size_t i = 0; i < sizeof bytes; i++)
        out[i] = letters[bytes[i] & 31];
    out[sizeof bytes] = '\0';
    return 1;
}

static asking *make_asking(const mcp_call *c)
{
    asking *k = calloc(1, sizeof *k);
    if (!k)
        return NULL;

    k->server = c->server;
    k->principal = c->peer->principal->name;
    k->peer = calloc(1, sizeof *k->peer);
    if (!k->peer || !make_id(k->id) || request_state_digest(k->digest, c->message.params)) {
        free_asking(k);
        return NULL;
    }
    k->peer->principal = c->peer->principal;
    k->peer->is_alone = k->peer->is_modern = 1;
    return k;
}

/* The request that has begun the cell becomes one that has joined it. */
int asking_part(mcp_call *c)
{
    mcp_server *s = c->server;
    asking *k = make_asking(c);
    mcp_call *request = calloc(1, sizeof *request);
    char *id = strdup(c->message.id);

    if (!k || !request || !id) {
        if (k)
            free_asking(k);
        free(request);
        free(id);
        return SNUG_ENOMEM;
    }

    *request = (mcp_call){ .server = s,
                           .peer = c->peer,
                           .wire = c->wire,
                           .is_modern = 1,
                           .progress_token = c->progress_token,
                           .stage = CALL_JOINED,
                           .is_cancelled = c->is_cancelled,
                           .asking = k };
    request->message.id = id;
    calls_add(&s->joined, request);
    k->peer->next = s->peers;
    s->peers = k->peer;
    k->work = c;
    k->next = s->askings;
    s->askings = k;
    c->peer = k->peer;
    c->wire = (mcp_wire){ .tell = tell_joined, .answer = keep_answer, .payload = k };
    c->progress_token = NULL;
    c->takes_task = 0;
    c->asking = k;
    return SNUG_OK;
}

int asking_has_joined(const mcp_server *s, const asking *k)
{
    for (const mcp_call *c = s->joined; c; c = c->next)
        if (c->asking == k)
            return 1;
    return 0;
}

/* ---- a request that is sent again ---- */

static asking *find_asking(uint64_t *asked, const mcp_call *c, const char *state)
{
    mcp_server *s = c->server;
    char id[STATE_CELL_BYTES], digest[REQUEST_DIGEST_BYTES];

    if (request_state_digest(digest, c->message.params) ||
        !request_state_read(id, asked, s->signer, c->peer->principal->name, digest, state,
                            time(NULL)))
        return NULL;
    asking *k = s->askings;
    while (k && (strcmp(k->id, id) != 0 || strcmp(k->principal, c->peer->principal->name) != 0))
        k = k->next;
    return k;
}

/* What is wrong with it; NULL: nothing. */
static const char *find_fault(const mcp_call *c, const asking *k, const cJSON *responses,
                              uint64_t asked)
{
    const mcp_server *s = c->server;

    if (!k)
        return "the requestState is of no cell that is kept here: it was altered, is of another "
               "request, client or server, or is too old";
    if (responses && !cJSON_IsObject(responses))
        return "\"inputResponses\" must be an object";
    if (k->work && !questions_check(k->work, responses, asked))
        return "a member of \"inputResponses\" is not an ElicitResult: its \"action\" is accept, "
               "decline or cancel";
    if (s->is_ending)
        return MCP_IS_ENDING;
    if (!c->peer->is_alone && server_has_call((mcp_server *)(uintptr_t)s, c->peer, c->message.id))
        return "a request of that id is being answered already; each needs an id of its own";
    return NULL;
}

/* Each request says for itself what its client takes: it may be asked further. */
static int takes_forms(const mcp_call *c)
{
    const cJSON *meta = rpc_object(c->message.params, "_meta");
    return form_is_taken(rpc_object(meta, MCP_META "clientCapabilities"));
}

static void fail_without_forms(mcp_call *c)
{
    call_fail(c, MCP_BAD, MCP_MISSING_CAPABILITY, "Missing required client capability",
              "{\"requiredCapabilities\":{\"elicitation\":{\"form\":{}}}}");
}

/* It waits for what comes of the cell. */
static void join(mcp_call *c, asking *k)
{
    mcp_call *work = k->work;

    c->stage = CALL_JOINED;
    c->asking = k;
    calls_add(&c->server->joined, c);
    free(work->progress_token);
    work->progress_token = c->progress_token ? strdup(c->progress_token) : NULL;
    asking_wake(work);
}

void asking_retry(mcp_call *c)
{
    mcp_server *s = c->server;
    const cJSON *responses = cJSON_GetObjectItemCaseSensitive(c->message.params, "inputResponses");
    const char *state = rpc_text(c->message.params, "requestState");
    verdict *verdicts = NULL;
    str answer = { 0 };
    mcp_status status = MCP_FINE;
    uint64_t asked = 0;

    pthread_mutex_lock(&s->lock);
    asking *k = state ? find_asking(&asked, c, state) : NULL;
    const char *fault = find_fault(c, k, responses, asked);
    const int is_ending = s->is_ending;
    const int is_over = !fault && !k->work;
    const int is_open = !fault && k->work && takes_forms(c);
    if (is_over) {
        str_add_str(&answer, &k->answer);
        status = k->status;
    } else if (is_open) {
        questions_take(&verdicts, k->work, responses, asked);
        join(c, k);
    }
    pthread_mutex_unlock(&s->lock);

    questions_give_verdicts(verdicts);
    if (fault)
        call_fail(c, is_ending ? MCP_UNAVAILABLE : MCP_BAD,
                  is_ending ? MCP_TRY_LATER : RPC_INVALID_PARAMS, fault, NULL);
    else if (!is_over && !is_open)
        fail_without_forms(c);
    else if (is_over && answer.len == 0)
        call_fail(c, MCP_FINE, RPC_INVALID_PARAMS, "the cell was cancelled", NULL);
    else if (is_over)
        call_forward(c, status, answer.data, answer.len);
    str_free(&answer);
}

/* ---- those that are over ---- */

void asking_forget_old(mcp_server *s, uint64_t now_ns)
{
    size_t seen = 0;

    for (asking **at = &s->askings; *at;) {
        asking *k = *at;
        const int is_old = now_ns >= clock_deadline_ns(k->over_ns, s->limits.task_kept_ms);
        if (k->work || (++seen <= s->limits.tasks && !is_old)) {
            at = &k->next;
            continue;
        }
        *at = k->next;
        free_asking(k);
    }
}

void asking_forget_all(mcp_server *s)
{
    while (s->askings) {
        asking *k = s->askings;
        s->askings = k->next;
        free_asking(k);
    }
}
