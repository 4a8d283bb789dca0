#include "cli/kernel/control.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/kernel/kernel.h"

enum { TELL_MS = 1000 }; /* after which it is said what is waited for */

void control_interrupt(attendant *a)
{
    pthread_mutex_lock(&a->lock);
    if (a->session && a->stops++ == 0) {
        snug_session_interrupt_gently(a->session);
        if (snug_session_kind(a->session) == SNUG_KIND_FULL)
            a->tell_ns = clock_deadline_ns(clock_now_ns(), TELL_MS);
    } else if (a->session) {
        a->tell_ns = 0;
        snug_session_interrupt(a->session);
    }
    pthread_mutex_unlock(&a->lock);
}

static void answer_interrupt(attendant *a, const kernel_message *request)
{
    content c = { 0 };

    control_interrupt(a);
    content_add(&c, "{\"status\":\"ok\"}");
    kernel_reply(a->kernel, CHANNEL_CONTROL, a->signer, request, "interrupt_reply", &c);
    content_free(&c);
}

static void answer_info(attendant *a, const kernel_message *request)
{
    content c = { 0 };

    kernel_describe(&c, a->kernel);
    kernel_reply(a->kernel, CHANNEL_CONTROL, a->signer, request, "kernel_info_reply", &c);
    content_free(&c);
}

void control_shut_down(kernel *k, kernel_channel channel, signer *s, const kernel_message *request)
{
    content c = { 0 };

    content_add(&c, "{\"status\":\"ok\"");
    content_member(&c, "restart", kernel_message_flag(request, "restart", 0) ? "true" : "false");
    content_add(&c, "}");
    kernel_reply(k, channel, s, request, "shutdown_reply", &c);
    iopub_send(&k->publisher, request, "shutdown_reply", &c);
    content_free(&c);
}

static void answer_shutdown(attendant *a, const kernel_message *request)
{
    control_shut_down(a->kernel, CHANNEL_CONTROL, a->signer, request);
}

static const struct {
    const char *type;
    void (*answer)(attendant *a, const kernel_message *request);
    int is_end;
} requests[] = {
    { "interrupt_request", answer_interrupt, 0 },
    { "kernel_info_request", answer_info, 0 },
    { "shutdown_request", answer_shutdown, 1 },
};

static void answer_control(attendant *a, const kernel_message *request)
{
    const char *type = str_text(&request->type);

    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        if (strcmp(requests[i].type, type) != 0)
            continue;
        iopub_status(&a->kernel->publisher, request, "busy");
        requests[i].answer(a, request);
        iopub_status(&a->kernel->publisher, request, "idle");
        if (requests[i].is_end)
            attendant_begin_end(a, EXIT_SUCCESS);
        return;
    }

    kernel_log("a message %s on control is left aside: its type is not known there", type);
}

void control_serve(attendant *a)
{
    packet p;

    while (packet_receive(&p, &a->kernel->channels, CHANNEL_CONTROL, a->signer)) {
        answer_control(a, &p.message);
        packet_free(&p);
    }
}
