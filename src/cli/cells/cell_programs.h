/*
 * cell_programs.h - programs and templates of snug cells, by name: they serve all sessions of the
 * process. Values come and go as JSON.
 */
#ifndef SNUG_CLI_CELL_PROGRAMS_H
#define SNUG_CLI_CELL_PROGRAMS_H

#include <pthread.h>

#include <snug/program.h>

#include "cli/cells/cell_answer.h"
#include "cli/cells/cell_request.h"

typedef struct cell_programs {
    pthread_mutex_t lock; /* of both lists */
    struct named_program *first;
    struct named_template *templates;
} cell_programs;

/* Each answers the request, or is an error with its message. Any thread. options: of sessions, by
 * whose profile it is scanned. */
int programs_prepare(cell_programs *p, snug_host *host, const snug_session_options *options,
                     answers *a, const request *r);
/* ended is called when the program has run, before the answer. */
int programs_call(cell_programs *p, snug_session *session, answers *a, const request *r,
                  void (*ended)(void *payload), void *payload);
int programs_map(cell_programs *p, snug_session *session, answers *a, const request *r,
                 void (*ended)(void *payload), void *payload);
/* Keeps what the session has under the request's name. */
int programs_keep_template(cell_programs *p, snug_session *session, answers *a, const request *r);
/* Opens a session that begins with it. */
int programs_open_from(snug_session **out, snug_saved **saved, cell_programs *p, snug_host *host,
                       const char *name, const snug_session_options *options);
/* No request is under way any more. */
void programs_free(cell_programs *p);

#endif
