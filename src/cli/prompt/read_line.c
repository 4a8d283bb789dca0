#include "cli/prompt/read_line.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/editor/reader.h"
#include "cli/prompt/show_cell.h"
#include "cli/terminal/ticker.h"

enum { LOOK_MS = 20 /* after so long it is noticed that the cell has ended */ };

/* The line's end is there. */
static int take_typed(str *line, reader *typed)
{
    int byte;

    while (typed && (byte = reader_take_ahead(typed)) >= 0) {
        const char c = (char)byte;
        if (c == '\n')
            return 1;
        if (str_append(line, &c, 1))
            return 0;
    }
    return 0;
}

/* 1: line is one, without its end; 0: there is none. A byte at a time: what is behind the
 * line is for the next reader of stdin. */
static int read_stdin_line(str *line, const snug_call *call, reader *typed)
{
    if (take_typed(line, typed))
        return 1;

    struct pollfd fd = { STDIN_FILENO, POLLIN, 0 };
    const char end = isatty(STDIN_FILENO) ? '\r' : '\n'; /* of what came while keys did */
    for (char byte;;) {
        if (!snug_call_is_wanted(call))
            return 0;
        if (poll(&fd, 1, LOOK_MS) <= 0)
            continue;
        ssize_t got = read(STDIN_FILENO, &byte, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return line->len > 0;
        if (byte == '\n' || byte == end)
            return 1;
        if (str_append(line, &byte, 1))
            return 0;
    }
}

/* What is typed for getpass() is not seen. 0: it could not be, or need not. */
static int hide_typing(const snug_call *call, struct termios *before)
{
    if (strcmp(snug_call_name(call), "getpass") != 0 || tcgetattr(STDIN_FILENO, before) != 0)
        return 0;

    struct termios hidden = *before;
    hidden.c_lflag &= ~(tcflag_t)ECHO;
    hidden.c_lflag |= ECHONL;
    return tcsetattr(STDIN_FILENO, TCSADRAIN, &hidden) == 0;
}

int read_line_ask(show *s, const snug_call *call, const char *prompt, str *line)
{
    /* What was typed before the question was there is not an answer to it. */
    while (s->typed && reader_take_ahead(s->typed) >= 0)
        ;
    tcflush(STDIN_FILENO, TCIFLUSH);
    show_output(s, SNUG_STREAM_STDOUT, prompt, strlen(prompt));
    ticker_pause(s->ticker);
    int found = read_stdin_line(line, call, NULL);
    if (found)
        s->is_inside[0] = 0; /* the terminal has echoed the line's end */
    ticker_go_on(s->ticker);
    return found;
}

void read_line(void *payload, snug_call *call, const char *prompt)
{
    show *s = payload;
    str line = { 0 };
    struct termios before;

    /* Before the prompt, behind which somebody may type at once. */
    const int is_hidden = hide_typing(call, &before);
    show_output(s, SNUG_STREAM_STDOUT, prompt, strlen(prompt));
    ticker_pause(s->ticker);
    int found = read_stdin_line(&line, call, s->typed);
    if (is_hidden)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &before);

    /* The terminal has echoed the line's end. */
    if (found)
        s->is_inside[0] = 0;
    ticker_go_on(s->ticker);
    snug_call_return_line(call, found ? str_text(&line) : NULL, line.len);
    str_free(&line);
}
