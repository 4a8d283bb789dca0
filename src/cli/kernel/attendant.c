#include "cli/kernel/attendant.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "cli/kernel/control.h"
#include "cli/kernel/kernel.h"
#include "cli/prompt/approve.h"

enum {
    AGAIN_MS = 50, /* between an interrupt of what is to end and the next one */
    END_MS = 4000  /* jupyter_client kills a kernel that takes five seconds */
};

/* ---- what it waits for ---- */

static int open_signals(attendant *a)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    a->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return a->signal_fd < 0 ? error_system("signalfd") : SNUG_OK;
}

/* Who has started the kernel says so by a variable: the end of that process is the kernel's. */
static int open_parent(attendant *a)
{
    const char *text = getenv("JPY_PARENT_PID");
    char *end;

    errno = 0;
    a->parent = text ? strtol(text, &end, 10) : 0;
    if (!text || errno || *end || a->parent <= 1) {
        a->parent = 0;
        return SNUG_OK;
    }

    a->parent_fd = (int)syscall(SYS_pidfd_open, (pid_t)a->parent, 0);
    if (a->parent_fd < 0 && errno == ESRCH)
        return error_set(SNUG_ENOTFOUND,
                         "process %ld, the kernel's parent (JPY_PARENT_PID), is gone", a->parent);
    return a->parent_fd < 0 ? error_system("pidfd_open %ld (JPY_PARENT_PID)", a->parent) : SNUG_OK;
}

int attendant_prepare(attendant *a, struct kernel *k)
{
    *a = (attendant){ .kernel = k,
                      .wake_fd = -1,
                      .ending_fd = -1,
                      .signal_fd = -1,
                      .parent_fd = -1,
                      .lock = PTHREAD_MUTEX_INITIALIZER };
    int error = open_signals(a);
    if (!error)
        error = open_parent(a);
    if (error)
        return error;

    a->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    a->ending_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return a->wake_fd < 0 || a->ending_fd < 0 ? error_system("eventfd") : SNUG_OK;
}

static void ring(int fd)
{
    const uint64_t one = 1;
    ssize_t written = write(fd, &one, sizeof one);
    (void)written;
}

/* ---- the end ---- */

/* The lock is held. */
static void note_end(attendant *a, int status)
{
    if (a->is_ending)
        return;
    a->is_ending = 1;
    a->status = status;
    a->deadline_ns = clock_deadline_ns(clock_now_ns(), END_MS);
    ring(a->ending_fd);
    ring(a->wake_fd);
}

void attendant_begin_end(attendant *a, int status)
{
    pthread_mutex_lock(&a->lock);
    note_end(a, status);
    pthread_mutex_unlock(&a->lock);
}

int attendant_is_ending(attendant *a)
{
    pthread_mutex_lock(&a->lock);
    int is_ending = a->is_ending;
    pthread_mutex_unlock(&a->lock);
    return is_ending;
}

/* Again and again, for a cell that begins just now. */
static void press_for_end(attendant *a)
{
    pthread_mutex_lock(&a->lock);
    if (a->is_ending && a->session)
        snug_session_interrupt(a->session);
    if (a->is_ending && clock_now_ns() >= a->deadline_ns) {
        kernel_log("the session has not ended in %d s, and the kernel ends without it",
                   END_MS / 1000);
        _exit(a->status);
    }
    pthread_mutex_unlock(&a->lock);
}

static void take_signals(attendant *a)
{
    struct signalfd_siginfo info;

    while (read(a->signal_fd, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGINT)
            control_interrupt(a);
        else
            attendant_begin_end(a, 128 + (int)info.ssi_signo);
    }
}

static void take_parent(attendant *a)
{
    kernel_log("process %ld, the kernel's parent, is gone, and the kernel ends", a->parent);
    close(a->parent_fd);
    a->parent_fd = -1;
    attendant_begin_end(a, EXIT_SUCCESS);
}

/* ---- lines for input() ---- */

/* line NULL: there is none. */
static void give_line(snug_call *call, int is_approval, const char *line, size_t len)
{
    if (!is_approval) {
        snug_call_return_line(call, line, len);
        return;
    }
    const snug_approval answer = line ? approve_answer(line) : SNUG_APPROVAL_REFUSE;
    snug_call_approve(call, answer, line ? "the person who was asked refused it" : NULL);
}

/* The lock is held. */
static void send_question(attendant *a)
{
    content c = { 0 };

    content_add(&c, "{");
    content_text(&c, "prompt", str_text(&a->prompt));
    const int is_password = !a->is_approval && !strcmp(snug_call_name(a->call), "getpass");
    content_member(&c, "password", is_password ? "true" : "false");
    content_add(&c, "}");
    a->question = kernel_reply(a->kernel, CHANNEL_STDIN, a->signer, a->cell, "input_request", &c);
    content_free(&c);
    a->is_asked = 1;
}

static void take_wake(attendant *a)
{
    uint64_t count;
    ssize_t taken = read(a->wake_fd, &count, sizeof count);

    (void)taken;
    pthread_mutex_lock(&a->lock);
    if (a->call && !a->is_asked)
        send_question(a);
    pthread_mutex_unlock(&a->lock);
}

/* An answer may be to a question whose time ran out. Many clients do not say what they answer. */
static int answers_other(const attendant *a, const kernel_message *m)
{
    str type = { 0 }, id = { 0 };
    int is_other = !jsontext_string(&type, jsontext_member(m->parent, "msg_type")) &&
                   !jsontext_string(&id, jsontext_member(m->parent, "msg_id")) &&
                   strcmp(str_text(&type), "input_request") == 0 &&
                   !channels_is_number(&a->kernel->channels, str_text(&id), a->question);
    str_free(&type);
    str_free(&id);
    return is_other;
}

static snug_call *take_call(int *is_approval, attendant *a, const kernel_message *m)
{
    pthread_mutex_lock(&a->lock);
    snug_call *call = a->is_asked && !answers_other(a, m) ? a->call : NULL;
    *is_approval = a->is_approval;
    if (call)
        a->call = NULL;
    pthread_mutex_unlock(&a->lock);
    return call;
}

static void take_lines(attendant *a)
{
    packet p;

    while (packet_receive(&p, &a->kernel->channels, CHANNEL_STDIN, a->signer)) {
        const kernel_message *m = &p.message;
        str line = { 0 };
        int is_approval = 0;
        snug_call *call =
            strcmp(str_text(&m->type), "input_reply") ? NULL : take_call(&is_approval, a, m);

        if (!call)
            kernel_log("a message %s on stdin is left aside: nobody waits for it",
                       str_text(&m->type));
        else if (kernel_message_text(&line, m, "value"))
            give_line(call, is_approval, NULL, 0);
        else
            give_line(call, is_approval, str_text(&line), line.len);
        str_free(&line);
        packet_free(&p);
    }
}

void attendant_ask(attendant *a, const kernel_message *cell, snug_call *call, const char *prompt,
                   int is_approval)
{
    pthread_mutex_lock(&a->lock);
    snug_call *refused = NULL, *before = a->call;
    int refuses_approval = is_approval;
    str_clear(&a->prompt);
    if (before && snug_call_is_wanted(before)) {
        refused = call; /* a cell asks from several threads */
    } else if (str_add(&a->prompt, prompt)) {
        refused = call;
    } else {
        refused = before; /* whose time is over */
        refuses_approval = a->is_approval;
        a->is_approval = is_approval;
        a->call = call;
        a->cell = cell;
        a->is_asked = 0;
        ring(a->wake_fd);
    }

    pthread_mutex_unlock(&a->lock);
    if (refused)
        give_line(refused, refuses_approval, NULL, 0);
}

void attendant_end_cell(attendant *a)
{
    pthread_mutex_lock(&a->lock);
    snug_call *call = a->call;
    const int is_approval = a->is_approval;
    a->call = NULL;
    a->cell = NULL;
    pthread_mutex_unlock(&a->lock);
    if (call)
        give_line(call, is_approval, NULL, 0);
}

void attendant_hurry(attendant *a, uint64_t ms)
{
    pthread_mutex_lock(&a->lock);
    a->hurry_ns = ms ? clock_deadline_ns(clock_now_ns(), ms) : 0;
    if (ms)
        ring(a->wake_fd);
    pthread_mutex_unlock(&a->lock);
}

void attendant_set_session(attendant *a, snug_session *session)
{
    pthread_mutex_lock(&a->lock);
    a->session = session;
    pthread_mutex_unlock(&a->lock);
}

/* ---- the loop ---- */

static void echo_heartbeats(const channels *c)
{
    void *socket = c->sockets[CHANNEL_HEARTBEAT];
    zmq_msg_t frame;
    int is_there = 1;

    while (is_there) {
        libzmq.msg_init(&frame);
        is_there = libzmq.msg_recv(&frame, socket, ZMQ_DONTWAIT) >= 0;
        if (is_there)
            libzmq.send(socket, libzmq.msg_data(&frame), libzmq.msg_size(&frame),
                        ZMQ_DONTWAIT | (libzmq.msg_more(&frame) ? ZMQ_SNDMORE : 0));
        libzmq.msg_close(&frame);
    }
}

enum {
    ON_CONTROL,
    ON_STDIN,
    ON_HEARTBEAT,
    ON_SUBSCRIPTION,
    ON_TEXT,
    ON_WAKE,
    ON_SIGNAL,
    ON_PARENT,
    EVENTS
};

static int fill_events(zmq_pollitem_t events[EVENTS], const attendant *a)
{
    const channels *c = &a->kernel->channels;
    int iopub_fd = -1;
    size_t len = sizeof iopub_fd;

    if (libzmq.getsockopt(c->sockets[CHANNEL_IOPUB], ZMQ_FD, &iopub_fd, &len))
        iopub_fd = -1;
    const zmq_pollitem_t all[EVENTS] = {
        [ON_CONTROL] = { c->sockets[CHANNEL_CONTROL], -1, ZMQ_POLLIN, 0 },
        [ON_STDIN] = { c->sockets[CHANNEL_STDIN], -1, ZMQ_POLLIN, 0 },
        [ON_HEARTBEAT] = { c->sockets[CHANNEL_HEARTBEAT], -1, ZMQ_POLLIN, 0 },
        [ON_SUBSCRIPTION] = { NULL, iopub_fd, ZMQ_POLLIN, 0 },
        [ON_TEXT] = { NULL, a->kernel->publisher.timer_fd, ZMQ_POLLIN, 0 },
        [ON_WAKE] = { NULL, a->wake_fd, ZMQ_POLLIN, 0 },
        [ON_SIGNAL] = { NULL, a->signal_fd, ZMQ_POLLIN, 0 },
        [ON_PARENT] = { NULL, a->parent_fd, ZMQ_POLLIN, 0 },
    };
    memcpy(events, all, sizeof all);
    return a->parent_fd >= 0 ? EVENTS : ON_PARENT;
}

static void take_events(attendant *a, const zmq_pollitem_t events[EVENTS], int count)
{
    publisher *p = &a->kernel->publisher;

    if (events[ON_HEARTBEAT].revents)
        echo_heartbeats(&a->kernel->channels);
    if (events[ON_CONTROL].revents)
        control_serve(a);
    if (events[ON_SIGNAL].revents)
        take_signals(a);
    if (events[ON_STDIN].revents)
        take_lines(a);
    if (events[ON_WAKE].revents)
        take_wake(a);
    if (events[ON_TEXT].revents)
        iopub_late(p);
    if (events[ON_SUBSCRIPTION].revents)
        iopub_welcome(p);
    if (count > ON_PARENT && events[ON_PARENT].revents)
        take_parent(a);
}

static int is_over(attendant *a)
{
    pthread_mutex_lock(&a->lock);
    int answer = a->is_over;
    pthread_mutex_unlock(&a->lock);
    return answer;
}

/* How long the loop may wait, in ms; what has waited too long is interrupted. */
static long next_look_ms(attendant *a)
{
    const uint64_t now_ns = clock_now_ns();
    long wait_ms = -1;

    pthread_mutex_lock(&a->lock);
    if (a->hurry_ns && now_ns >= a->hurry_ns && a->session)
        snug_session_interrupt(a->session);
    if (a->is_ending || (a->hurry_ns && now_ns >= a->hurry_ns))
        wait_ms = AGAIN_MS;
    else if (a->hurry_ns)
        wait_ms = (long)((a->hurry_ns - now_ns) / NS_PER_MS) + 1;
    pthread_mutex_unlock(&a->lock);
    return wait_ms;
}

static void *attend(void *arg)
{
    attendant *a = arg;
    zmq_pollitem_t events[EVENTS];

    while (!is_over(a)) {
        int count = fill_events(events, a);
        if (libzmq.poll(events, count, next_look_ms(a)) > 0)
            take_events(a, events, count);
        press_for_end(a);
    }

    return NULL;
}

int attendant_start(attendant *a)
{
    const kernel *k = a->kernel;
    int error = signer_open(&a->signer, &k->where.key, &k->where.digest);
    if (error)
        return error;

    if ((errno = pthread_create(&a->thread, NULL, attend, a)))
        return error_system("the attendant's thread");
    a->is_running = 1;
    return SNUG_OK;
}

void attendant_close(attendant *a)
{
    if (a->is_running) {
        pthread_mutex_lock(&a->lock);
        a->is_over = 1;
        pthread_mutex_unlock(&a->lock);
        ring(a->wake_fd);
        pthread_join(a->thread, NULL);
        a->is_running = 0;
    }

    const int fds[] = { a->wake_fd, a->ending_fd, a->signal_fd, a->parent_fd };
    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    signer_close(a->signer);
    str_free(&a->prompt);
}
