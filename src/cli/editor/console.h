/*
 * console.h - the terminal below an editor: its modes, its size, its bytes as keys. Stdin and
 * stdout.
 */
#ifndef SNUG_CLI_CONSOLE_H
#define SNUG_CLI_CONSOLE_H

#include <termios.h>

#include "base/str.h"
#include "cli/editor/keys.h"
#include "cli/program/signals.h"

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

void console_open(console *c, signals *s);
/* Keys come one by one; or the terminal is as it was before. */
void console_set_raw(console *c, int is_raw);
/* Pastes come with marks around them, while keys do. */
void console_mark_pastes(console *c);
/* The program was stopped from outside, and somebody else has set the modes meanwhile. */
void console_renew_raw(console *c);
/* Whether Ctrl-C is a signal while keys come one by one: for as long as a session is asked. */
void console_set_interrupts(console *c, int is_on);
/* Waits. */
console_event console_next(console *c, key *k);
/* The same, of a plain terminal. */
console_event console_next_byte(console *c, unsigned char *byte);
/* Nothing more has come yet. */
int console_is_idle(console *c);
void console_size(size_t *columns, size_t *rows);
void console_write(const str *bytes);
/* To the shell, and back. */
void console_suspend(console *c);
void console_close(console *c);

#endif
