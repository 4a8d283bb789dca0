/*
 * cell_request.h - one line of snug cells, understood.
 */
#ifndef SNUG_CLI_CELL_REQUEST_H
#define SNUG_CLI_CELL_REQUEST_H

#include <stddef.h>
#include <stdint.h>

#include <snug/snug.h>

#include "wire/json.h"

typedef enum request_op {
    REQUEST_CODE,
    REQUEST_CLOSE,
    REQUEST_RESET,
    REQUEST_INTERRUPT,
    REQUEST_COMPLETE,
    REQUEST_IS_COMPLETE,
    REQUEST_VARS,
    REQUEST_INSPECT,
    REQUEST_SAVE,
    REQUEST_RESTORE,
    REQUEST_EXPORT,
    REQUEST_PUT,
    REQUEST_GET,
    REQUEST_FILES,
    REQUEST_REMOVE,
    REQUEST_APPROVE,
    REQUEST_REFUSED /* the line is wrong: why says how */
} request_op;

typedef struct request {
    request_op op;
    char *session; /* NULL in a refused line that does not tell it */
    char *id;      /* as JSON text, byte for byte that of the line; NULL: none */
    char *code;    /* of code, complete, is_complete and inspect */
    size_t code_bytes;
    size_t cursor; /* of complete and inspect: a byte of code */
    char *data;    /* of put */
    size_t data_bytes;
    size_t max_bytes;    /* of get; 0: as many as the library says */
    uint64_t timeout_ms; /* 0: the session's */
    int resets;          /* before the code runs */
    int records;         /* this cell and those after it, for an export */
    char *path;          /* of save, restore, export, put, get and remove */
    uint64_t call;       /* of approve, as what follows */
    snug_approval approval;
    char *reason; /* NULL: none */
    char *why;
    int is_urgent; /* refused, and meant for a cell that runs: it is not to wait for that */
    size_t line_bytes;
    int is_interrupted; /* the crew's: somebody asked for its end */
    int is_ended;       /* the crew's: its code has run */
    struct request *next;
} request;

/* NULL if memory ran out. */
request *request_parse(const char *line, size_t len);
/* A refusal of a line that was not parsed. */
request *request_refuse(const char *why);
void request_free(request *r);

#endif
