/* asking_answers.c - what clients answer. */
#include <stdlib.h>
#include <string.h>

#include "cli/mcp/asking_form.h"
#include "cli/mcp/asking_inside.h"

/* ---- answers ---- */

static const cJSON *find_response(const cJSON *responses, const question *q, uint64_t last)
{
    char key[40];

    snprintf(key, sizeof key, "approval-%llu", (unsigned long long)q->number);
    return q->number <= last ? cJSON_GetObjectItemCaseSensitive(responses, key) : NULL;
}

/* Of inputResponses: 0 where one of them is not an ElicitResult. With the lock, as what follows. */
int questions_check(const mcp_call *c, const cJSON *responses, uint64_t last)
{
    for (const question *q = c->questions; q; q = q->next) {
        snug_approval answer;
        const char *reason;
        const cJSON *one = find_response(responses, q, last);
        if (one && form_read(&answer, &reason, one) < 0)
            return 0;
    }
    return 1;
}

void questions_take(verdict **list, mcp_call *c, const cJSON *responses, uint64_t last)
{
    for (question **at = &c->questions; *at;) {
        snug_approval answer;
        const char *reason;
        const cJSON *one = find_response(responses, *at, last);
        if (one && form_read(&answer, &reason, one) == 1)
            questions_decide(list, at, answer, answer == SNUG_APPROVAL_REFUSE ? reason : NULL);
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
    const int is_fine = !c || questions_check(c, responses, UINT64_MAX);
    if (c && is_fine) {
        questions_take(&verdicts, c, responses, UINT64_MAX);
        if (verdicts)
            asking_wake(c);
    }
    pthread_mutex_unlock(&s->lock);
    questions_give_verdicts(verdicts);
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
        if (c->peer != peer || c->is_modern || !*questions_find(c, number))
            continue;
        questions_decide(&verdicts, questions_find(c, number), answer,
                         answer == SNUG_APPROVAL_REFUSE ? reason : NULL);
        asking_wake(c);
    }
    pthread_mutex_unlock(&s->lock);
    questions_give_verdicts(verdicts);
}
