/*
 * extract.h - the code in what a model wrote.
 *
 * Reads text only: whether the code is Python is for the scan to say. What counts, first found
 * first: blocks marked as Python, tags (<code>, <execute>, ...), JSON with a member "code",
 * blocks without a mark, and a reply that is nothing but Python.
 */
#ifndef SNUG_AGENT_EXTRACT_H
#define SNUG_AGENT_EXTRACT_H

#include <stddef.h>

#include "base/str.h"

/* Zeroed is empty. All texts are valid UTF-8 with "\n" as line end; what was not UTF-8 is "?". */
typedef struct extracted {
    str code;          /* empty: there is none */
    int block_count;   /* that the code was joined from */
    int is_fenced;     /* it stood in a fence or a tag */
    int is_complete;   /* 0: the reply ended before its last block did */
    str analysis_json; /* the first object that has "root_cause", as strict JSON on one line; or
                          empty */
    str language; /* "python"; of a reply without Python what its first block is marked with, as
                     "bash"; or empty */
    str prose;    /* the text around the blocks, without thinking, trimmed */
    str other;    /* blocks of programs in the other language, which were left out: bash beside
                     Python, and Python where the program is to be in bash */
} extracted;

/* The code in a reply; out need not be initialised, and is to be freed after SNUG_OK only.
 *
 * Fences are of backticks or tildes, at any indentation, which the code loses; the closing one
 * is at least as long. Several blocks are joined with a blank line between, without those that
 * repeat an earlier one. Blocks marked as anything but Python (output, text, bash, ...) are
 * never code; one marked as markdown is read as if it were not there. A fence within a string
 * of three quotes closes the block only if the string has no end before a later closing fence.
 * Thinking (<think>, <thinking>, <reasoning>, ...) is passed over: one without an end goes to
 * the end of the reply, an end without a beginning to its start.
 *
 * The code loses the prompts of a transcript of Python, and then the output in it.
 *
 * Takes time in proportion to len. SNUG_OK or SNUG_ENOMEM. */
int extract_code(extracted *out, const char *text, size_t len);
/* The code in the arguments of a tool call: JSON with a member "code", "python", "source" or
 * "script", a JSON string, either of them broken as models break it, or bare code. */
int extract_arguments(extracted *out, const char *arguments, size_t len);
void extracted_free(extracted *e);

#endif
