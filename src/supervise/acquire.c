/*
 * acquire.c - how a call comes by its session: it is there, or it is opened, restored, begun again.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/utf8.h"
#include "supervise/acquire.h"
#include "supervise/evict.h"
#include "supervise/notes.h"
#include "supervise/tenant_hosts.h"

void arrival_free(arrival *a)
{
    snug_saved_free(a->shown.restored);
    str_free(&a->reason);
    str_free(&a->left);
    str_free(&a->notice);
    *a = (arrival){ 0 };
}

/* ---- callbacks: each call has its own ---- */

static void relay_output(void *payload, snug_stream stream, const char *text, size_t len)
{
    const snug_session_options *call = &((seat *)payload)->call;
    if (call->on_output)
        call->on_output(call->payload, stream, text, len);
}

static void relay_display(void *payload, snug_display_event event, const snug_display *display)
{
    const snug_session_options *call = &((seat *)payload)->call;
    if (call->on_display)
        call->on_display(call->payload, event, display);
}

static void relay_input(void *payload, snug_call *asked, const char *prompt)
{
    const snug_session_options *call = &((seat *)payload)->call;
    if (call->on_input)
        call->on_input(call->payload, asked, prompt);
    else
        snug_call_return_line(asked, NULL, 0);
}

static void relay_tool_call(void *payload, const snug_tool_call *made)
{
    const snug_session_options *call = &((seat *)payload)->call;
    if (call->on_tool_call)
        call->on_tool_call(call->payload, made);
}

static void relay_approval(void *payload, snug_call *asked)
{
    const snug_session_options *call = &((seat *)payload)->call;
    if (call->on_approval)
        call->on_approval(call->payload, asked);
    else
        snug_call_approve(asked, SNUG_APPROVAL_REFUSE, NULL);
}

/* ---- opening ---- */

/* The longest name that snug.h takes for a session. */
enum { SNUG_NAME_BYTES = 256 };

static int open_once(snug_session **out, snug_supervisor *s, seat *one,
                     const snug_session_options *options)
{
    char name[SNUG_NAME_BYTES + 1];
    snug_session_options mine = *options;
    snug_host *host;
    size_t len = strlen(one->name);
    int error = hosts_get(&host, s, one->tenant);
    if (error)
        return error;

    if (len > SNUG_NAME_BYTES)
        len = utf8_floor(one->name, len, SNUG_NAME_BYTES);
    memcpy(name, one->name, len);
    name[len] = '\0';
    mine.name = name;
    mine.on_output = relay_output;
    mine.on_display = relay_display;
    mine.on_input = relay_input;
    mine.on_tool_call = relay_tool_call;
    mine.on_approval = relay_approval;
    mine.payload = one;
    return snug_session_open(out, host, &mine);
}

/* The death of a worker may be noticed by the first who asks it for something; the second has
 * another worker. */
static int is_worth_another(const snug_supervisor *s, int error)
{
    return !s->host && (error == SNUG_ESYSTEM || error == SNUG_EDEAD);
}

static int open_twice(snug_session **out, snug_supervisor *s, seat *one,
                      const snug_session_options *options)
{
    int error = open_once(out, s, one, options);
    if (!is_worth_another(s, error))
        return error;

    error = hosts_replace(s, one->tenant);
    if (error)
        return error;
    return open_once(out, s, one, options);
}

static int open_seat(snug_supervisor *s, seat *one, const snug_session_options *options)
{
    snug_session *session = NULL;
    int error = evict_make_room(s, one->tenant);
    if (error)
        return error;

    error = state_make_folder(one->place);
    if (error)
        error = notes_state_failed(s, one, error, "the state folder cannot be written");
    else
        error = open_twice(&session, s, one, options);
    if (!error && s->on_session) {
        error = s->on_session(s->payload, session, one->tenant->name, one->name);
        if (error)
            snug_session_close(session);
    }

    if (error) {
        evict_return_room(s, one->tenant);
        return error;
    }

    pthread_mutex_lock(&s->lock);
    one->session = session;
    pthread_mutex_unlock(&s->lock);
    hosts_note(s, one);
    return SNUG_OK;
}

/* One that was lost with its interpreter or its worker; its files are there still. */
static int reset_session(snug_supervisor *s, seat *one)
{
    int error = snug_session_reset(one->session);
    if (is_worth_another(s, error))
        error = snug_session_reset(one->session);
    if (!error)
        hosts_note(s, one);
    return error;
}

/* ---- what it was ---- */

static void tell_reason(arrival *a, const char *why, const char *otherwise)
{
    str_clear(&a->reason);
    str_add(&a->reason, why && *why ? why : otherwise);
}

/* A save that cannot be restored stays, under another name. */
static int put_aside(snug_supervisor *s, seat *one, arrival *a)
{
    char message[ERROR_MESSAGE_BYTES];
    const char *why = notes_reason(one, error_message());

    snprintf(message, sizeof message,
             "what was saved of it cannot be restored, and is kept as %.200s.damaged: %s%.700s",
             strrchr(one->place, '/') + 1, why == error_message() ? "" : "it ", why);
    int error = state_put_aside(one->place);
    if (error)
        return error;

    pthread_mutex_lock(&s->lock);
    s->counts.damaged++;
    s->state.saved--;
    pthread_mutex_unlock(&s->lock);
    state_remove(one->place, ".tried");
    a->shown.cells_lost = MARK_UNKNOWN;
    tell_reason(a, message, "");
    notes_tell(s, SNUG_SUPERVISOR_EVENT_DAMAGED, one->tenant->name, one->name, message);
    return SNUG_OK;
}

static int restore_saved(snug_supervisor *s, seat *one, arrival *a)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s.snug", one->place);
    a->shown.saved_ms = state_written_ms(one->place, ".snug");
    int error = snug_session_restore(&a->shown.restored, one->session, path);
    if (!error) {
        state_read_left(one->place, &a->left);
        state_remove(one->place, ".tried");
        a->shown.origin = SNUG_ORIGIN_RESTORED;
    } else if (error == SNUG_EINVAL || (error == SNUG_ESTOPPED && state_note_try(one->place))) {
        a->shown.saved_ms = 0;
        a->shown.origin = SNUG_ORIGIN_LOST;
        error = put_aside(s, one, a);
    } else if (error == SNUG_ESYSTEM) {
        error = notes_state_failed(s, one, error, "the save of the session cannot be read");
    }

    return error;
}

/* What the state folder tells of its end before. */
static void find_origin(const seat *one, arrival *a, int was_lost)
{
    str why = { 0 };
    int is_marked = state_read_mark(one->place, &a->shown.cells_lost, &why);

    /* Of one that is open it is known even where the mark could not be written. */
    int is_known = a->shown.cells_lost != MARK_UNKNOWN;
    if (was_lost)
        a->shown.cells_lost = one->cells;

    a->shown.origin = SNUG_ORIGIN_NEW;
    if (was_lost)
        tell_reason(a, str_text(&why), "its worker has died");
    else if (is_marked && !is_known)
        tell_reason(a, NULL,
                    "its process ended, and cells that have run since it was saved may be lost: "
                    "how many is not known");
    else if (is_marked)
        tell_reason(a, str_text(&why), "its process ended before it was saved");

    if (was_lost || is_marked)
        a->shown.origin = SNUG_ORIGIN_LOST;
    str_free(&why);
}

static void tell_arrival(snug_supervisor *s, seat *one, const arrival *a)
{
    const char *tenant_name = one->tenant->name;
    int is_restored = a->shown.origin == SNUG_ORIGIN_RESTORED, is_lost = a->reason.len > 0;

    pthread_mutex_lock(&s->lock);
    if (is_restored)
        s->counts.restored++;
    else
        s->counts.opened++;

    if (is_lost)
        s->counts.lost++;
    pthread_mutex_unlock(&s->lock);

    if (is_restored)
        state_remove(one->place, ".open");
    else
        notes_mark(s, one, 0, NULL);
    if (is_lost)
        notes_tell(s, SNUG_SUPERVISOR_EVENT_LOST, tenant_name, one->name, a->reason.data);
    if (is_restored)
        notes_tell(s, SNUG_SUPERVISOR_EVENT_RESTORED, tenant_name, one->name, NULL);
    else
        notes_tell(s, SNUG_SUPERVISOR_EVENT_OPENED, tenant_name, one->name, NULL);
}

/* The session is there, and empty. */
static int fill_session(snug_supervisor *s, seat *one, arrival *a, int was_lost)
{
    find_origin(one, a, was_lost);
    if (state_has(one->place, ".snug")) {
        int error = restore_saved(s, one, a);
        if (error)
            return error;
    }

    one->cells = 0;
    one->is_dirty = 0;
    tell_arrival(s, one, a);
    return SNUG_OK;
}

/* Without a word to the state folder, which says what it did before. */
static void give_up_session(snug_supervisor *s, seat *one)
{
    char message[ERROR_MESSAGE_BYTES];
    snug_session *session = one->session;

    snprintf(message, sizeof message, "%s", error_message());
    pthread_mutex_lock(&s->lock);
    one->session = NULL;
    one->is_lost = 0;
    hosts_forget(one);
    pthread_mutex_unlock(&s->lock);
    snug_session_close(session);
    evict_return_room(s, one->tenant);
    error_set(SNUG_OK, "%s", message);
}

int acquire(snug_lease *lease, const snug_session_options *options)
{
    snug_supervisor *s = lease->supervisor;
    seat *one = lease->seat;
    arrival *a = &lease->arrival;
    int error = SNUG_OK;

    one->call = *options;
    hosts_check(s, one->tenant);
    pthread_mutex_lock(&s->lock);
    int was_lost = one->is_lost;
    pthread_mutex_unlock(&s->lock);
    if (one->session && was_lost && reset_session(s, one) != SNUG_OK)
        give_up_session(s, one);

    if (one->session && !was_lost) {
        a->shown.origin = SNUG_ORIGIN_OPEN;
    } else {
        if (!one->session)
            error = open_seat(s, one, options);
        if (!error) {
            error = fill_session(s, one, a, was_lost && evict_loses(one));
            if (error)
                give_up_session(s, one);
        }
    }

    if (!one->is_noticed)
        str_add_str(&a->notice, &one->notice);
    one->is_noticed = 1;
    a->shown.not_saved = str_text(&a->notice);
    a->shown.reason = str_text(&a->reason);
    a->shown.files_left_out = a->left.len > 0 ? a->left.data : "[]";
    return error;
}
