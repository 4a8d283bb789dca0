#include "cli/cells/cell_asking.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsontext.h"
#include "base/str.h"
#include "cli/program/secrets.h"

struct asked_call {
    snug_call *call; /* to be answered once */
    uint64_t number;
    char *session;
    asked_call *next;
};

/* ---- asking ---- */

static int write_question(str *out, const asked_call *one)
{
    const char *name = snug_call_name(one->call);
    int error = str_add(out, "{\"schema\":\"snug.approval/1\",\"session\":");

    if (!error)
        error = jsontext_quote(out, one->session, strlen(one->session));
    if (!error)
        error = str_printf(out, ",\"call\":%llu,\"tool\":", (unsigned long long)one->number);
    if (!error)
        error = jsontext_quote(out, name, strlen(name));
    if (!error)
        error = str_printf(out, ",\"arguments\":%s}", snug_call_arguments(one->call));
    return error;
}

static asked_call *make_asked(const char *session, snug_call *call)
{
    asked_call *one = calloc(1, sizeof *one);
    if (!one)
        return NULL;
    one->call = call;
    one->session = strdup(session);
    if (one->session)
        return one;
    free(one);
    return NULL;
}

static void free_asked(asked_call *one)
{
    free(one->session);
    free(one);
}

void cell_ask(cell_asking *a, const char *session, snug_call *call)
{
    static const request nothing = { 0 };
    asked_call *one = make_asked(session, call);
    str line = { 0 };

    /* The answer may come as soon as the line is out. */
    pthread_mutex_lock(&a->lock);
    int is_asked = one && !a->is_over;
    if (is_asked) {
        one->number = ++a->asked;
        is_asked = write_question(&line, one) == SNUG_OK;
    }
    if (is_asked) {
        one->next = a->first;
        a->first = one;
        secrets_hide_str(&line);
        answer_json(a->answers, &nothing, line.data, line.len);
    }
    pthread_mutex_unlock(&a->lock);
    str_free(&line);
    if (is_asked)
        return;

    snug_call_approve(call, SNUG_APPROVAL_REFUSE,
                      one ? "nobody can be asked: the input has ended"
                          : "out of memory for the question");
    if (one)
        free_asked(one);
}

/* ---- answers ---- */

static asked_call *take_asked(cell_asking *a, const request *r)
{
    asked_call **at = &a->first;

    while (*at && ((*at)->number != r->call || strcmp((*at)->session, r->session) != 0))
        at = &(*at)->next;
    asked_call *one = *at;
    if (one)
        *at = one->next;
    return one;
}

void cell_asking_take(cell_asking *a, const request *r)
{
    char why[512];

    pthread_mutex_lock(&a->lock);
    asked_call *one = take_asked(a, r);
    pthread_mutex_unlock(&a->lock);
    if (!one) {
        snprintf(why, sizeof why, "no call %llu of session \"%.256s\" waits for an answer",
                 (unsigned long long)r->call, r->session);
        answer_error(a->answers, r, SNUG_ENOTFOUND, why);
        return;
    }

    /* Before what comes of it. */
    answer_fact(a->answers, r, "snug.approved/1", "waited", snug_call_is_wanted(one->call));
    snug_call_approve(one->call, r->approval,
                      r->approval == SNUG_APPROVAL_REFUSE ? r->reason : NULL);
    free_asked(one);
}

void cell_asking_end(cell_asking *a, const char *session)
{
    asked_call *over = NULL;

    pthread_mutex_lock(&a->lock);
    a->is_over |= session == NULL;
    for (asked_call **at = &a->first; *at;) {
        asked_call *one = *at;
        if (session && strcmp(one->session, session) != 0) {
            at = &one->next;
            continue;
        }
        *at = one->next;
        one->next = over;
        over = one;
    }
    pthread_mutex_unlock(&a->lock);

    while (over) {
        asked_call *one = over;
        over = one->next;
        snug_call_approve(one->call, SNUG_APPROVAL_REFUSE,
                          "nobody can be asked: the input has ended");
        free_asked(one);
    }
}
