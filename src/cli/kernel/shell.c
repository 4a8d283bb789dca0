/* Requests on a kernel's shell channel, in the order in which they come. */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/spin.h"
#include "cli/kernel/control.h"
#include "cli/kernel/kernel.h"

/* ---- requests that wait ---- */

typedef struct waiting {
    struct waiting *next;
    int is_refused; /* a cell before it has failed */
    packet packet;
} waiting;

enum {
    STILL_COMING_MS = 10, /* after a failure: between two requests of a client that sends many */
    MOST_COMING_MS = 200  /* in all */
};

/* A request that comes within that time of the answer before is a program's, which has no work of
 * its own between them. */
#define QUICK_NS (120 * UINT64_C(1000))
/* Between two looks; without others it takes a microsecond or two. */
#define DISTURBED_NS (30 * UINT64_C(1000))

/* Takes what has come; refused: nothing of it is to run. */
static void take_waiting(kernel *k, int is_refused)
{
    for (;;) {
        waiting *w = malloc(sizeof *w);
        if (!w || !packet_receive(&w->packet, &k->channels, CHANNEL_SHELL, k->signer)) {
            free(w);
            return;
        }

        w->next = NULL;
        w->is_refused = is_refused;
        *k->last = w;
        k->last = &w->next;
    }
}

/* A front end that runs all cells sends one after the other, and the first may fail before the last
 * one is sent: as long as they come, no reply is sent. */
void kernel_stop_waiting(kernel *k)
{
    const uint64_t until_ns = clock_deadline_ns(clock_now_ns(), MOST_COMING_MS);
    zmq_pollitem_t shell = { k->channels.sockets[CHANNEL_SHELL], -1, ZMQ_POLLIN, 0 };

    for (waiting *w = k->first; w; w = w->next)
        w->is_refused = 1;
    do
        take_waiting(k, 1);
    while (libzmq.poll(&shell, 1, STILL_COMING_MS) > 0 && clock_now_ns() < until_ns);
}

static waiting *next_waiting(kernel *k)
{
    waiting *w = k->first;
    if (!w)
        return NULL;

    k->first = w->next;
    if (!k->first)
        k->last = &k->first;
    return w;
}

static void free_waiting(waiting *w)
{
    packet_free(&w->packet);
    free(w);
}

/* ---- answers ---- */

uint64_t kernel_reply(kernel *k, kernel_channel to, signer *s, const kernel_message *request,
                      const char *type, const content *c)
{
    const outgoing o = {
        .type = type, .parent = request, .content = str_text(&c->text), .content_len = c->text.len
    };

    if (!c->has_failed)
        return channels_reply(&k->channels, to, s, &o);
    kernel_log("out of memory for a message %s", type);
    return 0;
}

void content_error(content *c, const char *name, const char *value)
{
    content_add(c, "{\"status\":\"error\"");
    content_text(c, "ename", name);
    content_text(c, "evalue", value);
    content_add(c, ",\"traceback\":[]}");
}

static void reply_shell(kernel *k, const kernel_message *request, const char *type, content *c)
{
    kernel_reply(k, CHANNEL_SHELL, k->signer, request, type, c);
    content_free(c);
}

static void answer_info(kernel *k, const kernel_message *request)
{
    content c = { 0 };
    kernel_describe(&c, k);
    reply_shell(k, request, "kernel_info_reply", &c);
}

static void answer_history(kernel *k, const kernel_message *request)
{
    content c = { 0 };
    history_answer(&c, &k->history, request);
    reply_shell(k, request, "history_reply", &c);
}

static void answer_comm_info(kernel *k, const kernel_message *request)
{
    content c = { 0 };
    content_add(&c, "{\"status\":\"ok\",\"comms\":{}}");
    reply_shell(k, request, "comm_info_reply", &c);
}

/* No target is known: what is opened is closed. */
static void close_comm(kernel *k, const kernel_message *request)
{
    content c = { 0 };
    str id = { 0 };

    if (kernel_message_text(&id, request, "comm_id")) {
        kernel_log("%s", error_message());
    } else {
        content_add(&c, "{");
        content_text(&c, "comm_id", str_text(&id));
        content_add(&c, ",\"data\":{}}");
        iopub_send(&k->publisher, request, "comm_close", &c);
    }

    content_free(&c);
    str_free(&id);
}

/* Of a comm that is closed already. */
static void ignore_comm(kernel *k, const kernel_message *request)
{
    (void)k;
    (void)request;
}

static void answer_shutdown(kernel *k, const kernel_message *request)
{
    control_shut_down(k, CHANNEL_SHELL, k->signer, request);
    attendant_begin_end(&k->attendant, EXIT_SUCCESS);
}

static const struct {
    const char *type;
    void (*answer)(kernel *k, const kernel_message *request);
} requests[] = {
    { "execute_request", kernel_execute },
    { "complete_request", kernel_complete },
    { "inspect_request", kernel_inspect },
    { "is_complete_request", kernel_is_complete },
    { "history_request", answer_history },
    { "kernel_info_request", answer_info },
    { "comm_info_request", answer_comm_info },
    { "comm_open", close_comm },
    { "comm_msg", ignore_comm },
    { "comm_close", ignore_comm },
    { "shutdown_request", answer_shutdown },
};

static void answer_request(kernel *k, const waiting *w)
{
    const kernel_message *request = &w->packet.message;
    const char *type = str_text(&request->type);

    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        if (strcmp(requests[i].type, type) != 0)
            continue;
        iopub_status(&k->publisher, request, "busy");
        if (w->is_refused && requests[i].answer == kernel_execute)
            kernel_abort(k, request);
        else
            requests[i].answer(k, request);
        iopub_status(&k->publisher, request, "idle");
        return;
    }

    kernel_log("a message %s on shell is left aside: its type is not known there", type);
}

static void answer_waiting(kernel *k)
{
    for (waiting *w; !attendant_is_ending(&k->attendant) && (w = next_waiting(k));) {
        answer_request(k, w);
        free_waiting(w);
    }
}

/* Answers whether something has come. Who has work goes first: the thread that brings the request
 * may be on this processor. Where others keep it for long, who sleeps gets it back sooner than who
 * yields: that counts as a failure. */
static int look_out(kernel *k, struct pollfd events[2], uint64_t begun_ns)
{
    uint64_t before_ns = begun_ns, now_ns = begun_ns;
    int is_there = 0, is_alone = 1;

    while (!is_there && now_ns - begun_ns < QUICK_NS) {
        is_there = poll(events, 2, 0) != 0;
        if (!is_there)
            sched_yield();
        now_ns = clock_now_ns();
        is_alone = is_alone && now_ns - before_ns < DISTURBED_NS;
        before_ns = now_ns;
    }
    spin_ended(&k->spin, is_there && is_alone);
    return is_there;
}

/* A program that asks again as soon as it has its answer does so for a while: then the next request
 * comes before a processor that had gone to sleep would be awake again. What a call of libzmq has
 * seen is not told here: all of it has been taken. */
static void await_request(kernel *k, struct pollfd events[2])
{
    const uint64_t begun_ns = clock_now_ns();
    const int is_quick = k->waited_ns < QUICK_NS && spin_processors() > 1;

    if (!is_quick || !spin_until_ns(&k->spin, begun_ns) || !look_out(k, events, begun_ns))
        poll(events, 2, -1);
    k->waited_ns = clock_now_ns() - begun_ns;
}

void kernel_serve(kernel *k)
{
    struct pollfd events[] = {
        { channels_fd(&k->channels, CHANNEL_SHELL), POLLIN, 0 },
        { k->attendant.ending_fd, POLLIN, 0 },
    };

    k->last = &k->first;
    k->waited_ns = UINT64_MAX;
    while (!attendant_is_ending(&k->attendant)) {
        take_waiting(k, 0);
        if (k->first)
            answer_waiting(k);
        else
            await_request(k, events);
    }

    for (waiting *w; (w = next_waiting(k));)
        free_waiting(w);
}
