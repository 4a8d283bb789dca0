/*
 * program.h - small computations that are called again and again: a function in Python, checked
 * once, called with typed values in any session of its host.
 *
 *     const snug_input inputs[] = { { "net", SNUG_TYPE_DOUBLE }, { "rate", SNUG_TYPE_DOUBLE } };
 *     snug_program_options options = SNUG_PROGRAM_OPTIONS_INIT;
 *     options.inputs = inputs;
 *     options.input_count = 2;
 *     options.output = SNUG_TYPE_DOUBLE;
 *     const char *source = "round(net * (1 + rate), 2)";
 *     snug_program *gross;
 *     snug_program_prepare(&gross, NULL, host, source, strlen(source), &options);
 *
 *     snug_answer answer = SNUG_ANSWER_INIT;
 *     snug_value arguments[2] = { 0 };
 *     arguments[0].type = arguments[1].type = SNUG_TYPE_DOUBLE;
 *     arguments[0].number = 19.99;
 *     arguments[1].number = 0.07;
 *     if (snug_program_call(&answer, session, gross, arguments, 2, NULL) == SNUG_OK &&
 *         answer.status == SNUG_STATUS_OK)
 *         printf("%g\n", answer.value.number);
 *     snug_answer_free(&answer);
 *     snug_program_free(gross);
 *
 * Errors, ownership, versions and threads are as in snug.h. What the code of a program does is
 * never an error of the function that calls it: it is the status of the answer.
 */
#ifndef SNUG_PROGRAM_H
#define SNUG_PROGRAM_H

#include <snug/snug.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snug_program snug_program;

/* ---- values ---- */

typedef enum snug_type {
    SNUG_TYPE_ANY,     /* of an input or output: one of the others. No value has it */
    SNUG_TYPE_NONE,    /* None, as NULL in SQL. Every input and every output may be None */
    SNUG_TYPE_INT,     /* within 64 bits */
    SNUG_TYPE_DOUBLE,  /* float */
    SNUG_TYPE_BOOL,    /* True or False */
    SNUG_TYPE_TEXT,    /* str */
    SNUG_TYPE_BYTES,   /* bytes */
    SNUG_TYPE_JSON,    /* what JSON has, lists and dicts too */
    SNUG_TYPE_INTS,    /* an array of int64_t */
    SNUG_TYPE_DOUBLES, /* of double */
    SNUG_TYPE_BOOLS    /* of bytes, each 0 or 1 */
} snug_type;

/* One value. The struct never changes: arguments are an array of it. */
typedef struct snug_value {
    snug_type type;
    int64_t integer;  /* SNUG_TYPE_INT; SNUG_TYPE_BOOL: 0 or 1 */
    double number;    /* SNUG_TYPE_DOUBLE */
    const void *data; /* of all types behind it: UTF-8, bytes, JSON, or the array. NULL where len is
                         0. Text of an answer has a NUL behind it */
    size_t len;       /* in bytes; of an array: how many elements it has */
} snug_value;

/* The word for a type: "int", "double", "text", "ints", ... */
SNUG_EXTERN const char *snug_type_name(snug_type type);

/* ---- programs ---- */

/* A parameter. The struct never changes: inputs is an array of it. */
typedef struct snug_input {
    const char *name; /* an identifier of Python */
    snug_type type;
} snug_input;

typedef struct snug_program_options {
    size_t size;
    const char *name;         /* for tracebacks, <program NAME>; NULL: "program" */
    const snug_input *inputs; /* input_count of them, at most 64, in the order of the arguments */
    size_t input_count;
    snug_type output;
    int is_unscanned; /* 1: for code that the caller trusts. Then syntax errors are the first
                         call's status, and the next four members are not used */
    /* What the scan judges by, as in snug_scan_options: */
    const char *profile;
    const char *const *allow;
    const char *const *forbid;
    uint64_t scan_wall_ms;
    uint64_t max_source_bytes; /* 0: the default of source_bytes */
} snug_program_options;
#define SNUG_PROGRAM_OPTIONS_INIT                                                             \
    {                                                                                         \
        sizeof(snug_program_options), NULL, NULL, 0, SNUG_TYPE_ANY, 0, NULL, NULL, NULL, 0, 0 \
    }

/* Makes a program of a cell's source. It becomes the body of a function: the value of its last
 * expression is what a call answers, its inputs and what it assigns are local, and every other name
 * is the session's: what a prelude or earlier cells have defined and imported. Neither is `await`
 * possible in it, nor are magics or `from module import *`.
 *
 * The source is scanned as by snug_host_scan. One that does not pass is SNUG_EINVAL, with the first
 * finding as the message; findings, which may be NULL, is given the whole report then and only
 * then, and the caller frees it. options may be NULL: no inputs, any output.
 *
 * A program belongs to its host and may be called in all sessions of it, also at once. Each session
 * compiles it at its first call there, and again after a reset or restore. The session has the last
 * word about imports and files: the scan only saves a call that would be denied. Any thread. */
SNUG_EXTERN int snug_program_prepare(snug_program **out, snug_scan **findings, snug_host *host,
                                     const char *source, size_t len,
                                     const snug_program_options *options);
/* Gives the program back, also while sessions that have called it are open. Not during a call. */
SNUG_EXTERN void snug_program_free(snug_program *program);

/* ---- calls ---- */

/* What came of a call. It is the caller's: start from SNUG_ANSWER_INIT, use it for one call after
 * the other, and free what it holds at the end. */
typedef struct snug_answer {
    size_t size;
    snug_status status;
    snug_value value; /* with SNUG_STATUS_OK; otherwise of SNUG_TYPE_NONE. Its data belongs to the
                         answer, until the next call with it */
    snug_result *result; /* NULL where the call ended well and has printed nothing. Otherwise error,
                            traceback, hint, output, tool calls and times, as of a cell without a
                            value. It belongs to the answer */
    void *memory;        /* the library's: what value.data points to */
} snug_answer;
#define SNUG_ANSWER_INIT                                                                  \
    {                                                                                     \
        sizeof(snug_answer), SNUG_STATUS_OK, { SNUG_TYPE_ANY, 0, 0, NULL, 0 }, NULL, NULL \
    }

/* Calls the program in the session, with count arguments, as many as it has inputs.
 *
 * Arguments are copied: what Python has of them is its own. An int is taken for a double as well.
 * Arrays come as a memoryview that cannot be written to: it can be indexed, sliced, iterated and
 * summed, and numpy.frombuffer takes it. JSON that is none is SNUG_EINVAL, as is a value of another
 * type than the input's, or text that is not UTF-8.
 *
 * The value has to be of the program's output: an int for a double too, whatever has a buffer for
 * bytes, a buffer or an iterable of numbers for an array. Otherwise status is SNUG_STATUS_ERROR
 * with a TypeError, or an OverflowError for an int beyond 64 bits, and the session is as it was. An
 * output of SNUG_TYPE_ANY is the type that the value has; what is none of the others is JSON, where
 * it can be. A value of more bytes than memory_bytes, or 512 MiB, is a ValueError.
 *
 * All limits of a cell hold, tools may be called, and snug_session_interrupt ends the call. What
 * cells have of their own is left out: In, Out, _ and the execution count stay, no artifacts are
 * looked for, and no changes of names are reported, neither now nor with the next cell.
 * SNUG_EINVAL in a session of another host or of kind SNUG_KIND_BASH; otherwise errors are those of
 * snug_session_run. limits may be NULL. */
SNUG_EXTERN int snug_program_call(snug_answer *answer, snug_session *session, snug_program *program,
                                  const snug_value *arguments, size_t count,
                                  const snug_limits *limits);
/* Frees what the answer holds, and makes it as new. NULL is fine. */
SNUG_EXTERN void snug_answer_free(snug_answer *answer);

/* ---- maps ---- */

/* Values of one type, one for each row. The struct never changes: columns are an array of it. */
typedef struct snug_column {
    snug_type type;       /* SNUG_TYPE_INT to SNUG_TYPE_JSON */
    const void *data;     /* int64_t or double of each row; SNUG_TYPE_BOOL: a byte, 0 or 1; of the
                             other types all texts, one behind the other */
    const uint64_t *ends; /* of these other types: where in data each row ends. The first begins at
                             0, each other where the one before it ends. NULL otherwise */
    const uint8_t *missing; /* 1 for each row that is None, else 0; NULL: no row is */
} snug_column;

/* What came of a map, as snug_answer. */
typedef struct snug_mapped {
    size_t size;
    snug_status status;
    uint64_t row_count;  /* how many rows have a value in column. With another status than
                            SNUG_STATUS_OK it is the index of the row that ended the map, from 0 */
    snug_column column;  /* of the program's output */
    snug_result *result; /* as in snug_answer */
    void *memory;        /* the library's */
} snug_mapped;
#define SNUG_MAPPED_INIT                                                                        \
    {                                                                                           \
        sizeof(snug_mapped), SNUG_STATUS_OK, 0, { SNUG_TYPE_ANY, NULL, NULL, NULL }, NULL, NULL \
    }

/* Calls the program for each of row_count rows: its arguments are what stands in that row of each
 * of the count columns, one for each input. The results are a column again. All of it is one
 * hand-over to the session's thread or worker, and limits are those of the whole map; a row that
 * fails ends it, and the rows before it are kept, unless the session is lost. The program's output
 * must be one that a column can have: SNUG_EINVAL. Otherwise as snug_program_call. */
SNUG_EXTERN int snug_program_map(snug_mapped *mapped, snug_session *session, snug_program *program,
                                 const snug_column *columns, size_t count, uint64_t row_count,
                                 const snug_limits *limits);
/* As snug_answer_free. */
SNUG_EXTERN void snug_mapped_free(snug_mapped *mapped);

/* ---- templates ---- */

/* What a session knows, for others to begin with: a prelude is run once, and then kept. */
typedef struct snug_template snug_template;

/* Keeps the names, history and files of the session in memory, as snug_session_save does in a file:
 * values that cannot be saved are left out, and saved, which may be NULL, says which; the caller
 * frees it. The session is as it was. The template may outlive session and host. Errors are those
 * of snug_session_save. */
SNUG_EXTERN int snug_template_make(snug_template **out, snug_saved **saved, snug_session *session);
/* Frees the template. Sessions that were opened from it do not need it. */
SNUG_EXTERN void snug_template_free(snug_template *template_);
/* Opens a session as snug_session_open does, which has what the template has; saved as above, of
 * what is there. SNUG_EINVAL for a template of a session of another kind, or of values that the
 * options do not allow. Any thread; also several at once from one template. */
SNUG_EXTERN int snug_session_open_from(snug_session **out, snug_saved **saved, snug_host *host,
                                       const snug_template *template_,
                                       const snug_session_options *options);

#ifdef __cplusplus
}
#endif

#endif
