/* A stream of an older revision that ended before the answer: it is asked for the rest, by GET,
 * from its last event on (2025-11-25, basic/transports). Servers may end one at any time so as not
 * to hold its connection. Revision 2026-07-28 has no such thing. */
#include "cli/upstream/web_inside.h"

#include <limits.h>
#include <string.h>

#include "base/clock.h"

enum {
    MOST_RESUMES = 1000,
    MOST_MISSES = 3, /* one after the other, in which there was no stream */
    RESUME_MS = 1000,
    LEAST_RESUME_MS = 100,
    MOST_ID_BYTES = 4096
};

/* An id that can stand in a header. */
static int is_sendable(const str *id)
{
    for (size_t i = 0; i < id->len; i++)
        if ((unsigned char)id->data[i] < ' ' || id->data[i] == 0x7f)
            return 0;
    return id->len > 0 && id->len <= MOST_ID_BYTES;
}

/* Whether what has just ended leaves hope. */
static int may_go_on(post *p, const exchange_head *head, const char *why)
{
    if (p->resumes == 0 || p->is_events) {
        p->misses = 0;
        return 1;
    }
    return (why || head->status >= 500) && ++p->misses < MOST_MISSES;
}

int web_resume(post *p, const exchange_head *head, const char *why)
{
    uint64_t ms = p->events.retry_ms;

    if (p->id == 0 || p->body.len + p->resumes == 0 || p->answered_ns || !*p->version ||
        strcmp(p->version, MESSAGE_NEW) == 0 || !is_sendable(&p->events.id))
        return 0;
    if (!may_go_on(p, head, why) || ++p->resumes > MOST_RESUMES)
        return 0;
    if (ms == UINT64_MAX)
        ms = RESUME_MS;
    p->resume_at_ns =
        clock_deadline_ns(clock_now_ns(), ms < LEAST_RESUME_MS ? LEAST_RESUME_MS : ms);
    p->method = "GET";
    str_clear(&p->body);
    str_clear(&p->reply);
    sse_go_on(&p->events);
    p->is_begun = p->is_events = 0;
    return 1;
}

int web_resume_ms(const web *w, int ms)
{
    const uint64_t now = clock_now_ns();

    for (const post *p = w->first; p; p = p->next) {
        if (p->resume_at_ns == 0)
            continue;
        const uint64_t left = p->resume_at_ns > now ? (p->resume_at_ns - now) / NS_PER_MS + 1 : 0;
        if (ms < 0 || left < (uint64_t)ms)
            ms = left < INT_MAX ? (int)left : INT_MAX;
    }
    return ms;
}

void web_ask_for_rest(web *w)
{
    const uint64_t now = clock_now_ns();

    for (post *p = w->first, *next; p; p = next) {
        next = p->next;
        if (p->resume_at_ns == 0 || now < p->resume_at_ns)
            continue;
        p->resume_at_ns = 0;
        if (web_begin_post(p)) {
            w->base.user.on_ending(w->base.user.client, p->id, ENDING_BROKEN, 0, "out of memory");
            web_remove_post(p);
        }
    }
}
