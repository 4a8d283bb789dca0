#include "cli/mcp/troubles.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/program/command.h"

#define HOUR_NS (3600 * 1000 * NS_PER_MS)

/* Sessions of bash stay open, because they are never saved. */
static int is_trouble(const snug_supervisor_event *event)
{
    switch (event->kind) {
    case SNUG_SUPERVISOR_EVENT_SAVE_FAILED:
        return strncmp(event->session, "sh_", 3) != 0;
    case SNUG_SUPERVISOR_EVENT_LOST:
    case SNUG_SUPERVISOR_EVENT_WORKER_DIED:
    case SNUG_SUPERVISOR_EVENT_STATE_FAILED:
        return 1;
    case SNUG_SUPERVISOR_EVENT_OPENED:
    case SNUG_SUPERVISOR_EVENT_RESTORED:
    case SNUG_SUPERVISOR_EVENT_SAVED:
    case SNUG_SUPERVISOR_EVENT_PUT_AWAY:
    case SNUG_SUPERVISOR_EVENT_DAMAGED: /* a loss with the same sentence follows */
    case SNUG_SUPERVISOR_EVENT_WORKER_STARTED:
    case SNUG_SUPERVISOR_EVENT_WORKER_ENDED:
        return 0;
    }
    return 0;
}

/* ---- how often ---- */

int troubles_may_tell(uint64_t *left_out, troubles *t, uint64_t now_ns)
{
    *left_out = 0;
    if (t->hour_ns == 0 || now_ns - t->hour_ns >= HOUR_NS) {
        *left_out = t->left_out;
        t->hour_ns = now_ns;
        t->told = 0;
        t->left_out = 0;
    }
    if (t->told >= TROUBLES_AN_HOUR) {
        t->left_out++;
        return 0;
    }
    t->told++;
    return 1;
}

/* ---- lines ---- */

/* Not where nobody reads, whose thread would wait for ever, or get a SIGPIPE. */
static int has_reader(void)
{
    struct pollfd out = { .fd = STDERR_FILENO, .events = POLLOUT };
    return poll(&out, 1, 0) == 1 && out.revents == POLLOUT;
}

/* Behind the name of the session. */
static const char *fact_of(snug_supervisor_event_kind kind)
{
    if (kind == SNUG_SUPERVISOR_EVENT_SAVE_FAILED)
        return "could not be saved, and stays open";
    if (kind == SNUG_SUPERVISOR_EVENT_LOST)
        return "is not as it was";
    return "may be restored wrongly, or not at all";
}

static void say(const snug_supervisor_event *event)
{
    /* What clients without a name of their own have. */
    int is_anybody = strcmp(event->tenant, "stdio") == 0 || strcmp(event->tenant, "http") == 0;

    if (!*event->session)
        command_fail(EXIT_FINE, "%s", event->message);
    else
        command_fail(EXIT_FINE, "session %.100s%s%.200s %s: %.1000s", event->session,
                     is_anybody ? "" : " of ", is_anybody ? "" : event->tenant,
                     fact_of(event->kind), event->message);
}

void troubles_tell(troubles *t, const snug_supervisor_event *event)
{
    uint64_t left_out;

    if (!is_trouble(event))
        return;

    pthread_mutex_lock(&t->lock);
    const int may_tell = troubles_may_tell(&left_out, t, clock_now_ns()), is_read = has_reader();
    if (left_out > 0 && is_read)
        command_fail(EXIT_FINE, "%llu more troubles with sessions were not told",
                     (unsigned long long)left_out);
    if (may_tell && is_read)
        say(event);
    pthread_mutex_unlock(&t->lock);
}
