#include "session/cells/variables.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/jsontext.h"
#include "base/str.h"
#include "base/utf8.h"
#include "session/core/claim.h"
#include "session/core/job.h"
#include "session/core/session.h"

/* ---- a variable ---- */

typedef struct binding {
    str name, json;
} binding;

static void free_binding(void *arg)
{
    binding *b = arg;
    str_free(&b->name);
    str_free(&b->json);
    free(b);
}

/* On the session's thread. */
static int set_in_interp(snug_session *session, void *arg)
{
    const binding *b = arg;
    return interp_set(session->interp, str_text(&b->name), str_text(&b->json), b->json.len);
}

int local_set(snug_session *session, const char *name, const char *json, size_t len)
{
    const job_limits limits = session_step_limits(session);
    binding *b = calloc(1, sizeof *b);
    if (!b)
        return error_no_memory();

    int error;
    if (str_add(&b->name, name) != SNUG_OK || str_append(&b->json, json, len) != SNUG_OK) {
        error = error_no_memory();
        free_binding(b);
        return error;
    }

    error = session_run_job(session, set_in_interp, b, &limits);
    if (!session_keeps_arg(session, b, free_binding))
        free_binding(b);
    return error;
}

static int check_binding(const char *name, const char *json, size_t len)
{
    enum { MOST_NAME_BYTES = 256 };
    size_t at;
    if (!name || !json)
        return error_set(SNUG_EINVAL, "snug_session_set_variable: %s is NULL",
                         name ? "json" : "name");

    if (strlen(name) > MOST_NAME_BYTES || utf8_check(name, strlen(name), &at) != UTF8_FINE)
        return error_set(SNUG_EINVAL,
                         "snug_session_set_variable: a name is UTF-8 of at most %d bytes",
                         MOST_NAME_BYTES);

    const char *fault = jsontext_check(json, len, &at);
    if (fault)
        return error_set(SNUG_EINVAL, "snug_session_set_variable: %s is not JSON: %s at byte %zu",
                         name, fault, at + 1);
    return SNUG_OK;
}

int snug_session_set_variable(snug_session *session, const char *name, const char *json, size_t len)
{
    int error = check_binding(name, json, len);

    if (!error)
        error = session_claim_alive(&session, "snug_session_set_variable");
    if (error)
        return session_fail(session, error);
    return session_return(session, session->form->set(session, name, json, len));
}

/* ---- checkpoints ---- */

static int make_checkpoint(snug_session *session, void *unused)
{
    (void)unused;
    return interp_checkpoint(session->interp);
}

static int roll_back(snug_session *session, void *unused)
{
    (void)unused;
    return interp_rollback(session->interp);
}

static int forget_checkpoint(snug_session *session, void *unused)
{
    (void)unused;
    return interp_forget_checkpoint(session->interp);
}

/* Not a table: AddressSanitizer keeps those, and with them functions that libsnug is to be without.
 */
static job_fn job_of(checkpoint_step step)
{
    switch (step) {
    case CHECKPOINT_MAKE:
        return make_checkpoint;
    case CHECKPOINT_ROLL_BACK:
        return roll_back;
    case CHECKPOINT_FORGET:
        return forget_checkpoint;
    }
    return NULL;
}

int local_checkpoint(snug_session *session, checkpoint_step step)
{
    const job_limits limits = session_step_limits(session);
    return session_run_job(session, job_of(step), NULL, &limits);
}

static int claim_and_step(snug_session *session, checkpoint_step step, const char *what)
{
    int error = session_claim_alive(&session, what);
    if (error)
        return session_fail(session, error);
    return session_return(session, session->form->checkpoint(session, step));
}

int snug_session_checkpoint(snug_session *session)
{
    return claim_and_step(session, CHECKPOINT_MAKE, "snug_session_checkpoint");
}

int snug_session_rollback(snug_session *session)
{
    return claim_and_step(session, CHECKPOINT_ROLL_BACK, "snug_session_rollback");
}

int snug_session_forget_checkpoint(snug_session *session)
{
    return claim_and_step(session, CHECKPOINT_FORGET, "snug_session_forget_checkpoint");
}
