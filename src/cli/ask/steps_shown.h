/*
 * steps_shown.h - of what steps.c shows, the pieces that its rooms share, and what is in them: what
 * a model is asked and says (steps_model.c), what becomes of a program (steps_program.c).
 */
#ifndef SNUG_CLI_STEPS_SHOWN_H
#define SNUG_CLI_STEPS_SHOWN_H

#include "base/jsontext.h"
#include "cli/ask/steps.h"

typedef jsontext_span span;

void steps_put_on(steps *s, term_style how);
/* "- what", whose line goes on. */
void steps_title(steps *s, const char *what);
void steps_end_line(steps *s);
/* Each line behind a mark; most: no more of them, and how much is left; 0: all. */
void steps_put_lines(steps *s, const char *mark, const char *text, size_t len, size_t most);

void steps_show_generate(steps *s, span event);
void steps_show_generated(steps *s, span event);
void steps_show_delta(steps *s, span event);
void steps_show_retry(steps *s, span event);
void steps_show_extract(steps *s, span event);
void steps_show_prompt(steps *s, span event);

void steps_show_scan(steps *s, span event);
void steps_show_execute(steps *s, span event);
void steps_show_output(steps *s, span event);
void steps_show_executed(steps *s, span event);
void steps_show_tool_call(steps *s, span event);
void steps_show_rerun(steps *s, span event);

#endif
