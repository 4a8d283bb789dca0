/*
 * prompt.h - a prompt: one session, what was run in it, and the prompt's own words.
 */
#ifndef SNUG_CLI_PROMPT_H
#define SNUG_CLI_PROMPT_H

#include <stdint.h>

#include "base/str.h"
#include "cli/editor/reader.h"
#include "cli/prompt/shown_session.h"
#include "cli/terminal/ticker.h"

typedef struct prompt_cell {
    uint64_t number;
    char *source;
} prompt_cell;

typedef struct prompt {
    shown_session shown;
    reader *reader;
    ticker ticker;
    pictures pictures;
    code_language language;
    str source; /* what has been entered */
    uint64_t number;
    prompt_cell *cells; /* that have run since the session's last reset */
    size_t cell_count, cell_cap;
    snug_limits limits; /* of the cells that follow: %limit */
    uint64_t undoable;  /* the cell that %undo takes back; 0: none */
    int is_heavy; /* the session has used more than half of its memory, and no way back is kept */
} prompt;

/* ---- the prompt's own words, in words.c ---- */

typedef enum word_answer { WORD_NONE, WORD_DONE, WORD_LEAVES } word_answer;

/* WORD_NONE: what has been entered is a cell. */
word_answer prompt_take_word(prompt *p);
void prompt_print_help(const prompt *p);

/* What has run, for %save and %edit; the source is copied. */
void prompt_keep_cell(prompt *p, uint64_t number, const char *source);
void prompt_forget_cells(prompt *p);

#endif
