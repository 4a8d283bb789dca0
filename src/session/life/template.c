/*
 * template.c - a session whose names others begin with: saved in memory, and restored from there.
 */
#include <stdlib.h>
#include <string.h>

#include <snug/program.h>

#include "base/error.h"
#include "base/str.h"
#include "session/core/claim.h"
#include "session/core/host.h"
#include "session/core/session.h"

struct snug_template {
    snug_kind kind;
    str file; /* as snug_session_save writes it */
};

static int check_kind(snug_kind kind, const char *what)
{
    if (kind != SNUG_KIND_BASH)
        return SNUG_OK;
    return error_set(SNUG_EINVAL, "%s: a shell has no names that others could begin with", what);
}

/* Where nobody asked for the report, it goes. */
static void give_report(snug_saved **out, snug_saved *saved)
{
    if (out)
        *out = saved;
    else
        snug_saved_free(saved);
}

static int save_to_template(snug_template *template, snug_saved **saved, snug_session *session)
{
    int error = session_claim_alive(&session, "snug_template_make");
    if (error)
        return session_fail(session, error);
    return session_return(session, session->form->save_text(saved, session, &template->file));
}

int snug_template_make(snug_template **out, snug_saved **saved, snug_session *session)
{
    static const char what[] = "snug_template_make";
    snug_saved *report = NULL;

    if (!out || !session)
        return session_fail(
            session, error_set(SNUG_EINVAL, "%s: %s is NULL", what, out ? "session" : "out"));
    int error = check_kind(session->kind, what);
    if (error)
        return session_fail(session, error);

    snug_template *template = calloc(1, sizeof *template);
    if (!template)
        return session_fail(session, error_no_memory());

    template->kind = session->kind;
    error = save_to_template(template, &report, session);
    if (error) {
        snug_template_free(template);
        return error;
    }

    give_report(saved, report);
    *out = template;
    return SNUG_OK;
}

void snug_template_free(snug_template *template)
{
    if (!template)
        return;
    str_free(&template->file);
    free(template);
}

/* Of a session that was just opened. */
static int restore_template(snug_saved **saved, snug_session *session,
                            const snug_template *template)
{
    int error = check_kind(session->kind, "snug_session_open_from");
    if (!error && session->kind != template->kind)
        error = error_set(SNUG_EINVAL, "snug_session_open_from: the template is of a session of "
                                       "another kind");
    if (!error)
        error = session_claim_alive(&session, "snug_session_open_from");
    if (error)
        return error;
    return session_return(session, session->form->restore_text(saved, session, &template->file));
}

int snug_session_open_from(snug_session **out, snug_saved **saved, snug_host *host,
                           const snug_template *template, const snug_session_options *options)
{
    snug_session *session;
    snug_saved *report = NULL;

    if (!out || !template)
        return host_fail(host, error_set(SNUG_EINVAL, "snug_session_open_from: %s is NULL",
                                         out ? "template" : "out"));

    int error = snug_session_open(&session, host, options);
    if (error)
        return error;

    error = restore_template(&report, session, template);
    if (error) {
        char why[ERROR_MESSAGE_BYTES];
        strcpy(why, error_message());
        snug_session_close(session);
        return host_fail(host, error_set(error, "%s", why));
    }

    give_report(saved, report);
    *out = session;
    return SNUG_OK;
}
