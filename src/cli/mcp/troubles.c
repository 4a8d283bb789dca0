#include "cli/mcp/troubles.h"

#include <poll.h>
#include <stdio.h>
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

/* FNV-1a. Who makes two alike hides a line of his own. */
static uint64_t add_to_key(uint64_t key, const char *text)
{
    do
        key = (key ^ (unsigned char)*text) * UINT64_C(1099511628211);
    while (*text++);
    return key;
}

static trouble *find_trouble(troubles *t, const snug_supervisor_event *event)
{
    uint64_t key = UINT64_C(14695981039346656037) + (uint64_t)event->kind;
    trouble *oldest = t->known;

    key = add_to_key(add_to_key(key, event->tenant), event->session);
    for (trouble *one = t->known; one < t->known + TROUBLES_KNOWN; one++) {
        if (one->times > 0 && one->key == key)
            return one;
        if (one->last < oldest->last)
            oldest = one;
    }

    *oldest = (trouble){ .key = key };
    return oldest;
}

static int is_power_of_ten(uint64_t times)
{
    while (times % 10 == 0)
        times /= 10;
    return times == 1;
}

uint64_t troubles_count(uint64_t *left_out, troubles *t, const snug_supervisor_event *event,
                        uint64_t now_ns)
{
    trouble *one = find_trouble(t, event);

    *left_out = 0;
    one->last = ++t->events;
    one->times++;
    if (t->hour_ns == 0 || now_ns - t->hour_ns >= HOUR_NS) {
        *left_out = t->left_out;
        t->hour_ns = now_ns;
        t->told = 0;
        t->left_out = 0;
    }

    if (!is_power_of_ten(one->times))
        return 0;
    if (t->told >= TROUBLES_AN_HOUR) {
        t->left_out++;
        return 0;
    }

    t->told++;
    return one->times;
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

static void say(const snug_supervisor_event *event, uint64_t times)
{
    /* What clients without a name of their own have. */
    int is_anybody = strcmp(event->tenant, "stdio") == 0 || strcmp(event->tenant, "http") == 0;
    char again[48] = "";

    if (times > 1)
        snprintf(again, sizeof again, " (the %lluth time)", (unsigned long long)times);
    if (!*event->session)
        command_fail(EXIT_FINE, "%s%s", event->message, again);
    else
        command_fail(EXIT_FINE, "session %.100s%s%.200s %s: %.1000s%s", event->session,
                     is_anybody ? "" : " of ", is_anybody ? "" : event->tenant,
                     fact_of(event->kind), event->message, again);
}

void troubles_tell(troubles *t, const snug_supervisor_event *event)
{
    uint64_t left_out;

    if (!is_trouble(event))
        return;

    pthread_mutex_lock(&t->lock);
    uint64_t times = troubles_count(&left_out, t, event, clock_now_ns());
    int is_read = has_reader();
    if (left_out > 0 && is_read)
        command_fail(EXIT_FINE, "%llu more troubles with sessions were not told",
                     (unsigned long long)left_out);
    if (times > 0 && is_read)
        say(event, times);
    pthread_mutex_unlock(&t->lock);
}
