#include "cli/mcp/asking.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/clock.h"
#include "base/jsontext.h"
#include "base/u64.h"
#include "cli/mcp/asking_form.h"
#include "cli/mcp/calls.h"
#include "cli/mcp/request_state.h"
#include "cli/program/secrets.h"
#include "cli/tools/call_text.h"

enum { LOOK_MS = 250 };

/* What is asked: a call of the cell's. */
typedef struct question {
    snug_call *call; /* to be answered once */
    uint64_t number;
    char *text; /* of the call */
    int is_told;
    struct question *next;
} question;

/* A cell that has asked, and outlives the requests that wait for it. */
typedef struct asking {
    char id[STATE_CELL_BYTES], digest[REQUEST_DIGEST_BYTES];
    char *principal;
    mcp_server *server;
    mcp_call *work; /* that has the cell; NULL: it is over */
    mcp_peer *peer; /* the work's from now on; closed with its answer */
    str answer;     /* then: the whole message; empty: it was cancelled */
    mcp_status status;
    uint64_t over_ns;
    struct asking *next;
} asking;

/* ---- questions ---- */

static void free_question(question *q)
{
    free(q->text);
    free(q);
}

/* What is to be said to the library, without the lock. */
typedef struct verdict {
    snug_call *call;
    snug_approval answer;
    const char *reason;
    struct verdict *next;
} verdict;

static void give_verdicts(verdict *list)
{
    while (list) {
        verdict *one = list;
        list = one->next;
        snug_call_approve(one->call, one->answer, one->reason);
        free(one);
    }
}

static question **find_question(mcp_call *c, uint64_t number)
{
    question **at = &c->questions;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    return at;
}

/* Takes it off the list. Without memory it is refused here. With the lock. */
static void decide(verdict **list, question **at, snug_approval answer, const char *reason)
{
    question *q = *at;
    verdict *one = calloc(1, sizeof *one);

    *at = q->next;
    if (one) {
        *one = (verdict){ q->call, answer, reason, *list };
        *list = one;
    } else {
        snug_call_approve(q->call, SNUG_APPROVAL_REFUSE, reason);
    }
    free_question(q);
}

static void refuse_questions(verdict **list, mcp_call *c, const char *reason)
{
    while (c->questions)
        decide(list, &c->questions, SNUG_APPROVAL_REFUSE, reason);
}

/* The client need not show it any more. */
static void withdraw(const mcp_call *c, const question *q)
{
    str text = { 0 }, params = { 0 };
    int error = str_printf(&params,
                           "{\"requestId\":\"snug-%llu\",\"reason\":\"the call does not wait for "
                           "an answer any more\"}",
                           (unsigned long long)q->number);
    if (!error)
        error = rpc_write_notification(&text, "notifications/cancelled", params.data);
    if (!error && q->is_told && !c->is_modern)
        c->wire.tell(c->wire.payload, text.data, text.len);
    str_free(&params);
    str_free(&text);
}

/* Those for which the cell does not wait any more. With the lock. */
static void drop_unwanted(verdict **list, mcp_call *c)
{
    for (question **at = &c->questions; *at;) {
        if (snug_call_is_wanted((*at)->call)) {
            at = &(*at)->next;
            continue;
        }
        withdraw(c, *at);
        decide(list, at, SNUG_APPROVAL_REFUSE, NULL);
    }
}

/* ---- being asked ---- */

int asking_is_possible(const mcp_call *c)
{
    const snug_session_options *o = &c->server->options->session;

    for (size_t i = 0; i < o->tool_rule_count && !c->handle->is_bash; i++)
        if (o->tool_rules[i].decision == SNUG_TOOL_DECISION_ASK)
            return 1;
    return 0;
}

static int has_joined(const mcp_server *s, const asking *k)
{
    for (const mcp_call *c = s->joined; c; c = c->next)
        if (c->asking == k)
            return 1;
    return 0;
}

static int has_wanted(const mcp_call *c)
{
    for (const question *q = c->questions; q; q = q->next)
        if (snug_call_is_wanted(q->call))
            return 1;
    return 0;
}

/* Why nobody can be asked; NULL: somebody can. With the lock. */
static const char *find_obstacle(const mcp_call *c)
{
    if (c->server->asks_nobody)
        return "nobody can be asked any more: snug mcp is ending, or its client has left";
    if (c->asking && !has_wanted(c) && !has_joined(c->server, c->asking))
        return "nobody can be asked any more: no request of the client waits for this cell";
    if (c->is_modern) {
        const cJSON *meta = rpc_object(c->message.params, "_meta");
        if (form_is_taken(rpc_object(meta, MCP_META "clientCapabilities")))
            return NULL;
    } else if (c->peer->takes_forms && c->wire.takes_requests) {
        return NULL;
    }
    return "nobody can be asked: this MCP client does not take elicitation";
}

static question *make_question(snug_call *asked)
{
    str text = { 0 };
    question *q = calloc(1, sizeof *q);

    if (q && call_text_write(&text, asked) == SNUG_OK) {
        secrets_hide_str(&text);
        q->call = asked;
        q->text = str_take(&text);
    }
    if (q && !q->text) {
        free(q);
        q = NULL;
    }
    str_free(&text);
    return q;
}

void asking_on_approval(void *payload, snug_call *asked)
{
    mcp_call *c = payload;
    mcp_server *s = c->server;
    question *q = make_question(asked);
    str why = { 0 };

    pthread_mutex_lock(&s->lock);
    const char *obstacle = q ? find_obstacle(c) : "out of memory for the question";
    if (!obstacle) {
        question **at = &c->questions;
        while (*at)
            at = &(*at)->next;
        q->number = ++s->asked;
        c->has_asked = 1;
        *at = q;
    }
    pthread_mutex_unlock(&s->lock);
    if (!obstacle)
        return;

    if (q)
        free_question(q);
    str_printf(&why, "%s() is not allowed: the session asks about its calls, and %s",
               snug_call_name(asked), obstacle);
    snug_call_approve(asked, SNUG_APPROVAL_REFUSE, why.data);
    str_free(&why);
}

/* ---- what is sent ---- */

int asking_is_open(const mcp_call *c)
{
    return c->questions != NULL;
}

int asking_write_requests(str *out, const mcp_call *c)
{
    int error = str_add(out, "{");

    for (const question *q = c->questions; q && !error; q = q->next) {
        error =
            str_printf(out, "%s\"approval-%llu\":{\"method\":\"elicitation/create\",\"params\":",
                       q == c->questions ? "" : ",", (unsigned long long)q->number);
        if (!error)
            error = form_write(out, q->text, 1);
        if (!error)
            error = str_add(out, "}");
    }
    return error ? error : str_add(out, "}");
}

/* Since 1970: after that nobody keeps what has come of the cell. */
static int64_t state_until(const mcp_server *s)
{
    const uint64_t asked_ms = s->options->session.approval_ms;
    const uint64_t ms =
        u64_sum(asked_ms ? asked_ms : SNUG_APPROVAL_MS, s->limits.task_kept_ms) / 1000;
    const uint64_t most = UINT64_C(1) << 40;
    return (int64_t)time(NULL) + (int64_t)(ms < most ? ms : most);
}

static int write_state(str *out, const mcp_call *c)
{
    const asking *k = c->asking;
    str numbers = { 0 };
    int error = SNUG_OK;

    for (const question *q = c->questions; q && !error; q = q->next)
        error = str_printf(&numbers, "%s%llu", q == c->questions ? "[" : ",",
                           (unsigned long long)q->number);
    if (!error)
        error = str_add(&numbers, "]");
    if (!error)
        error = request_state_write(out, c->server->signer, k->principal, k->digest,
                                    c->handle->name, k->id, numbers.data, state_until(c->server));
    str_free(&numbers);
    return error;
}

static int write_input_required(str *out, const mcp_call *c)
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

/* Of the older revisions. */
static int tell_question(const mcp_call *c, question *q)
{
    str params = { 0 }, text = { 0 };
    char id[40];

    snprintf(id, sizeof id, "\"snug-%llu\"", (unsigned long long)q->number);
    int error = form_write(&params, q->text, 0);
    if (!error)
        error = rpc_write_request(&text, id, "elicitation/create", params.data);
    if (!error)
        c->wire.tell(c->wire.payload, text.data, text.len);
    q->is_told = !error;
    str_free(&params);
    str_free(&text);
    return error;
}

static int tell_questions(const mcp_call *c)
{
    int error = SNUG_OK;
    for (question *q = c->questions; q && !error; q = q->next)
        if (!q->is_told)
            error = tell_question(c, q);
    return error;
}

/* ---- a cell without a request ---- */

/* Of its progress the request that has joined last hears. With the lock. */
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

/* All that wait for it, off the server's list. With the lock. */
static mcp_call *take_joined(mcp_server *s, const asking *k)
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
    mcp_call *joined = take_joined(s, k);
    pthread_mutex_unlock(&s->lock);

    while (joined) {
        mcp_call *c = joined;
        joined = c->next;
        call_forward(c, status, text, len);
    }
}

static void free_peer(mcp_peer *peer)
{
    if (peer)
        free(peer->principal);
    free(peer);
}

static void free_asking(asking *k)
{
    free_peer(k->peer);
    str_free(&k->answer);
    free(k->principal);
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
    k->principal = strdup(c->peer->principal);
    k->peer = calloc(1, sizeof *k->peer);
    if (k->peer)
        k->peer->principal = strdup(c->peer->principal);
    if (!k->principal || !k->peer || !k->peer->principal || !make_id(k->id) ||
        request_state_digest(k->digest, c->message.params)) {
        free_asking(k);
        return NULL;
    }
    k->peer->is_alone = k->peer->is_modern = 1;
    return k;
}

/* The request that has begun the cell becomes one that has joined it. With the lock. */
static int part_from_request(mcp_call *c)
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

/* ---- holding ---- */

/* What the client is to hear: *out for requests of the newest revision, which wait for it. With the
 * lock. */
static int prepare_questions(str *out, mcp_call *c)
{
    if (c->is_task)
        return SNUG_OK;
    if (!c->is_modern)
        return tell_questions(c);

    int error = c->asking ? SNUG_OK : part_from_request(c);
    if (!error)
        error = write_input_required(out, c);
    for (question *q = c->questions; q && !error; q = q->next)
        q->is_told = 1;
    return error;
}

static void hold(mcp_call *c)
{
    c->stage = CALL_HELD;
    c->looked_ns = clock_now_ns();
    c->is_woken = 0;
    pthread_cond_broadcast(&c->server->tick);
}

int asking_hold(mcp_call *c)
{
    mcp_server *s = c->server;
    verdict *verdicts = NULL;
    mcp_call *joined = NULL;
    str text = { 0 };

    snug_lease_rest(c->lease);
    pthread_mutex_lock(&s->lock);
    drop_unwanted(&verdicts, c);
    int is_held = c->questions && !c->is_cancelled && !s->asks_nobody;
    if (is_held && prepare_questions(&text, c)) {
        refuse_questions(&verdicts, c, "out of memory for the question");
        is_held = 0;
    }
    if (is_held)
        hold(c);
    if (is_held && c->asking)
        joined = take_joined(s, c->asking);
    pthread_mutex_unlock(&s->lock);

    /* A call that is held is nobody's from here on. */
    if (!is_held)
        snug_lease_go_on(c->lease);
    give_verdicts(verdicts);
    while (joined) {
        mcp_call *request = joined;
        joined = request->next;
        call_result(request, text.data);
    }
    str_free(&text);
    return is_held;
}

void asking_end(mcp_call *c)
{
    mcp_server *s = c->server;
    verdict *verdicts = NULL;

    pthread_mutex_lock(&s->lock);
    for (const question *q = c->questions; q; q = q->next)
        withdraw(c, q);
    refuse_questions(&verdicts, c, NULL);
    pthread_mutex_unlock(&s->lock);
    give_verdicts(verdicts);
}

/* A thread takes it again, or will where one has it now. With the lock. */
static void wake(mcp_call *c)
{
    c->is_woken = 1;
    if (c->stage == CALL_HELD)
        server_resume(c);
}

/* ---- answers ---- */

/* Of inputResponses: 0 where one of them is not an ElicitResult. With the lock, as what follows. */
static int check_responses(const mcp_call *c, const cJSON *responses)
{
    for (const question *q = c->questions; q; q = q->next) {
        char key[40];
        snug_approval answer;
        const char *reason;
        snprintf(key, sizeof key, "approval-%llu", (unsigned long long)q->number);
        const cJSON *one = cJSON_GetObjectItemCaseSensitive(responses, key);
        if (one && form_read(&answer, &reason, one) < 0)
            return 0;
    }
    return 1;
}

static void take_responses(verdict **list, mcp_call *c, const cJSON *responses)
{
    for (question **at = &c->questions; *at;) {
        char key[40];
        snug_approval answer;
        const char *reason;
        snprintf(key, sizeof key, "approval-%llu", (unsigned long long)(*at)->number);
        const cJSON *one = cJSON_GetObjectItemCaseSensitive(responses, key);
        if (one && form_read(&answer, &reason, one) == 1)
            decide(list, at, answer, answer == SNUG_APPROVAL_REFUSE ? reason : NULL);
        else
            at = &(*at)->next;
    }
}

int asking_take_responses(mcp_server *s, mcp_call *(*find)(const mcp_call *update),
                          const mcp_call *update, const cJSON *responses)
{
    verdict *verdicts = NULL;

    pthread_mutex_lock(&s->lock);
    mcp_call *c = find(update);
    const int is_fine = !c || check_responses(c, responses);
    if (c && is_fine) {
        take_responses(&verdicts, c, responses);
        if (verdicts)
            wake(c);
    }
    pthread_mutex_unlock(&s->lock);
    give_verdicts(verdicts);
    return is_fine;
}

/* "snug-N" as JSON; 0: it is another. */
static uint64_t read_number(const char *id)
{
    static const char before[] = "\"snug-";
    char *end;

    if (!id || strncmp(id, before, sizeof before - 1) != 0)
        return 0;
    const uint64_t number = strtoull(id + sizeof before - 1, &end, 10);
    return strcmp(end, "\"") == 0 ? number : 0;
}

void asking_take_answer(mcp_server *s, const mcp_peer *peer, const rpc_message *message)
{
    const uint64_t number = read_number(message->id);
    verdict *verdicts = NULL;
    snug_approval answer = SNUG_APPROVAL_REFUSE;
    const char *reason = "the client could not ask about it";

    if (message->result && form_read(&answer, &reason, message->result) < 1) {
        answer = SNUG_APPROVAL_REFUSE;
        reason = "the client has not said once, always or refuse";
    }
    pthread_mutex_lock(&s->lock);
    for (mcp_call *c = s->calls; c && number > 0; c = c->next) {
        if (c->peer != peer || c->is_modern || !*find_question(c, number))
            continue;
        decide(&verdicts, find_question(c, number), answer,
               answer == SNUG_APPROVAL_REFUSE ? reason : NULL);
        wake(c);
    }
    pthread_mutex_unlock(&s->lock);
    give_verdicts(verdicts);
}

/* ---- a request that is sent again ---- */

static asking *find_asking(const mcp_call *c, const char *state)
{
    mcp_server *s = c->server;
    char id[STATE_CELL_BYTES], digest[REQUEST_DIGEST_BYTES];

    if (request_state_digest(digest, c->message.params) ||
        !request_state_read(id, s->signer, c->peer->principal, digest, state, time(NULL)))
        return NULL;
    asking *k = s->askings;
    while (k && (strcmp(k->id, id) != 0 || strcmp(k->principal, c->peer->principal) != 0))
        k = k->next;
    return k;
}

/* What is wrong with it; NULL: nothing. With the lock. */
static const char *find_fault(const mcp_call *c, const asking *k, const cJSON *responses)
{
    const mcp_server *s = c->server;

    if (!k)
        return "the requestState is of no cell that is kept here: it was altered, is of another "
               "request, client or server, or is too old";
    if (responses && !cJSON_IsObject(responses))
        return "\"inputResponses\" must be an object";
    if (k->work && !check_responses(k->work, responses))
        return "a member of \"inputResponses\" is not an ElicitResult: its \"action\" is accept, "
               "decline or cancel";
    if (s->is_ending)
        return "snug is ending, and takes no further calls";
    if (!c->peer->is_alone && server_has_call((mcp_server *)(uintptr_t)s, c->peer, c->message.id))
        return "a request of that id is being answered already; each needs an id of its own";
    return NULL;
}

/* It waits for what comes of the cell. With the lock. */
static void join(mcp_call *c, asking *k)
{
    mcp_call *work = k->work;

    c->stage = CALL_JOINED;
    c->asking = k;
    calls_add(&c->server->joined, c);
    free(work->progress_token);
    work->progress_token = c->progress_token ? strdup(c->progress_token) : NULL;
    wake(work);
}

void asking_retry(mcp_call *c)
{
    mcp_server *s = c->server;
    const cJSON *responses = cJSON_GetObjectItemCaseSensitive(c->message.params, "inputResponses");
    const char *state = rpc_text(c->message.params, "requestState");
    verdict *verdicts = NULL;
    str answer = { 0 };
    mcp_status status = MCP_FINE;

    pthread_mutex_lock(&s->lock);
    asking *k = state ? find_asking(c, state) : NULL;
    const char *fault = find_fault(c, k, responses);
    const int is_over = !fault && !k->work;
    if (is_over) {
        str_add_str(&answer, &k->answer);
        status = k->status;
    } else if (!fault) {
        take_responses(&verdicts, k->work, responses);
        join(c, k);
    }
    pthread_mutex_unlock(&s->lock);

    give_verdicts(verdicts);
    if (fault)
        call_fail(c, MCP_BAD, RPC_INVALID_PARAMS, fault, NULL);
    else if (is_over && answer.len == 0)
        call_fail(c, MCP_FINE, RPC_INVALID_PARAMS, "the cell was cancelled", NULL);
    else if (is_over)
        call_forward(c, status, answer.data, answer.len);
    str_free(&answer);
}

/* ---- the clock ---- */

int asking_has_held(const mcp_server *s)
{
    for (const mcp_call *c = s->calls; c; c = c->next)
        if (c->stage == CALL_HELD || c->stage == CALL_LOOKED_AT)
            return 1;
    return 0;
}

static int has_news(const mcp_call *c)
{
    for (const question *q = c->questions; q; q = q->next)
        if ((!q->is_told && !c->is_task) || !snug_call_is_wanted(q->call))
            return 1;
    return c->is_woken || c->is_cancelled || !c->questions;
}

/* What else the cell does is taken care of. With the lock, which is released meanwhile. */
static void look_at(mcp_server *s, mcp_call *c)
{
    snug_result *result = NULL;

    c->stage = CALL_LOOKED_AT;
    pthread_mutex_unlock(&s->lock);
    const int error = snug_lease_wait(&result, c->lease, 0);
    char *failure = error && error != SNUG_EAGAIN ? strdup(snug_error_message()) : NULL;
    pthread_mutex_lock(&s->lock);
    c->looked_ns = clock_now_ns();
    c->stage = CALL_HELD;
    if (error != SNUG_EAGAIN) {
        c->result = result;
        c->failure = failure;
        c->has_ended = 1;
    }
    if (c->has_ended || has_news(c))
        server_resume(c);
}

static void forget_askings(mcp_server *s, uint64_t now_ns)
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

int asking_tick(mcp_server *s, uint64_t now_ns)
{
    if (s->askings)
        forget_askings(s, now_ns);
    for (mcp_call *c = s->calls; c; c = c->next) {
        if (c->stage != CALL_HELD)
            continue;
        if (c->is_cancelled || c->is_woken) {
            server_resume(c);
        } else if (now_ns >= clock_deadline_ns(c->looked_ns, LOOK_MS)) {
            look_at(s, c);
            return 1;
        }
    }
    return 0;
}

/* ---- the end ---- */

void asking_refuse_all(mcp_server *s)
{
    verdict *verdicts = NULL;

    pthread_mutex_lock(&s->lock);
    s->asks_nobody = 1;
    for (mcp_call *c = s->calls; c; c = c->next) {
        if (!c->questions)
            continue;
        refuse_questions(&verdicts, c, "nobody answers any more: the client has left");
        wake(c);
    }
    pthread_mutex_unlock(&s->lock);
    give_verdicts(verdicts);
}

void asking_forget_all(mcp_server *s)
{
    while (s->askings) {
        asking *k = s->askings;
        s->askings = k->next;
        free_asking(k);
    }
}
