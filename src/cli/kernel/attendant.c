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
    LOOK_MS = 100, /* after so long it is noticed that a question is not wanted any more */
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
    return SNUG_OK; /* where a sandbox refuses the call, nobody is watched */
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

/* A call that waits for one. */
typedef struct asked_line {
    snug_call *call;
    char *prompt;
    int is_approval;
    struct asked_line *next;
} asked_line;

/* line NULL: there is none, for that reason. */
static void give_line(snug_call *call, int is_approval, const char *line, size_t len,
                      const char *why)
{
    if (!is_approval) {
        snug_call_return_line(call, line, len);
        return;
    }
    const snug_approval answer = line ? approve_answer(line) : SNUG_APPROVAL_REFUSE;
    snug_call_approve(call, answer, line ? "the person who was asked refused it" : why);
}

static void free_line(asked_line *one)
{
    free(one->prompt);
    free(one);
}

static void give_nothing(asked_line *list)
{
    while (list) {
        asked_line *one = list;
        list = one->next;
        give_line(one->call, one->is_approval, NULL, 0, NULL);
        free_line(one);
    }
}

/* The lock is held. */
static asked_line *take_line(attendant *a)
{
    asked_line *one = a->lines;
    a->lines = one->next;
    a->is_asked = 0;
    one->next = NULL;
    return one;
}

/* The lock is held. */
static void send_question(attendant *a)
{
    const asked_line *one = a->lines;
    content c = { 0 };

    content_add(&c, "{");
    content_text(&c, "prompt", one->prompt);
    const int is_password = !one->is_approval && !strcmp(snug_call_name(one->call), "getpass");
    content_member(&c, "password", is_password ? "true" : "false");
    content_add(&c, "}");
    a->question = kernel_reply(a->kernel, CHANNEL_STDIN, a->signer, a->cell, "input_request", &c);
    content_free(&c);
    a->is_asked = 1;
}

/* Asks for the first line that the cell waits for. */
static void tend_lines(attendant *a)
{
    asked_line *late = NULL;

    pthread_mutex_lock(&a->lock);
    while (a->lines && !snug_call_is_wanted(a->lines->call)) {
        a->unanswered += a->is_asked;
        asked_line *one = take_line(a);
        one->next = late;
        late = one;
    }
    if (a->lines && !a->is_asked)
        send_question(a);
    pthread_mutex_unlock(&a->lock);
    give_nothing(late);
}

static void take_wake(const attendant *a)
{
    uint64_t count;
    ssize_t taken = read(a->wake_fd, &count, sizeof count);
    (void)taken;
}

/* Which question a line answers: many clients name none. */
typedef enum line_for { LINE_FOR_ANY, LINE_FOR_THIS, LINE_FOR_ANOTHER } line_for;

/* Of the client that the question went to, which is the one whose cell asks. */
static int is_of_asked(const attendant *a, const kernel_message *m)
{
    const kernel_message *cell = a->cell;
    int is = cell && m->identity_count == cell->identity_count;

    for (size_t i = 0; is && i < m->identity_count; i++)
        is = m->identities[i].len == cell->identities[i].len &&
             memcmp(m->identities[i].data, cell->identities[i].data, m->identities[i].len) == 0;
    return is;
}

static line_for find_question(const attendant *a, const kernel_message *m)
{
    str id = { 0 };
    line_for answer = LINE_FOR_ANY;

    if (!is_of_asked(a, m))
        answer = LINE_FOR_ANOTHER;
    else if (!jsontext_string(&id, jsontext_member(m->parent, "msg_id")) && id.len > 0)
        answer = channels_is_number(&a->kernel->channels, str_text(&id), a->question)
                     ? LINE_FOR_THIS
                     : LINE_FOR_ANOTHER;
    str_free(&id);
    return answer;
}

/* NULL: nobody waits for it. *is_doubtful: it may be the answer to a question before. */
static asked_line *remove_asked(int *is_doubtful, attendant *a, const kernel_message *m)
{
    asked_line *one = NULL;

    pthread_mutex_lock(&a->lock);
    const line_for question = find_question(a, m);
    if (a->lines && a->is_asked && question != LINE_FOR_ANOTHER)
        one = take_line(a);
    *is_doubtful = one && one->is_approval && question == LINE_FOR_ANY && a->unanswered;
    a->unanswered -= *is_doubtful;
    pthread_mutex_unlock(&a->lock);
    return one;
}

static void take_reply(attendant *a, const kernel_message *m)
{
    str line = { 0 };
    int is_doubtful = 0;
    asked_line *one =
        strcmp(str_text(&m->type), "input_reply") ? NULL : remove_asked(&is_doubtful, a, m);

    if (!one)
        kernel_log("a message %s on stdin is left aside: nobody waits for it", str_text(&m->type));
    else if (is_doubtful)
        give_line(one->call, one->is_approval, NULL, 0,
                  "the front end does not say which question it answers, and one before was not "
                  "answered");
    else if (kernel_message_text(&line, m, "value"))
        give_line(one->call, one->is_approval, NULL, 0, NULL);
    else
        give_line(one->call, one->is_approval, str_text(&line), line.len, NULL);
    str_free(&line);
    if (one)
        free_line(one);
}

static void take_lines(attendant *a)
{
    packet p;

    while (packet_receive(&p, &a->kernel->channels, CHANNEL_STDIN, a->signer)) {
        take_reply(a, &p.message);
        packet_free(&p);
    }
}

void attendant_ask(attendant *a, const kernel_message *cell, snug_call *call, const char *prompt,
                   int is_approval)
{
    asked_line *one = calloc(1, sizeof *one);
    char *own = strdup(prompt);

    if (!one || !own) {
        free(one);
        free(own);
        give_line(call, is_approval, NULL, 0, "out of memory for the question");
        return;
    }
    *one = (asked_line){ call, own, is_approval, NULL };

    pthread_mutex_lock(&a->lock);
    asked_line **at = &a->lines;
    while (*at)
        at = &(*at)->next;
    *at = one;
    a->cell = cell;
    pthread_mutex_unlock(&a->lock);
    ring(a->wake_fd);
}

void attendant_begin_cell(attendant *a)
{
    pthread_mutex_lock(&a->lock);
    a->stops = 0;
    a->tell_ns = 0;
    pthread_mutex_unlock(&a->lock);
}

void attendant_end_cell(attendant *a)
{
    attendant_begin_cell(a);
    pthread_mutex_lock(&a->lock);
    asked_line *lines = a->lines;
    a->lines = NULL;
    a->cell = NULL;
    a->unanswered += a->is_asked;
    a->is_asked = 0;
    pthread_mutex_unlock(&a->lock);
    give_nothing(lines);
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

enum { ON_CONTROL, ON_STDIN, ON_HEARTBEAT, ON_TEXT, ON_WAKE, ON_SIGNAL, ON_PARENT, EVENTS };

static int fill_events(zmq_pollitem_t events[EVENTS], const attendant *a)
{
    const channels *c = &a->kernel->channels;
    const zmq_pollitem_t all[EVENTS] = {
        [ON_CONTROL] = { c->sockets[CHANNEL_CONTROL], -1, ZMQ_POLLIN, 0 },
        [ON_STDIN] = { c->sockets[CHANNEL_STDIN], -1, ZMQ_POLLIN, 0 },
        [ON_HEARTBEAT] = { c->sockets[CHANNEL_HEARTBEAT], -1, ZMQ_POLLIN, 0 },
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
        iopub_late(&a->kernel->publisher);
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

/* What is waited for since the first stop of a cell. The lock is held. */
static long tell_wait_ms(attendant *a, uint64_t now_ns)
{
    static const char text[] = "snug: the cell does not answer yet: a call in C, or its handler, "
                               "has to end first. Another stop, "
                               "or its time limit, ends the session and its names\n";

    if (!a->tell_ns)
        return -1;
    if (now_ns < a->tell_ns)
        return (long)((a->tell_ns - now_ns) / NS_PER_MS) + 1;
    a->tell_ns = 0;
    iopub_text(&a->kernel->publisher, SNUG_STREAM_STDERR, text, sizeof text - 1);
    iopub_flush(&a->kernel->publisher);
    return -1;
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
    if (a->lines && a->lines->next && (wait_ms < 0 || wait_ms > LOOK_MS))
        wait_ms = LOOK_MS;
    const long tell_ms = tell_wait_ms(a, now_ns);
    if (tell_ms >= 0 && (wait_ms < 0 || wait_ms > tell_ms))
        wait_ms = tell_ms;
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
        tend_lines(a);
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
}
