/*
 * question_files.h - the data that comes with a question: the files of --input, what is piped in,
 * and the files that the question names.
 */
#ifndef SNUG_CLI_QUESTION_FILES_H
#define SNUG_CLI_QUESTION_FILES_H

#include <stddef.h>

#include <snug/agent.h>

#include "base/str.h"
#include "cli/ask/steps.h"
#include "cli/program/options.h"
#include "cli/program/signals.h"

typedef struct question_data {
    snug_agent_input *items;
    size_t count, cap;
    char **texts; /* that the items point to */
    size_t text_count, text_cap;
    str piped; /* what stdin had */
} question_data;

/* What a question is asked in. */
typedef struct question_place {
    const options *options;
    signals *signals; /* they end what waits for stdin */
    steps *steps;     /* told what is left out */
    int is_first;     /* question: --input and stdin come with that one */
    int is_in_bash;
} question_place;

/* stdin cannot be the question and its data. EXIT_FINE, or EXIT_USAGE after one sentence. */
int question_check_stdin(const options *o);
/* The files of --input and stdin, with the first question, and files that it names, unless they are
 * among those. EXIT_FINE, 128 and a signal, or EXIT_USAGE after one sentence. Free in all cases. */
int question_collect(question_data *out, const question_place *place, const char *question);
/* Programs of bash read files: what stdin had is one from now on. */
void question_make_files(question_data *data);
/* As snug_agent_ask_options has it. */
const char *question_program_language(const options *o);
void question_free(question_data *data);

#endif
