/*
 * edit.h - line editing with history and completion, by libedit.
 *
 * libedit keeps its state in our object; UTF-8 needs an LC_CTYPE that is UTF-8.
 */
#ifndef SNUG_CLI_EDIT_H
#define SNUG_CLI_EDIT_H

#include <stddef.h>

#include <histedit.h>

#include "base/str.h"
#include "cli/program/signals.h"

typedef enum edit_event {
    EDIT_LINE,
    EDIT_CANCEL, /* Ctrl-C */
    EDIT_END     /* Ctrl-D on an empty line, the end of the input, or a signal that ends */
} edit_event;

typedef struct edit edit;

/* What may stand before the cursor: completions for line[0, cursor). The first
 * match goes to index 0; NULL past the end. *start: the byte of line where they
 * begin. */
typedef struct edit_completer {
    void *(*open)(void *payload, const char *line, size_t cursor, size_t *start);
    const char *(*match)(void *matches, size_t index);
    void (*close)(void *matches);
    void *payload;
} edit_completer;

/* path: the file of the history, NULL for none; it is read now and written at close. */
int edit_open(edit **out, signals *s, const edit_completer *completer, const char *path);
/* Bytes between two \1 take no room on the screen. The line, without its end,
 * replaces what *line holds. */
edit_event edit_read(edit *e, const char *prompt, str *line);
/* More has been typed or pasted already. Of a paste each line is a call of edit_read,
 * up to what stands behind its last line end: that is edited on. */
int edit_has_pasted(const edit *e);
int edit_has_input(const edit *e);
void edit_remember(edit *e, const char *line);
void edit_close(edit *e);

#endif
