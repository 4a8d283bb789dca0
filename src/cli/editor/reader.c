#include "cli/editor/reader.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/str.h"
#include "cli/editor/history_file.h"
#include "cli/editor/keys.h"
#include "cli/editor/pasted.h"
#include "cli/editor/screen.h"
#include "cli/editor/view.h"
#include "cli/program/signals.h"
#include "cli/terminal/term.h"

/* ---- the terminal below the editor ---- */

typedef enum console_event {
    CONSOLE_KEY,
    CONSOLE_RESIZE,
    CONSOLE_RESUME, /* the program was stopped, and goes on */
    CONSOLE_CANCEL, /* Ctrl-C, of a plain terminal */
    CONSOLE_END     /* of the input, or a signal that ends the program */
} console_event;

typedef struct console {
    signals *signals;
    keys keys;
    struct termios before; /* as the terminal was */
    str ahead;             /* read, and not yet used; from at on */
    size_t at;
    int is_raw, has_marks;
    int is_plain; /* the terminal has no sequences: TERM=dumb */
} console;

enum {
    ESCAPE_MS = 60,      /* what belongs to an escape follows within that; */
    SSH_ESCAPE_MS = 500, /* over a network packets may be apart */
    REST_MS = 2000,      /* of a sequence or a paste that has begun */
    CHUNK_BYTES = 64 * 1024
};

/* ---- modes ---- */

static void console_open(console *c, signals *s)
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

static void console_write(const str *bytes)
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

/* Pastes come with marks around them, while keys do. */
static void console_mark_pastes(console *c)
{
    if (c->is_raw)
        set_marks(c, 1);
}

/* Keys come one by one; or the terminal is as it was before. */
static void console_set_raw(console *c, int is_raw)
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

/* The program was stopped from outside, and somebody else has set the modes meanwhile. */
static void console_renew_raw(console *c)
{
    if (!c->is_raw)
        return;
    c->is_raw = 0;
    console_set_raw(c, 1);
    c->has_marks = 0;
    set_marks(c, 1);
}

/* Whether Ctrl-C is a signal while keys come one by one: for as long as a session is asked. */
static void console_set_interrupts(console *c, int is_on)
{
    struct termios now;

    if (!c->is_raw || tcgetattr(STDIN_FILENO, &now))
        return;
    now.c_lflag = is_on ? now.c_lflag | ISIG : now.c_lflag & (tcflag_t)~ISIG;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &now);
}

/* To the shell, and back. */
static void console_suspend(console *c)
{
    console_set_raw(c, 0);
    kill(0, SIGTSTP);
    console_set_raw(c, 1);
    console_mark_pastes(c);
}

static void console_close(console *c)
{
    console_set_raw(c, 0);
    keys_free(&c->keys);
    str_free(&c->ahead);
}

static void console_size(size_t *columns, size_t *rows)
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

/* Nothing more has come yet. */
static int console_is_idle(console *c)
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

/* Waits. */
static console_event console_next(console *c, key *k)
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

/* The same, of a plain terminal. */
static console_event console_next_byte(console *c, unsigned char *byte)
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

/* ---- plain ---- */

/* CONSOLE_KEY: *line is one, without its end. */
static console_event read_line_of(console *c, str *line)
{
    str_clear(line);
    for (;;) {
        unsigned char byte;
        console_event event = console_next_byte(c, &byte);
        if (event == CONSOLE_RESIZE || event == CONSOLE_RESUME)
            continue;
        if (event != CONSOLE_KEY || byte == '\n')
            return event;
        if (line->len < BUFFER_MOST_BYTES && str_append(line, (const char *)&byte, 1))
            return CONSOLE_END;
    }
}

static int is_blank_line(const char *line)
{
    return !line[strspn(line, " \t\r\f")];
}

/* A line that is indented waits for an empty one, so that a block can go on; where more has come
 * with it, an empty line ends nothing. */
static int is_over(console *c, const editor_hooks *hooks, const str *text, const char *last,
                   int is_first)
{
    if (is_blank_line(str_text(text)))
        return 1;
    if (is_blank_line(last) && !console_is_idle(c))
        return 0;
    if (hooks->is_whole && !hooks->is_whole(hooks->payload, str_text(text), text->len))
        return 0;
    return is_first || is_blank_line(last) || !is_blank(*last);
}

/* As reader_read: an empty line ends a block. */
static reader_event plain_read(console *c, const editor_hooks *hooks, const char *label,
                               const char *more, str *text)
{
    str line = { 0 }, cleaned = { 0 };
    reader_event event = READER_TEXT;

    str_clear(text);
    for (int is_first = 1;; is_first = 0) {
        fputs(is_first ? label : more, stdout);
        fflush(stdout);
        console_event read = read_line_of(c, &line);
        if (read == CONSOLE_CANCEL)
            fputs("\nKeyboardInterrupt\n\n", stdout);
        if (read != CONSOLE_KEY) {
            event = read == CONSOLE_CANCEL ? READER_CANCEL : READER_END;
            break;
        }

        str_clear(&cleaned);
        if (pasted_clean(&cleaned, str_text(&line), line.len) ||
            (!is_first && str_add(text, "\n")) ||
            str_append(text, str_text(&cleaned), cleaned.len)) {
            event = READER_END;
            break;
        }
        if (is_over(c, hooks, text, str_text(&cleaned), is_first))
            break;
    }

    str_free(&line);
    str_free(&cleaned);
    return event;
}

struct reader {
    console console;
    editor editor;
    screen screen;
    entries history;
    char *history_path;
    int has_complained; /* of the history's file, which is said once */
    view_labels labels;
    editor_hooks asked; /* by those of the editor */
};

/* ---- hooks ---- */

/* Ctrl-C ends what a session is asked. */
static void ask_matches(void *payload, menu *out, const char *text, size_t len, size_t cursor)
{
    reader *r = payload;

    console_set_interrupts(&r->console, 1);
    r->asked.complete(r->asked.payload, out, text, len, cursor);
    console_set_interrupts(&r->console, 0);
}

static void ask_description(void *payload, str *out, const char *text, size_t len, size_t cursor)
{
    reader *r = payload;

    console_set_interrupts(&r->console, 1);
    r->asked.describe(r->asked.payload, out, text, len, cursor);
    console_set_interrupts(&r->console, 0);
}

static int ask_whether_whole(void *payload, const char *text, size_t len)
{
    reader *r = payload;
    return r->asked.is_whole(r->asked.payload, text, len);
}

/* ---- drawing ---- */

typedef int (*drawing_step)(str *out, screen *s);

static void draw(reader *r, drawing_step step, int is_final)
{
    str out = { 0 };

    if (view_draw(&r->screen.next, &r->editor, &r->labels, is_final) == 0 &&
        step(&out, &r->screen) == 0)
        console_write(&out);
    str_free(&out);
}

static void draw_anew(reader *r)
{
    r->screen.is_unknown = 1;
    draw(r, screen_update, 0);
}

static void take_size(reader *r)
{
    console_size(&r->editor.columns, &r->editor.rows);
    r->screen.columns = r->editor.columns;
}

static void follow_resize(reader *r)
{
    str out = { 0 };
    size_t columns, rows;

    console_size(&columns, &rows);
    if (screen_resize(&out, &r->screen, columns) == 0)
        console_write(&out);
    str_free(&out);
    r->editor.columns = columns;
    r->editor.rows = rows;
    draw(r, screen_update, 0);
}

/* ---- what keys ask for ---- */

static void suspend(reader *r)
{
    draw(r, screen_finish, 1);
    console_suspend(&r->console);
    take_size(r);
    screen_forget(&r->screen);
    draw(r, screen_update, 0);
}

static void clear_screen(reader *r)
{
    static const char home[] = "\x1b[H\x1b[2J";
    str out = { 0 };

    str_add(&out, home);
    console_write(&out);
    str_free(&out);
    screen_forget(&r->screen);
    draw(r, screen_update, 0);
}

/* 1: *event is what has come of the text. */
static int follow(reader *r, editor_event asked, reader_event *event)
{
    switch (asked) {
    case EDITOR_MORE:
        if (console_is_idle(&r->console))
            draw(r, screen_update, 0);
        return 0;
    case EDITOR_SUSPEND:
        suspend(r);
        return 0;
    case EDITOR_CLEAR:
        clear_screen(r);
        return 0;
    case EDITOR_ENTER:
        *event = READER_TEXT;
        return 1;
    case EDITOR_CANCEL:
        *event = READER_CANCEL;
        return 1;
    case EDITOR_END:
        *event = READER_END;
        return 1;
    }
    return 1;
}

static reader_event edit_text(reader *r)
{
    reader_event event = READER_END;
    const keys *read = &r->console.keys;
    key k;

    for (;;) {
        switch (console_next(&r->console, &k)) {
        case CONSOLE_END:
        case CONSOLE_CANCEL:
            return READER_END;
        case CONSOLE_RESIZE:
            follow_resize(r);
            continue;
        case CONSOLE_RESUME:
            console_renew_raw(&r->console);
            take_size(r);
            draw_anew(r);
            continue;
        case CONSOLE_KEY:
            break;
        }

        if (follow(r, editor_take(&r->editor, k, &read->pasted, read->pasted_bytes), &event))
            return event;
    }
}

/* ---- reading ---- */

reader_event reader_read(reader *r, const char *label, const char *more, str *text)
{
    size_t len;

    if (r->console.is_plain)
        return plain_read(&r->console, &r->editor.hooks, label, more, text);

    r->labels = (view_labels){ label, more };
    fflush(stdout);
    editor_begin(&r->editor, str_text(text), text->len);
    console_set_raw(&r->console, 1);
    take_size(r);
    screen_forget(&r->screen);
    draw(r, screen_update, 0);
    console_mark_pastes(&r->console);
    reader_event event = edit_text(r);
    draw(r, screen_finish, 1);
    console_set_raw(&r->console, 0);

    str_clear(text);
    const char *entered = editor_text(&r->editor, &len);
    if (event == READER_TEXT && str_append(text, entered, len))
        return READER_END;
    if (event == READER_CANCEL && r->editor.language != CODE_TEXT) {
        fputs("KeyboardInterrupt\n\n", stdout);
        fflush(stdout);
    }
    return event;
}

void reader_remember(reader *r, const char *text, size_t len)
{
    if (!entries_add(&r->history, text, len) || !r->history_path)
        return;

    const char *why = history_file_add(r->history_path, text, len);
    if (why && !r->has_complained)
        fprintf(stderr, "snug: the history is not kept: %s: %s\n", r->history_path, why);
    r->has_complained |= why != NULL;
}

int reader_take_ahead(reader *r)
{
    console *c = &r->console;
    if (c->at == c->ahead.len)
        return -1;
    const unsigned char byte = (unsigned char)c->ahead.data[c->at++];
    return byte == '\r' ? '\n' : byte;
}

/* ---- life ---- */

static void restore_terminal(void *payload)
{
    reader *r = payload;
    console_set_raw(&r->console, 0);
}

int reader_open(reader **out, signals *s, const reader_options *options)
{
    reader *r = calloc(1, sizeof *r);

    if (!r)
        return error_no_memory();
    if (options->history_path && !(r->history_path = strdup(options->history_path))) {
        free(r);
        return error_no_memory();
    }

    console_open(&r->console, s);
    r->screen.theme = options->theme;
    if (r->history_path)
        history_file_load(&r->history, r->history_path);
    signals_before_exit(s, restore_terminal, r);
    r->asked = options->hooks;
    const editor_hooks hooks = { .complete = r->asked.complete ? ask_matches : NULL,
                                 .describe = r->asked.describe ? ask_description : NULL,
                                 .is_whole = r->asked.is_whole ? ask_whether_whole : NULL,
                                 .payload = r };
    editor_init(&r->editor, &hooks, options->language, &r->history);
    *out = r;
    return SNUG_OK;
}

void reader_close(reader *r)
{
    if (!r)
        return;
    signals_before_exit(r->console.signals, NULL, NULL);
    console_close(&r->console);
    screen_free(&r->screen);
    editor_free(&r->editor);
    entries_free(&r->history);
    free(r->history_path);
    free(r);
}
