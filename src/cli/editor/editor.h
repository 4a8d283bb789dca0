/*
 * editor.h - an editor of several lines: keys go in, and its state is what a screen shows. Pure: it
 * neither reads nor writes, and asks nobody but its hooks.
 *
 * It has a mode only while something is open: the menu of completions, or the search of the
 * history.
 */
#ifndef SNUG_CLI_EDITOR_H
#define SNUG_CLI_EDITOR_H

#include <stddef.h>

#include "base/str.h"
#include "cli/editor/buffer.h"
#include "cli/editor/code.h"
#include "cli/editor/entries.h"
#include "cli/editor/keys.h"
#include "cli/editor/menu.h"

/* What the editor asks; each may be NULL. */
typedef struct editor_hooks {
    /* Adds what could stand at cursor, and sets where it begins. */
    void (*complete)(void *payload, menu *out, const char *text, size_t len, size_t cursor);
    /* Appends a line that describes the name or the call there; nothing where there is none. */
    void (*describe)(void *payload, str *out, const char *text, size_t len, size_t cursor);
    /* Whether text can be run. */
    int (*is_whole)(void *payload, const char *text, size_t len);
    void *payload;
} editor_hooks;

typedef enum editor_event {
    EDITOR_MORE,    /* the next key */
    EDITOR_ENTER,   /* the text is to be run */
    EDITOR_CANCEL,  /* Ctrl-C */
    EDITOR_END,     /* Ctrl-D on nothing */
    EDITOR_SUSPEND, /* Ctrl-Z */
    EDITOR_CLEAR    /* the screen is to be cleared */
} editor_event;

typedef enum editor_mode { EDITOR_TEXT, EDITOR_MENU, EDITOR_SEARCH } editor_mode;

typedef struct editor_search {
    str words;
    size_t found;  /* the entry; SIZE_MAX: none */
    size_t place;  /* of the words in it */
    size_t cursor; /* before it, as the text below */
    str before;
    int is_missing;
} editor_search;

typedef struct editor {
    buffer text;
    editor_mode mode;
    editor_hooks hooks;
    code_language language;
    entries *history; /* the caller's */
    size_t place;     /* in it; its count: none of them */
    str draft;        /* what was there before */
    size_t prefix;    /* its bytes that entries begin with */
    menu menu;
    str menu_word; /* what stood there when it was opened */
    editor_search search;
    str note; /* below the text, until the next key: what has just gone wrong, or a signature */
    int note_is_signature;
    int is_whole;       /* the text came at once: it was pasted or is of the history */
    int is_browsing;    /* the last key went through the history */
    int has_cut;        /* the last key cut */
    int has_prefix_key; /* Ctrl-X was it */
    size_t own_indent; /* the blanks that Enter has put before the cursor, and nobody has changed */
    int keeps_goal, keeps_cut, keeps_place; /* set by what this key does, for the next one */
    size_t goal;                            /* the column that Up and Down keep; SIZE_MAX: none */
    size_t columns, rows;                   /* of the screen */
} editor;

void editor_init(editor *e, const editor_hooks *hooks, code_language language, entries *h);
/* An empty text, or this one. */
void editor_begin(editor *e, const char *text, size_t len);
/* pasted: what k.code KEY_PASTE has brought, of pasted_bytes altogether. */
editor_event editor_take(editor *e, key k, const str *pasted, size_t pasted_bytes);
/* The text without the empty lines at its end. */
const char *editor_text(const editor *e, size_t *len);
void editor_free(editor *e);

#endif
