/*
 * question_files.h - the files that come with a question: those of --input, and those that it
 * names.
 */
#ifndef SNUG_CLI_QUESTION_FILES_H
#define SNUG_CLI_QUESTION_FILES_H

#include <stddef.h>

#include <snug/agent.h>

#include "cli/program/options.h"

typedef struct question_data {
    snug_agent_input *items;
    size_t count, cap;
    char **texts; /* that the items point to */
    size_t text_count, text_cap;
} question_data;

/* The files of --input, where takes_options, and regular files of the current folder that are
 * named in the question, unless they are among those. EXIT_FINE, or EXIT_USAGE after one
 * sentence. Free in both cases. */
int question_collect(question_data *out, const options *o, const char *question, int takes_options);
/* As snug_agent_ask_options has it. */
const char *question_program_language(const options *o);
void question_free(question_data *data);

#endif
