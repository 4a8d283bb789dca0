/*
 * reader.h - reads what somebody types at a terminal: an editor on a console, with a history. Where
 * the terminal has no sequences it reads plain lines.
 */
#ifndef SNUG_CLI_READER_H
#define SNUG_CLI_READER_H

#include "base/str.h"
#include "cli/editor/editor.h"
#include "cli/editor/theme.h"
#include "cli/program/signals.h"

typedef enum reader_event {
    READER_TEXT,
    READER_CANCEL, /* Ctrl-C */
    READER_END     /* Ctrl-D on nothing, the end of the input, or a signal that ends */
} reader_event;

typedef struct reader_options {
    editor_hooks hooks;
    code_language language;
    const char *history_path; /* NULL: none is kept */
    theme theme;
} reader_options;

typedef struct reader reader;

/* SNUG_OK, or SNUG_ENOMEM with a message. */
int reader_open(reader **out, signals *s, const reader_options *options);
/* label: "In [1]: ", more: "   ...: ". *text is edited where it is not empty, and is replaced. */
reader_event reader_read(reader *r, const char *label, const char *more, str *text);
/* Adds an entry to the history and its file. */
void reader_remember(reader *r, const char *text, size_t len);
/* The next byte that was typed ahead and not used, for whoever reads stdin himself; -1: none. */
int reader_take_ahead(reader *r);
void reader_close(reader *r);

#endif
