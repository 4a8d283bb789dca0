/*
 * keys.h - what a terminal sends, as keys. Pure: bytes go in, keys come out; whoever reads
 * sees to what takes time.
 *
 * Sequences are those of xterm, the Linux console and kitty
 * (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html). What is not known of them is passed
 * over as a whole, and never becomes text.
 */
#ifndef SNUG_CLI_KEYS_H
#define SNUG_CLI_KEYS_H

#include <stddef.h>

#include "base/str.h"

typedef enum key_code {
    KEY_NONE, /* more bytes are wanted */
    KEY_CHARACTER,
    KEY_PASTE, /* keys.pasted is what was pasted */
    KEY_UNKNOWN,
    KEY_ENTER,
    KEY_TAB,
    KEY_BACKSPACE,
    KEY_ESCAPE,
    KEY_UP,
    KEY_DOWN,
    KEY_LEFT,
    KEY_RIGHT,
    KEY_HOME,
    KEY_END,
    KEY_INSERT,
    KEY_DELETE,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN
} key_code;

enum { KEY_SHIFT = 1 << 0, KEY_ALT = 1 << 1, KEY_CTRL = 1 << 2 };

typedef struct key {
    key_code code;
    unsigned modifiers;
    char text[5];    /* of a character, or of bytes that are none and the next; with Ctrl a small
                        letter */
    int is_in_burst; /* more has come with it */
} key;

enum { KEYS_SEQUENCE_BYTES = 512, KEYS_PASTE_BYTES = 4 << 20 };

typedef struct keys {
    str sequence;        /* since an escape */
    str pasted;          /* its first KEYS_PASTE_BYTES bytes */
    size_t pasted_bytes; /* all of it */
    size_t end_seen;     /* bytes of the mark behind a paste */
    char character[4];
    unsigned have, want; /* its bytes */
    int state;
} keys;

/* The next byte. */
key keys_take(keys *k, unsigned char byte);
/* 1: an escape has come, and what follows may belong to it; 2: within a sequence or a paste. */
int keys_waits(const keys *k);
/* Nothing has followed for long enough. */
key keys_give_up(keys *k);
void keys_free(keys *k);

#endif
