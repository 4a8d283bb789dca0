#include "cli/program/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/process/child.h"
#include "cli/program/command.h"

enum {
    AGAIN_MS = 20, /* between an interrupt and the same again */
    /* Thousands of sessions are closed in that time, cells that resist are given up. */
    END_MS = 5000,
    LOOK_MS = 100,        /* between two looks whether somebody reads */
    TELL_MS = 1000,       /* after which it is said what is waited for */
    SIGNAL_LOOK = SIGUSR2 /* has the thread look at what has changed */
};

static int asks_to_end(int signal)
{
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
}

/* What is closed takes a write without a wait too. */
static int is_writable(int fd)
{
    struct pollfd stream = { fd, POLLOUT, 0 };
    return poll(&stream, 1, 0) > 0;
}

/* Where nobody reads, this thread must not wait: it would take no signal any more. */
static void tell_stderr(const char *sentence)
{
    if (!is_writable(STDERR_FILENO))
        return;
    ssize_t written = write(STDERR_FILENO, sentence, strlen(sentence));
    (void)written;
}

static void wake_readers(signals *s, int signal)
{
    unsigned char byte = (unsigned char)signal;
    ssize_t written = write(s->pipe[1], &byte, 1); /* a full pipe is readable already */
    (void)written;
}

/* on_end, and from now on the deadline; the lock is held. */
static void begin_end(signals *s)
{
    s->deadline_ns = clock_deadline_ns(clock_now_ns(), END_MS);
    s->on_end(s->payload);
    pthread_kill(s->thread, SIGNAL_LOOK);
}

static void note_end(signals *s, int signal)
{
    int is_first = !s->taken;
    if (is_first || signal != SIGINT)
        s->taken = signal;
    if (is_first && s->on_end)
        begin_end(s);
}

/* Without a word to the sessions. Their work directories go when another snug
 * opens its first session. Commands of tools would go on without anybody who asks for it. */
static void end_at_once(const signals *s, const char *why)
{
    if (s->before_exit)
        s->before_exit(s->exit_payload);
    child_end_all();
    tell_stderr(why);
    _exit(s->taken == SIGPIPE ? EXIT_FAILED : 128 + s->taken);
}

static void take_signal(signals *s, int signal)
{
    wake_readers(s, signal);
    if (!asks_to_end(signal))
        return;

    int is_ending = s->deadline_ns > 0;
    note_end(s, signal);
    s->count++;
    if (is_ending || s->count > 2)
        end_at_once(s, "");
    if (s->count == 2)
        tell_stderr("\nsnug: not ended yet; once more ends snug at once\n");
}

static int looks_for_readers(const signals *s)
{
    return s->ends_unread && s->taken && s->taken != SIGINT;
}

/* Whether it was told to end, and nobody has read for as long as that may take. */
static int is_unread(signals *s)
{
    const uint64_t now = clock_now_ns();

    if (!looks_for_readers(s) || (is_writable(STDOUT_FILENO) && is_writable(STDERR_FILENO)))
        s->unread_ns = 0;
    else if (!s->unread_ns)
        s->unread_ns = now;
    return s->unread_ns && now - s->unread_ns >= END_MS * NS_PER_MS;
}

/* Until the next interrupt or look, or the deadline; NULL: without end. */
static const struct timespec *time_to_wait(struct timespec *out, const signals *s, int is_pending)
{
    uint64_t ns = looks_for_readers(s) ? LOOK_MS * NS_PER_MS : UINT64_MAX;
    if (is_pending)
        ns = AGAIN_MS * NS_PER_MS;

    if (s->deadline_ns) {
        uint64_t now = clock_now_ns(), left = 0;
        if (s->deadline_ns > now)
            left = s->deadline_ns - now;
        if (left < ns)
            ns = left;
    }

    *out = (struct timespec){ (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };
    return ns == UINT64_MAX ? NULL : out;
}

/* A person's first Ctrl-C waits for a full session's call in C. */
static void interrupt_session(void *target)
{
    signals *s = target;

    if (s->count > 1 || s->taken != SIGINT) {
        s->asked_ns = 0;
        snug_session_interrupt(s->session);
        return;
    }
    snug_session_interrupt_gently(s->session);
    if (!s->asked_ns && snug_session_kind(s->session) == SNUG_KIND_FULL)
        s->asked_ns = clock_now_ns();
}

static void tell_wait(signals *s)
{
    if (!s->asked_ns || s->has_told || clock_now_ns() - s->asked_ns < TELL_MS * NS_PER_MS)
        return;
    s->has_told = 1;
    tell_stderr(
        "\nsnug: the cell does not answer yet: a call in C, or its handler, has to end first. "
        "Ctrl-C again, or its time limit, ends the session and its names\n");
}

static void *serve_signals(void *arg)
{
    signals *s = arg;
    for (;;) {
        pthread_mutex_lock(&s->lock);
        int is_pending = s->interrupt && s->count > 0;
        if (is_pending)
            s->interrupt(s->target);
        tell_wait(s);
        if (s->deadline_ns && clock_now_ns() >= s->deadline_ns)
            end_at_once(s, "snug: not ended in 5 s; ended at once\n");
        if (is_unread(s))
            end_at_once(s, "snug: nobody reads what it writes; ended at once\n");
        int is_over = s->is_stopping;
        struct timespec time;
        const struct timespec *until = time_to_wait(&time, s, is_pending);
        pthread_mutex_unlock(&s->lock);
        if (is_over)
            return NULL;

        int signal = sigtimedwait(&s->set, NULL, until);
        if (signal < 0 || signal == SIGNAL_LOOK)
            continue;
        pthread_mutex_lock(&s->lock);
        take_signal(s, signal);
        pthread_mutex_unlock(&s->lock);
    }
}

/* By nohup, or by a shell that runs the program in the background. */
static int is_ignored(int signal)
{
    struct sigaction action;
    return !sigaction(signal, NULL, &action) && action.sa_handler == SIG_IGN;
}

int signals_start(signals *s)
{
    static const int waited[] = { SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGCONT, SIGNAL_LOOK };

    *s = (signals){ .pipe = { -1, -1 } };
    sigemptyset(&s->set);
    for (size_t i = 0; i < sizeof waited / sizeof waited[0]; i++)
        if (waited[i] == SIGNAL_LOOK || !is_ignored(waited[i]))
            sigaddset(&s->set, waited[i]);

    if (pipe2(s->pipe, O_CLOEXEC | O_NONBLOCK))
        return error_system("pipe");
    pthread_mutex_init(&s->lock, NULL);
    pthread_sigmask(SIG_BLOCK, &s->set, NULL);
    if ((errno = pthread_create(&s->thread, NULL, serve_signals, s)))
        return error_system("thread for signals");
    s->is_running = 1;
    return SNUG_OK;
}

void signals_stop(signals *s)
{
    if (s->is_running) {
        pthread_mutex_lock(&s->lock);
        s->is_stopping = 1;
        pthread_mutex_unlock(&s->lock);
        pthread_kill(s->thread, SIGNAL_LOOK);
        pthread_join(s->thread, NULL);
        pthread_mutex_destroy(&s->lock);
    }

    for (int i = 0; i < 2; i++)
        if (s->pipe[i] >= 0)
            close(s->pipe[i]);
    *s = (signals){ .pipe = { -1, -1 } };
}

void signals_on_end(signals *s, void (*on_end)(void *payload), void *payload)
{
    pthread_mutex_lock(&s->lock);
    s->on_end = on_end;
    s->payload = payload;
    if (s->taken)
        begin_end(s);
    pthread_mutex_unlock(&s->lock);
}

void signals_end_unread(signals *s)
{
    pthread_mutex_lock(&s->lock);
    s->ends_unread = 1;
    pthread_mutex_unlock(&s->lock);
}

void signals_before_exit(signals *s, void (*before_exit)(void *payload), void *payload)
{
    pthread_mutex_lock(&s->lock);
    s->before_exit = before_exit;
    s->exit_payload = payload;
    pthread_mutex_unlock(&s->lock);
}

static int watch(signals *s, void (*interrupt)(void *target), void *target, snug_session *session)
{
    pthread_mutex_lock(&s->lock);
    s->interrupt = interrupt;
    s->target = target;
    s->session = session;
    s->asked_ns = 0;
    s->has_told = 0;
    if (!interrupt)
        s->last_count = s->count;
    s->count = 0;
    int taken = s->taken;
    pthread_mutex_unlock(&s->lock);
    return taken;
}

int signals_watch(signals *s, snug_session *session)
{
    return watch(s, session ? interrupt_session : NULL, s, session);
}

int signals_watch_call(signals *s, void (*interrupt)(void *target), void *target)
{
    return watch(s, interrupt, target, NULL);
}

int signals_taken(signals *s)
{
    pthread_mutex_lock(&s->lock);
    int taken = s->taken;
    pthread_mutex_unlock(&s->lock);
    return taken;
}

unsigned signals_count(signals *s)
{
    pthread_mutex_lock(&s->lock);
    unsigned count = s->last_count;
    pthread_mutex_unlock(&s->lock);
    return count;
}

int signals_forgive(signals *s)
{
    pthread_mutex_lock(&s->lock);
    int was = s->taken == SIGINT;
    if (was)
        s->taken = 0;
    pthread_mutex_unlock(&s->lock);
    return was;
}

void signals_ask(signals *s, int signal)
{
    pthread_mutex_lock(&s->lock);
    note_end(s, signal);
    wake_readers(s, signal);
    pthread_mutex_unlock(&s->lock);
}

int signals_next(signals *s)
{
    unsigned char byte;
    return read(s->pipe[0], &byte, 1) == 1 ? byte : 0;
}

int signals_fd(const signals *s)
{
    return s->pipe[0];
}
