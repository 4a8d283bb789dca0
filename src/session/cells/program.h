/*
 * program.h - the inside of a program: a text that does not change.
 *
 * Sessions hold it while they are at a call, and until the next call of another one: so it may be
 * freed while a thread that was given up still reads it.
 */
#ifndef SNUG_SESSION_PROGRAM_H
#define SNUG_SESSION_PROGRAM_H

#include <snug/program.h>

#include "py/core/program.h"
#include "session/core/form.h"
#include "wire/pack.h"

struct snug_program {
    _Atomic size_t holders;
    const snug_host *host;
    program_text text; /* of which the texts are the program's */
};

/* Makes one without a scan. SNUG_EINVAL with a message for options that cannot be. */
int program_make(snug_program **out, const snug_host *host, const char *source, size_t len,
                 const snug_program_options *options);
snug_program *program_hold(snug_program *program);
/* NULL is fine. */
void program_drop(snug_program *program);

/* Values and columns of programs: checked, copied, and as bytes.
 *
 * What is unpacked is judged as packed.h says. */

/* The size of an element of an array, or of a text: 1. */
size_t program_element_bytes(snug_type type);
/* Whether a column can have it. */
int program_is_of_column(snug_type type);
/* Whether a column of it has ends. */
int program_has_ends(snug_type type);
/* How many bytes the value of a call with these limits has at most. */
uint64_t program_most_bytes(const snug_limits *limits);

/* Whether they are what the inputs say: SNUG_EINVAL, with a message that begins with what. */
int program_check_values(const program_text *text, const snug_value *values, const char *what);
int program_check_columns(const program_text *text, const snug_column *columns, uint64_t row_count,
                          const char *what);

/* Copies of what the caller has, for a thread that may be at them longer than the caller waits. One
 * is used for call after call. */
typedef struct program_copies {
    snug_value values[PROGRAM_INPUTS];
    snug_column columns[PROGRAM_INPUTS];
    str bytes;
} program_copies;

/* *out lies in the copies. SNUG_OK or SNUG_ENOMEM with a message. */
int program_copy_values(const snug_value **out, program_copies *copies, const snug_value *values,
                        size_t count);
int program_copy_columns(const snug_column **out, program_copies *copies,
                         const snug_column *columns, size_t count, uint64_t row_count);
void program_copies_free(program_copies *copies);
void program_column_free(program_column *column);

void program_pack_value(packer *p, const snug_value *value);
/* Its data lies in the message, and may not be aligned. */
void program_unpack_value(unpacker *u, snug_value *value);
void program_pack_column(packer *p, const snug_column *column, uint64_t row_count);
/* Into texts of its own. */
void program_unpack_column(unpacker *u, program_column *column);
/* As the header has it. */
snug_column program_show_column(const program_column *column);

/* A program as its session's thread calls it. A part of local_form. */

/* What the caller hands over. It goes with the session's cell, as the thread may still be at it
 * when the caller has been answered. */
typedef struct program_work program_work;

/* NULL is fine. */
void program_work_free(program_work *work);

int local_compute(program_outcome *out, snug_session *session, const program_wish *wish);

#endif
