#include "cli/editor/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "cli/editor/console.h"
#include "cli/editor/history_file.h"
#include "cli/editor/pasted.h"
#include "cli/editor/screen.h"
#include "cli/editor/view.h"

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
    str line = { 0 }, clean = { 0 };
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

        str_clear(&clean);
        if (pasted_clean(&clean, str_text(&line), line.len) || (!is_first && str_add(text, "\n")) ||
            str_append(text, str_text(&clean), clean.len)) {
            event = READER_END;
            break;
        }
        if (is_over(c, hooks, text, str_text(&clean), is_first))
            break;
    }

    str_free(&line);
    str_free(&clean);
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
