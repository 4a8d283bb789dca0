#include "front/cli/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

/* How often an interrupt is sent again, and the signal that ends the thread. */
static const struct timespec again = { 0, 20 * 1000 * 1000 };
enum { SIGNAL_STOP = SIGUSR2 };

static bool asks_to_end(int signal)
{
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
}

static void tell(const char *sentence)
{
    ssize_t written = write(STDERR_FILENO, sentence, strlen(sentence));
    (void)written;
}

static void wake(signals *s, int signal)
{
    unsigned char byte = (unsigned char)signal;
    ssize_t written = write(s->pipe[1], &byte, 1); /* a full pipe is readable already */
    (void)written;
}

static void end(signals *s, int signal)
{
    bool is_first = !s->taken;
    if (is_first || signal != SIGINT)
        s->taken = signal;
    if (is_first && s->on_end)
        s->on_end(s->payload);
}

static void take(signals *s, int signal)
{
    wake(s, signal);
    if (!asks_to_end(signal))
        return;
    end(s, signal);
    s->count++;
    if (s->count == 2)
        tell("\nsnug: not ended yet; once more ends snug at once\n");
    if (s->count > 2)
        _exit(128 + signal);
}

static void *serve(void *arg)
{
    signals *s = arg;
    for (;;) {
        pthread_mutex_lock(&s->lock);
        bool is_pending = s->session && s->count > 0;
        if (is_pending)
            snug_session_interrupt(s->session);
        pthread_mutex_unlock(&s->lock);

        int signal = sigtimedwait(&s->set, NULL, is_pending ? &again : NULL);
        if (signal == SIGNAL_STOP)
            return NULL;
        if (signal < 0)
            continue;
        pthread_mutex_lock(&s->lock);
        take(s, signal);
        pthread_mutex_unlock(&s->lock);
    }
}

/* By nohup, or by a shell that runs the program in the background. */
static bool is_ignored(int signal)
{
    struct sigaction action;
    return !sigaction(signal, NULL, &action) && action.sa_handler == SIG_IGN;
}

int signals_start(signals *s)
{
    static const int waited[] = { SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGNAL_STOP };
    *s = (signals){ .pipe = { -1, -1 } };
    sigemptyset(&s->set);
    for (size_t i = 0; i < sizeof(waited) / sizeof(waited[0]); i++)
        if (!is_ignored(waited[i]))
            sigaddset(&s->set, waited[i]);
    if (pipe2(s->pipe, O_CLOEXEC | O_NONBLOCK))
        return error_system("pipe");
    pthread_mutex_init(&s->lock, NULL);
    pthread_sigmask(SIG_BLOCK, &s->set, NULL);
    if ((errno = pthread_create(&s->thread, NULL, serve, s)))
        return error_system("thread for signals");
    s->is_running = true;
    return SNUG_OK;
}

void signals_stop(signals *s)
{
    if (s->is_running) {
        pthread_kill(s->thread, SIGNAL_STOP);
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
        on_end(payload);
    pthread_mutex_unlock(&s->lock);
}

int signals_watch(signals *s, snug_session *session)
{
    pthread_mutex_lock(&s->lock);
    s->session = session;
    s->count = 0;
    int taken = s->taken;
    pthread_mutex_unlock(&s->lock);
    return taken;
}

int signals_taken(signals *s)
{
    pthread_mutex_lock(&s->lock);
    int taken = s->taken;
    pthread_mutex_unlock(&s->lock);
    return taken;
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
    end(s, signal);
    wake(s, signal);
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
