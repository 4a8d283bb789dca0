/*
 * notes.c - what a supervisor tells its owner, and what it writes down of a session.
 */
#include "supervise/notes.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/utf8.h"

const char *snug_supervisor_event_name(snug_supervisor_event_kind kind)
{
    static const char *const names[] = {
        [SNUG_SUPERVISOR_EVENT_OPENED] = "opened",
        [SNUG_SUPERVISOR_EVENT_RESTORED] = "restored",
        [SNUG_SUPERVISOR_EVENT_SAVED] = "saved",
        [SNUG_SUPERVISOR_EVENT_PUT_AWAY] = "put_away",
        [SNUG_SUPERVISOR_EVENT_SAVE_FAILED] = "save_failed",
        [SNUG_SUPERVISOR_EVENT_LOST] = "lost",
        [SNUG_SUPERVISOR_EVENT_DAMAGED] = "damaged",
        [SNUG_SUPERVISOR_EVENT_WORKER_STARTED] = "worker_started",
        [SNUG_SUPERVISOR_EVENT_WORKER_ENDED] = "worker_ended",
        [SNUG_SUPERVISOR_EVENT_WORKER_DIED] = "worker_died",
        [SNUG_SUPERVISOR_EVENT_STATE_FAILED] = "state_failed",
    };
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "?";
}

void notes_tell(snug_supervisor *s, snug_supervisor_event_kind kind, const char *tenant_name,
                const char *session, const char *message)
{
    snug_supervisor_event event = { kind, tenant_name, "", "" };

    if (!s->on_event)
        return;
    if (session)
        event.session = session;
    if (message)
        event.message = message;
    s->on_event(s->payload, &event);
}

int notes_refuse(snug_supervisor *s, refusal_kind kind, const char *sentence)
{
    s->counts.refused[kind]++;
    return error_set(SNUG_EBUSY, "%s", sentence);
}

uint64_t notes_now(const snug_supervisor *s)
{
    if (s->world.now_ns)
        return s->world.now_ns(s->world.payload);
    return clock_now_ns();
}

/* Clients do not learn where the state folder is. */
const char *notes_reason(const seat *one, const char *message)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(one->place, '/') - one->place),
             one->place);
    const char *path = strstr(message, folder);
    const char *end = path ? strchr(path + strlen(folder), ' ') : NULL;
    return end ? end + 1 : message;
}

void notes_notice(seat *one, const char *format, ...)
{
    char text[ERROR_MESSAGE_BYTES];
    va_list args;

    va_start(args, format);
    utf8_format(text, sizeof text, format, args);
    va_end(args);
    if (strcmp(text, str_text(&one->notice)) == 0)
        return;

    str_clear(&one->notice);
    str_add(&one->notice, text);
    one->is_noticed = 0;
}

void notes_mark(snug_supervisor *s, seat *one, uint64_t cells, const char *why)
{
    if (state_mark(one->place, cells, why) == SNUG_OK)
        return;

    notes_state_failed(s, one, SNUG_ESYSTEM, "the state folder cannot be written");
    notes_notice(one, "%s", error_message());
}

int notes_state_failed(snug_supervisor *s, const seat *one, int error, const char *what)
{
    char message[ERROR_MESSAGE_BYTES];

    snprintf(message, sizeof message, "%s", error_message());
    notes_tell(s, SNUG_SUPERVISOR_EVENT_STATE_FAILED, one->tenant->name, one->name, message);
    return error_set(error, "%s: %s", what, notes_reason(one, message));
}

void notes_lost(snug_supervisor *s, seat *one, const char *why)
{
    char message[ERROR_MESSAGE_BYTES];
    snprintf(message, sizeof message, "%s", why);
    pthread_mutex_lock(&s->lock);
    one->is_lost = 1;
    pthread_mutex_unlock(&s->lock);
    notes_mark(s, one, one->cells, message);
}
