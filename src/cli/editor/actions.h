/*
 * actions.h - what the keys of an editor do; editor.c has which key does what.
 */
#ifndef SNUG_CLI_ACTIONS_H
#define SNUG_CLI_ACTIONS_H

#include "cli/editor/editor.h"

/* ---- moves and changes, in moves.c and changes.c ---- */

editor_event act_left(editor *e, key k);
editor_event act_right(editor *e, key k);
editor_event act_word_left(editor *e, key k);
editor_event act_word_right(editor *e, key k);
editor_event act_line_begin(editor *e, key k);
editor_event act_line_end(editor *e, key k);
editor_event act_begin(editor *e, key k);
editor_event act_end(editor *e, key k);
editor_event act_up(editor *e, key k);
editor_event act_down(editor *e, key k);
editor_event act_rub(editor *e, key k);
editor_event act_delete(editor *e, key k);
editor_event act_delete_or_end(editor *e, key k);
editor_event act_cut_to_end(editor *e, key k);
editor_event act_cut_to_begin(editor *e, key k);
editor_event act_cut_blank_word(editor *e, key k);
editor_event act_cut_word_before(editor *e, key k);
editor_event act_cut_word_behind(editor *e, key k);
editor_event act_put_back(editor *e, key k);
editor_event act_undo(editor *e, key k);
editor_event act_enter(editor *e, key k);
editor_event act_new_line(editor *e, key k);
editor_event act_cancel(editor *e, key k);
editor_event act_suspend(editor *e, key k);
editor_event act_clear_screen(editor *e, key k);

/* Takes out the blanks that Enter has put there, where nothing has been typed behind them. */
void drop_own_indent(editor *e);
/* The line's indentation before the cursor loses a step. */
void outdent_line(editor *e);

/* ---- the history, in recall.c ---- */

editor_event act_older(editor *e, key k);
editor_event act_newer(editor *e, key k);
editor_event act_search(editor *e, key k);
/* 1: the search has taken the key; *event is what comes of it. */
int take_search_key(editor *e, key k, editor_event *event);

/* ---- completions, in completing.c ---- */

editor_event act_complete(editor *e, key k);
editor_event act_describe(editor *e, key k);
/* 1: the menu has taken the key. */
int take_menu_key(editor *e, key k);

/* ---- notes ---- */

void set_note(editor *e, const char *sentence);
void set_note_of_paste(editor *e, size_t bytes);

#endif
