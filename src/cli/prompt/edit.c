#include "cli/prompt/edit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/utf8.h"
#include "cli/terminal/term.h"

enum { HISTORY_LINES = 2000, MOST_LISTED = 100 };

struct edit {
    EditLine *line;
    History *history;
    signals *signals;
    edit_completer completer;
    char *path; /* of the history; NULL: none */
    const char *prompt;
    str pasted;    /* not yet handed out */
    int is_paste;  /* the line ended because several were pasted into it */
    int has_marks; /* the terminal is asked to put marks around what is pasted */
    int is_marking;
    int is_cancelled;
    int is_ended;
};

static edit *edit_of(EditLine *line)
{
    edit *e = NULL;
    el_get(line, EL_CLIENTDATA, &e);
    return e;
}

static char *prompt_of(EditLine *line)
{
    /* libedit wants a char * and does not write to it. */
    union {
        const char *in;
        char *out;
    } text = { edit_of(line)->prompt };
    return text.out;
}

/* ---- reading ---- */

static void follow_resize(edit *e, int signal)
{
    if (signal != SIGWINCH)
        return;
    el_resize(e->line);
    el_set(e->line, EL_REFRESH);
}

/* 1: stdin is readable, or has ended; 0: the program is to end. */
static int wait_for_input(edit *e)
{
    struct pollfd fds[] = { { STDIN_FILENO, POLLIN, 0 }, { signals_fd(e->signals), POLLIN, 0 } };
    for (;;) {
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return 0;
        int signal;
        while ((signal = signals_next(e->signals)))
            follow_resize(e, signal);
        signals_forgive(e->signals); /* Ctrl-C is a key here */
        if (signals_taken(e->signals))
            return 0;
        if (fds[0].revents)
            return 1;
    }
}

/* Bracketed paste: ESC [200~ before and ESC [201~ behind what is pasted
 * (https://invisible-island.net/xterm/xterm-paste64.html). Asked for while a line is
 * edited, so that a cell does not find marks in the terminal. */
static void mark_pastes(edit *e, int is_on)
{
    if (!e->has_marks || e->is_marking == is_on)
        return;
    e->is_marking = is_on;
    fputs(is_on ? "\x1b[?2004h" : "\x1b[?2004l", stdout);
    fflush(stdout);
}

/* libedit's own reader cannot be woken by anything but a key. */
static int read_typed_character(EditLine *line, wchar_t *out)
{
    edit *e = edit_of(line);
    mbstate_t state = { 0 };

    mark_pastes(e, 1); /* behind the prompt */
    for (;;) {
        char byte;
        ssize_t got = wait_for_input(e) ? read(STDIN_FILENO, &byte, 1) : 0;
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            e->is_ended = 1;
            return 0;
        }

        switch (mbrtowc(out, &byte, 1, &state)) {
        case (size_t)-2:
            continue;
        case (size_t)-1:
            state = (mbstate_t){ 0 };
            *out = L'\xfffd';
            return 1;
        default:
            return 1;
        }
    }
}

static unsigned char cancel_line(EditLine *line, int key)
{
    (void)key;
    edit_of(line)->is_cancelled = 1;
    return CC_NEWLINE;
}

/* Ctrl-Z: to the shell, with the terminal as it was. */
static unsigned char suspend_prompt(EditLine *line, int key)
{
    (void)key;
    mark_pastes(edit_of(line), 0);
    el_set(line, EL_PREP_TERM, 0);
    kill(0, SIGTSTP);
    el_set(line, EL_PREP_TERM, 1);
    return CC_REDISPLAY;
}

/* ---- pastes ---- */

/* What is shown of a pasted byte: line ends are LF. '\0': nothing, as of other controls. */
static char shown_of_paste(char byte, char last)
{
    if (byte == '\n' && last == '\r')
        return '\0';
    if (byte == '\r')
        return '\n';
    if ((unsigned char)byte >= ' ' && byte != 0x7f)
        return byte;
    return byte == '\t' || byte == '\n' ? byte : '\0';
}

/* What is pasted up to its mark. 0: the input has ended, or memory. */
static int read_paste(edit *e, str *out)
{
    static const char end[] = "\x1b[201~";
    size_t seen = 0;
    char byte, last = '\0';

    while (end[seen]) {
        if (!wait_for_input(e) || read(STDIN_FILENO, &byte, 1) != 1)
            return 0;
        if (byte == end[seen]) {
            seen++;
            continue;
        }

        /* Of a mark that is none after all the escape is dropped. */
        if (seen > 1 && str_append(out, end + 1, seen - 1))
            return 0;
        seen = byte == end[0];

        char shown = shown_of_paste(byte, last);
        if (shown && str_append(out, &shown, 1))
            return 0;
        last = byte;
    }

    return 1;
}

/* One line goes into the line that is edited. Several end it: it is the first and
 * the last of them then. */
static unsigned char paste_text(EditLine *line, int key)
{
    (void)key;
    edit *e = edit_of(line);
    str text = { 0 };
    const LineInfo *info = el_line(line);
    size_t before = (size_t)(info->cursor - info->buffer);
    size_t behind = (size_t)(info->lastchar - info->cursor);
    unsigned char answer = CC_ERROR;
    if (!read_paste(e, &text)) {
        e->is_ended = 1;
        answer = CC_EOF;
    } else if (text.len == 0) {
        answer = CC_NORM;
    } else if (!strchr(text.data, '\n')) {
        answer = el_insertstr(line, text.data) ? CC_ERROR : CC_REFRESH;
    } else if (!str_append(&e->pasted, info->buffer, before) &&
               !str_append(&e->pasted, text.data, text.len) &&
               !str_append(&e->pasted, info->cursor, behind)) {
        e->is_paste = 1;
        answer = CC_NEWLINE;
    }

    str_free(&text);
    return answer;
}

int edit_has_pasted(const edit *e)
{
    return strchr(str_text(&e->pasted), '\n') != NULL;
}

int edit_has_input(const edit *e)
{
    struct pollfd in = { STDIN_FILENO, POLLIN, 0 };
    return e->pasted.len > 0 || (poll(&in, 1, 0) > 0 && (in.revents & POLLIN));
}

/* The first line of what is pasted, shown as if it had been typed. */
static edit_event take_pasted(edit *e, str *line)
{
    size_t len = strcspn(e->pasted.data, "\n");

    str_clear(line);
    if (str_append(line, e->pasted.data, len))
        return EDIT_END;

    e->pasted.len -= len + 1;
    memmove(e->pasted.data, e->pasted.data + len + 1, e->pasted.len + 1);
    for (const char *at = e->prompt; *at; at++)
        if (*at != '\1')
            putchar(*at);

    term_show(stdout, NULL, str_text(line), line->len, 0);
    putchar('\n');
    return EDIT_LINE;
}

/* What stands behind the last line end, as keys. */
static void push_rest(edit *e)
{
    str keys = { 0 };
    int error = SNUG_OK;

    for (const char *at = str_text(&e->pasted); *at && !error; at++)
        error = str_printf(&keys, "%s%c", *at == '\t' ? "\x16" : "", *at); /* quoted */
    if (keys.len > 0 && !error)
        el_push(e->line, keys.data);
    str_free(&keys);
    str_clear(&e->pasted);
}

edit_event edit_read(edit *e, const char *prompt, str *line)
{
    int count = 0;

    e->prompt = prompt;
    e->is_cancelled = e->is_paste = 0;
    if (edit_has_pasted(e))
        return take_pasted(e, line);

    push_rest(e);
    /* libedit would print the prompt first, and lose a Ctrl-D typed in between. */
    el_set(e->line, EL_PREP_TERM, 1);
    const char *text = el_gets(e->line, &count);
    mark_pastes(e, 0);
    str_clear(line);
    if (e->is_paste) {
        fputs("\r\x1b[K", stdout);
        return take_pasted(e, line);
    }

    if (e->is_cancelled) {
        fputs("\nKeyboardInterrupt\n\n", stdout);
        return EDIT_CANCEL;
    }

    if (!text || count <= 0)
        return EDIT_END;
    size_t len = strlen(text);
    while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'))
        len--;
    return str_append(line, text, len) ? EDIT_END : EDIT_LINE;
}

/* ---- completion ---- */

static size_t common_prefix(const edit_completer *c, void *matches, const char *first)
{
    size_t len = strlen(first);
    const char *match;

    for (size_t i = 1; (match = c->match(matches, i)); i++) {
        size_t same = 0;
        while (same < len && match[same] == first[same])
            same++;
        len = utf8_floor(first, len, same);
    }

    return len;
}

/* In columns, as wide as the terminal. */
static void list_matches(const edit_completer *c, void *matches)
{
    struct winsize size = { 0 };
    size_t widest = 0, count = 0;
    const char *match;

    for (; (match = c->match(matches, count)); count++) {
        size_t width = utf8_length(match, strlen(match));
        widest = width > widest ? width : widest;
    }

    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    size_t columns = (size.ws_col ? size.ws_col : 80) / (widest + 2);
    columns = columns ? columns : 1;
    size_t shown = count < MOST_LISTED ? count : MOST_LISTED;
    for (size_t i = 0; i < shown; i++) {
        match = c->match(matches, i);
        int is_last = (i + 1) % columns == 0 || i + 1 == shown;
        int pad = is_last ? 0 : (int)(widest + 2 - utf8_length(match, strlen(match)));
        fputs(i == 0 ? "\n" : "", stdout);
        term_show(stdout, NULL, match, strlen(match), 0);
        printf("%*s%s", pad, "", is_last ? "\n" : "");
    }

    if (count > shown)
        printf("... and %zu more\n", count - shown);
    fflush(stdout);
}

static int is_indent(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len && is_blank(text[at]))
        at++;
    return at == len;
}

/* Replaces text[start, cursor) by the common prefix. Answers whether it changed
 * anything. */
static int replace_word(EditLine *line, const char *text, size_t start, size_t cursor,
                        const char *prefix, size_t len)
{
    if (len == cursor - start && !memcmp(text + start, prefix, len))
        return 0;
    char *insert = strndup(prefix, len);
    if (!insert)
        return 0;

    el_deletestr(line, (int)utf8_length(text + start, cursor - start));
    el_insertstr(line, insert);
    free(insert);
    return 1;
}

static unsigned char complete_name(EditLine *line, int key)
{
    (void)key;
    const edit_completer *c = &edit_of(line)->completer;
    const LineInfo *info = el_line(line);
    size_t cursor = (size_t)(info->cursor - info->buffer);
    if (is_indent(info->buffer, cursor))
        return el_insertstr(line, "    ") ? CC_ERROR : CC_REFRESH;

    /* The buffer is libedit's and not NUL-terminated; it changes with the line. */
    char *text = strndup(info->buffer, cursor);
    size_t start = cursor;
    void *matches = text ? c->open(c->payload, text, cursor, &start) : NULL;
    const char *first = matches ? c->match(matches, 0) : NULL;
    unsigned char answer = CC_ERROR;
    if (first && start <= cursor) {
        size_t len = common_prefix(c, matches, first);
        int is_one = !c->match(matches, 1);
        int is_changed = len >= 1 && replace_word(line, text, start, cursor, first, len);
        answer = is_changed ? CC_REFRESH : CC_NORM;
        if (!is_one && !is_changed) {
            list_matches(c, matches);
            answer = CC_REDISPLAY;
        }
    }

    if (matches)
        c->close(matches);
    free(text);
    return answer;
}

/* ---- history ---- */

void edit_remember(edit *e, const char *line)
{
    HistEvent event;
    if (*line)
        history(e->history, &event, H_ENTER, line);
}

/* Through a file of its own, so that a prompt that ends meanwhile loses nothing
 * but its turn. A history that cannot be written is not kept. */
static void save_history(const edit *e)
{
    HistEvent event;
    str path = { 0 };
    if (!e->path || str_printf(&path, "%s.%ld", e->path, (long)getpid()))
        return;

    int fd = open(path.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (file) {
        int is_written = history(e->history, &event, H_SAVE_FP, file) >= 0;
        is_written &= !fclose(file);
        if (!is_written || rename(path.data, e->path))
            unlink(path.data);
    } else if (fd >= 0) {
        close(fd);
    }
    str_free(&path);
}

/* ---- life ---- */

static int set_up_editor(edit *e)
{
    HistEvent event;

    if (!(e->history = history_init()) || history(e->history, &event, H_SETSIZE, HISTORY_LINES) < 0)
        return error_no_memory();
    history(e->history, &event, H_SETUNIQUE, 1);
    if (e->path)
        history(e->history, &event, H_LOAD, e->path);
    if (!(e->line = el_init("snug", stdin, stdout, stderr)))
        return error_set(SNUG_ESYSTEM, "libedit does not start on this terminal");

    el_set(e->line, EL_CLIENTDATA, e);
    el_set(e->line, EL_PROMPT_ESC, prompt_of, 1);
    el_set(e->line, EL_HIST, history, e->history);
    el_set(e->line, EL_EDITOR, "emacs");
    el_set(e->line, EL_GETCFN, read_typed_character);

    /* Ctrl-C and Ctrl-Z are keys while a line is edited. */
    el_set(e->line, EL_SETTY, "-d", "-isig", NULL);
    el_set(e->line, EL_ADDFN, "snug-cancel", "clears the line", cancel_line);
    el_set(e->line, EL_ADDFN, "snug-complete", "completes the name", complete_name);
    el_set(e->line, EL_ADDFN, "snug-paste", "takes what is pasted", paste_text);
    el_set(e->line, EL_BIND, "\\e[200~", "snug-paste", NULL);
    el_set(e->line, EL_ADDFN, "snug-suspend", "goes to the shell", suspend_prompt);
    el_set(e->line, EL_BIND, "^C", "snug-cancel", NULL);
    el_set(e->line, EL_BIND, "^Z", "snug-suspend", NULL);
    el_set(e->line, EL_BIND, "^I", "snug-complete", NULL);
    el_set(e->line, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_set(e->line, EL_BIND, "\\e[1;5C", "em-next-word", NULL);
    el_set(e->line, EL_BIND, "\\e[1;5D", "ed-prev-word", NULL);
    return SNUG_OK;
}

int edit_open(edit **out, signals *s, const edit_completer *completer, const char *path)
{
    const char *terminal = getenv("TERM");
    edit *e = calloc(1, sizeof *e);
    if (!e)
        return error_no_memory();

    int error = SNUG_OK;
    if (path) {
        e->path = strdup(path);
        if (!e->path)
            error = error_no_memory();
    }

    e->has_marks = terminal && *terminal && strcmp(terminal, "dumb") != 0;
    e->signals = s;
    e->completer = *completer;
    if (!error)
        error = set_up_editor(e);
    if (error) {
        edit_close(e);
        return error;
    }

    *out = e;
    return SNUG_OK;
}

void edit_close(edit *e)
{
    if (!e)
        return;
    if (e->line) {
        save_history(e);
        el_end(e->line);
    }

    if (e->history)
        history_end(e->history);
    str_free(&e->pasted);
    free(e->path);
    free(e);
}
