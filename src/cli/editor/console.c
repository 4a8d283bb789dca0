#include "cli/editor/console.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/terminal/term.h"

enum {
    ESCAPE_MS = 60,      /* what belongs to an escape follows within that; */
    SSH_ESCAPE_MS = 500, /* over a network packets may be apart */
    REST_MS = 2000,      /* of a sequence or a paste that has begun */
    CHUNK_BYTES = 64 * 1024
};

/* ---- modes ---- */

void console_open(console *c, signals *s)
{
    *c = (console){ .signals = s, .is_plain = !term_has_sequences() };
}

static void write_all(const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, len);
        if (written < 0 && errno != EINTR && errno != EAGAIN)
            return;
        if (written > 0) {
            bytes += written;
            len -= (size_t)written;
        }
    }
}

void console_write(const str *bytes)
{
    write_all(str_text(bytes), bytes->len);
}

/* Bracketed paste: ESC [200~ before and ESC [201~ behind what is pasted
 * (https://invisible-island.net/xterm/xterm-paste64.html). Asked for while a text is edited, so
 * that a cell does not find marks in the terminal. */
static void set_marks(console *c, int is_on)
{
    static const char on[] = "\x1b[?2004h", off[] = "\x1b[?2004l";

    if (c->has_marks != is_on)
        write_all(is_on ? on : off, sizeof on - 1);
    c->has_marks = is_on;
}

void console_mark_pastes(console *c)
{
    if (c->is_raw)
        set_marks(c, 1);
}

void console_set_raw(console *c, int is_raw)
{
    if (c->is_plain || c->is_raw == is_raw)
        return;
    if (!is_raw) {
        set_marks(c, 0);
        tcsetattr(STDIN_FILENO, TCSADRAIN, &c->before);
        c->is_raw = 0;
        return;
    }

    if (tcgetattr(STDIN_FILENO, &c->before))
        return;
    struct termios raw = c->before;
    raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO | ISIG | IEXTEN);
    /* Some terminals paste CR LF as it stands, of which ICRNL would make two line ends. */
    raw.c_iflag &= (tcflag_t) ~(IXON | ISTRIP | INLCR | IGNCR | ICRNL);
    raw.c_oflag |= OPOST | ONLCR;
    raw.c_cc[VSUSP] = raw.c_cc[VQUIT] = _POSIX_VDISABLE;
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    if (tcsetattr(STDIN_FILENO, TCSADRAIN, &raw))
        return;
    c->is_raw = 1;
}

void console_renew_raw(console *c)
{
    if (!c->is_raw)
        return;
    c->is_raw = 0;
    console_set_raw(c, 1);
    c->has_marks = 0;
    set_marks(c, 1);
}

void console_set_interrupts(console *c, int is_on)
{
    struct termios now;

    if (!c->is_raw || tcgetattr(STDIN_FILENO, &now))
        return;
    now.c_lflag = is_on ? now.c_lflag | ISIG : now.c_lflag & (tcflag_t)~ISIG;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &now);
}

void console_suspend(console *c)
{
    console_set_raw(c, 0);
    kill(0, SIGTSTP);
    console_set_raw(c, 1);
    console_mark_pastes(c);
}

void console_close(console *c)
{
    console_set_raw(c, 0);
    keys_free(&c->keys);
    str_free(&c->ahead);
}

void console_size(size_t *columns, size_t *rows)
{
    struct winsize size = { 0 };

    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    *columns = size.ws_col ? size.ws_col : 80;
    *rows = size.ws_row ? size.ws_row : 24;
}

/* ---- bytes ---- */

static int has_input(int ms)
{
    struct pollfd in = { STDIN_FILENO, POLLIN, 0 };
    return poll(&in, 1, ms) > 0 && (in.revents & (POLLIN | POLLHUP));
}

int console_is_idle(console *c)
{
    return c->at == c->ahead.len && !has_input(0);
}

/* 1: there are bytes; 0: the input has ended. */
static int read_chunk(console *c)
{
    str_clear(&c->ahead);
    c->at = 0;
    if (str_reserve(&c->ahead, CHUNK_BYTES))
        return 0;
    for (;;) {
        ssize_t got = read(STDIN_FILENO, c->ahead.data, CHUNK_BYTES);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return 0;
        c->ahead.len = (size_t)got;
        c->ahead.data[got] = '\0';
        return 1;
    }
}

/* The terminal may be gone before its SIGHUP has come: the end is the same. */
static console_event end_of_input(console *c)
{
    struct pollfd in = { STDIN_FILENO, POLLIN, 0 };

    if (poll(&in, 1, 0) > 0 && (in.revents & POLLHUP))
        signals_ask(c->signals, SIGHUP);
    return CONSOLE_END;
}

/* ---- waiting ---- */

static console_event event_of_signal(int signal)
{
    return signal == SIGCONT ? CONSOLE_RESUME : CONSOLE_RESIZE;
}

/* How long the next byte may take, in ms; -1: as long as it likes. */
static int patience(const console *c)
{
    switch (keys_waits(&c->keys)) {
    case 0:
        return -1;
    case 1:
        return getenv("SSH_CONNECTION") || getenv("SSH_TTY") ? SSH_ESCAPE_MS : ESCAPE_MS;
    default:
        return REST_MS;
    }
}

/* CONSOLE_KEY: stdin is readable, or *is_late. */
static console_event wait_for_input(console *c, int *is_late)
{
    struct pollfd fds[] = { { STDIN_FILENO, POLLIN, 0 }, { signals_fd(c->signals), POLLIN, 0 } };

    for (;;) {
        int found = poll(fds, 2, patience(c)), signal;
        if (found < 0 && errno != EINTR)
            return CONSOLE_END;
        *is_late = found == 0;
        if (*is_late)
            return CONSOLE_KEY;

        console_event event = CONSOLE_KEY;
        while ((signal = signals_next(c->signals)))
            if (signal == SIGWINCH || signal == SIGCONT)
                event = event_of_signal(signal);
        /* Ctrl-C is a key, where it is not a plain terminal. */
        if (signals_forgive(c->signals) && c->is_plain)
            return CONSOLE_CANCEL;
        if (signals_taken(c->signals))
            return CONSOLE_END;
        if (event != CONSOLE_KEY)
            return event;
        if (fds[0].revents)
            return CONSOLE_KEY;
    }
}

console_event console_next(console *c, key *k)
{
    for (;;) {
        int is_late = 0;
        if (c->at == c->ahead.len) {
            console_event event = wait_for_input(c, &is_late);
            if (event != CONSOLE_KEY)
                return event;
            if (!is_late && !read_chunk(c))
                return end_of_input(c);
        }

        *k = is_late ? keys_give_up(&c->keys)
                     : keys_take(&c->keys, (unsigned char)c->ahead.data[c->at++]);
        if (k->code == KEY_NONE)
            continue;
        k->is_in_burst = !is_late && !console_is_idle(c);
        return CONSOLE_KEY;
    }
}

console_event console_next_byte(console *c, unsigned char *byte)
{
    int is_late;

    if (c->at == c->ahead.len) {
        console_event event = wait_for_input(c, &is_late);
        if (event != CONSOLE_KEY)
            return event;
        if (!read_chunk(c))
            return end_of_input(c);
    }

    *byte = (unsigned char)c->ahead.data[c->at++];
    return CONSOLE_KEY;
}
