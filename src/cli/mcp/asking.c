#include "cli/mcp/asking.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"

/* MOST_KEPT: of a principal. */
enum { LOOK_MS = 250, MOST_KEPT = 100, KEPT_MS = 600000 };

/* ---- being asked ---- */

int asking_is_possible(const mcp_call *c)
{
    const snug_session_options *o = &c->server->options->session;

    for (size_t i = 0; i < o->tool_rule_count && !c->handle->is_bash; i++)
        if (o->tool_rules[i].decision == SNUG_TOOL_DECISION_ASK)
            return 1;
    return 0;
}

/* Why nobody can be asked; NULL: somebody can. With the lock. */
static const char *find_obstacle(const mcp_call *c)
{
    if (c->server->asks_nobody)
        return "nobody can be asked any more: snug mcp is ending, or its client has left";
    if (!c->peer && !questions_are_wanted(c))
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

void asking_on_approval(void *payload, snug_call *asked)
{
    mcp_call *c = payload;
    mcp_server *s = c->server;
    question *q = questions_make(asked);
    str why = { 0 };

    pthread_mutex_lock(&s->lock);
    const char *obstacle = q ? find_obstacle(c) : "out of memory for the question";
    if (!obstacle) {
        question **at = &c->questions;
        while (*at)
            at = &(*at)->next;
        q->number = ++s->asked;
        *at = q;
    }
    pthread_mutex_unlock(&s->lock);
    if (!obstacle)
        return;

    if (q)
        questions_free_one(q);
    str_printf(&why, "%s() is not allowed: the session asks about its calls, and %s",
               snug_call_name(asked), obstacle);
    snug_call_approve(asked, SNUG_APPROVAL_REFUSE, why.data);
    str_free(&why);
}

/* ---- holding ---- */

/* A thread takes it again, or will where one has it now. With the lock. */
void asking_wake(mcp_call *c)
{
    c->is_woken = 1;
    if (c->stage == CALL_HELD)
        server_resume(c);
}

static int make_id(char out[CELL_ID_BYTES])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
    unsigned char bytes[CELL_ID_BYTES - 1];

    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return SNUG_ESYSTEM;
    for (size_t i = 0; i < sizeof bytes; i++)
        out[i] = letters[bytes[i] & 31];
    out[sizeof bytes] = '\0';
    return SNUG_OK;
}

/* What the client is to hear. Of the newer revision *out is the answer to the request, and *wire
 * its way: none where no request waits. With the lock. */
static int prepare_questions(str *out, mcp_wire *wire, mcp_call *c)
{
    str result = { 0 };
    int error = *c->cell ? SNUG_OK : make_id(c->cell);

    if (!c->is_modern)
        return questions_tell(c);
    if (!error && c->peer)
        error = questions_write_result(&result, c);
    if (!error && c->peer)
        error = rpc_write_answer(out, c->message.id, "result", result.data);
    str_free(&result);
    if (error)
        return error;

    *wire = c->wire;
    c->wire = (mcp_wire){ 0 };
    c->peer = NULL;
    free(c->progress_token);
    c->progress_token = NULL;
    for (question *q = c->questions; q; q = q->next)
        q->is_told = 1;
    return SNUG_OK;
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
    mcp_wire wire = { 0 };
    str text = { 0 };

    snug_lease_rest(c->lease);
    pthread_mutex_lock(&s->lock);
    questions_drop_unwanted(&verdicts, c);
    int is_held = c->questions && !c->is_cancelled && !s->asks_nobody;
    if (is_held && prepare_questions(&text, &wire, c)) {
        questions_refuse(&verdicts, c, "out of memory for the question");
        is_held = 0;
    }
    if (is_held)
        hold(c);
    pthread_mutex_unlock(&s->lock);

    /* A call that is held is nobody's from here on. */
    if (!is_held)
        snug_lease_go_on(c->lease);
    questions_give_verdicts(verdicts);
    if (wire.answer)
        wire.answer(wire.payload, MCP_FINE, text.data, text.len);
    str_free(&text);
    return is_held;
}

void asking_end(mcp_call *c)
{
    mcp_server *s = c->server;
    verdict *verdicts = NULL;

    pthread_mutex_lock(&s->lock);
    for (const question *q = c->questions; q; q = q->next)
        questions_withdraw(c, q);
    questions_refuse(&verdicts, c, NULL);
    pthread_mutex_unlock(&s->lock);
    questions_give_verdicts(verdicts);
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
        if (!q->is_told || !snug_call_is_wanted(q->call))
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

static void forget_kept(mcp_server *s, mcp_call *c)
{
    calls_remove(&s->kept, c);
    call_free(c);
}

int asking_tick(mcp_server *s, uint64_t now_ns)
{
    while (s->kept && now_ns >= clock_deadline_ns(s->kept->looked_ns, KEPT_MS))
        forget_kept(s, s->kept);
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
        questions_refuse(&verdicts, c, "nobody answers any more: the client has left");
        asking_wake(c);
    }
    pthread_mutex_unlock(&s->lock);
    questions_give_verdicts(verdicts);
}

void asking_keep(mcp_call *c, mcp_status status, const char *member, const char *body)
{
    if (!member || str_add(&c->answer, body)) {
        call_free(c);
        return;
    }
    c->member = member;
    c->status = status;
    c->looked_ns = clock_now_ns();
    calls_add(&c->server->kept, c);

    mcp_call *oldest = NULL;
    size_t own = 0;
    for (mcp_call *one = c->server->kept; one; one = one->next)
        if (one->principal == c->principal && own++ == 0)
            oldest = one;
    if (own > MOST_KEPT)
        forget_kept(c->server, oldest);
}

void asking_forget_kept(mcp_server *s)
{
    while (s->kept)
        forget_kept(s, s->kept);
}
