/*
 * form.h - what the form of a host decides: where its sessions are. The functions of snug.h check
 * their arguments, claim the session, and ask its form.
 */
#ifndef SNUG_SESSION_FORM_H
#define SNUG_SESSION_FORM_H

#include <snug/program.h>

#include "base/str.h"
#include "py/core/program.h"

typedef enum checkpoint_step {
    CHECKPOINT_MAKE,
    CHECKPOINT_ROLL_BACK,
    CHECKPOINT_FORGET
} checkpoint_step;

/* A call of a program, or a map: its arguments are checked, and the caller's. */
typedef struct program_wish {
    snug_program *program;
    const snug_value *arguments; /* NULL: it is a map */
    const snug_column *columns;
    uint64_t row_count;
    snug_limits limits; /* all of them set */
} program_wish;

/* What came of it. The caller frees the result, and the texts that there are. */
typedef struct program_outcome {
    snug_status status;
    snug_value value; /* without data: */
    str data;
    program_column column;
    snug_result *result;
} program_outcome;

/* Each as the function of its name in snug.h. The session is claimed, but for interrupt, and
 * not lost where lost ones are refused. */
typedef struct session_form {
    /* Of a session that has its name, limits, callbacks, desk and work directory. */
    int (*open)(snug_session *session, const snug_session_options *options);
    /* Before it is freed. Answers nonzero where it must not be: a thread still uses it. */
    int (*end)(snug_session *session);
    /* Of one for which that has answered so, now and then: goes on with its end, where its thread
     * is back. NULL: there is nothing to go on with. */
    void (*end_behind)(snug_session *session);
    /* Whether what runs its cells is there: not after a reset that has failed. */
    int (*is_alive)(const snug_session *session);
    /* *session is another one afterwards where the thread of a lost one goes on. */
    int (*renew)(snug_session **session);
    void (*interrupt)(snug_session *session);
    void (*interrupt_gently)(snug_session *session); /* of full sessions; NULL: there are none */
    /* A cell, in steps. SNUG_OK: it is on its way, and finish follows once attend has answered 1.
     * limits may be NULL. */
    int (*start)(snug_session *session, const char *source, size_t len, const snug_limits *limits,
                 int is_aside);
    /* Makes the host's callbacks. Answers whether the cell is over, at until_ns (CLOCK_MONOTONIC)
     * at the latest; 0: at once. */
    int (*attend)(snug_session *session, uint64_t until_ns);
    int (*finish)(snug_result **out, snug_session *session);
    /* From now on, or no longer, the host's bell is rung with session->rings when there is
     * something to attend. Between cells. SNUG_OK, or an error with a message. */
    int (*listen)(snug_session *session, int is_on);
    /* What the code does is in out, which is empty. */
    int (*compute)(program_outcome *out, snug_session *session, const program_wish *wish);
    int (*set)(snug_session *session, const char *name, const char *json, size_t len);
    int (*checkpoint)(snug_session *session, checkpoint_step step);
    /* As snug_session_completeness. */
    int (*is_complete)(snug_session *session, const char *source, size_t len);
    int (*complete)(snug_completion **out, snug_session *session, const char *source, size_t len,
                    size_t cursor);
    int (*variables)(snug_description **out, snug_session *session);
    int (*inspect)(snug_description **out, snug_session *session, const char *source, size_t len,
                   size_t cursor);
    int (*save)(snug_saved **out, snug_session *session, const char *path);
    int (*restore)(snug_saved **out, snug_session **session, const char *path); /* as renew */
    /* The same to and from a text in memory; the session that is restored was just opened, with
     * tools or without. NULL: it has neither. */
    int (*save_text)(snug_saved **out, snug_session *session, str *file);
    int (*restore_text)(snug_saved **out, snug_session *session, const str *file);
    int (*put)(snug_session *session, const char *path, const void *data, size_t len);
    int (*get)(snug_file **out, snug_session *session, const char *path, size_t most);
    int (*list)(snug_listing **out, snug_session *session);
    int (*remove)(snug_session *session, const char *path);
    int (*bind)(snug_session *session, const snug_tool *tool);
    int64_t (*process)(const snug_session *session); /* NULL: it is this one */
} session_form;

struct session_place;

typedef struct host_form {
    snug_form name;
    const session_form *sessions;
    /* Of a host that has its lock and options; fills in the report. */
    int (*open)(snug_host *host, const snug_host_options *options);
    /* No session is open. Answers nonzero where the host must not be freed. */
    int (*close)(snug_host *host);
    /* As snug_session_open, of options that were checked. place may be NULL. */
    int (*open_session)(snug_session **out, snug_host *host, const snug_session_options *options,
                        const struct session_place *place);
    /* options: with its defaults. */
    int (*scan)(snug_scan **out, snug_host *host, const char *source, size_t len,
                const snug_scan_options *options);
    snug_health (*health)(const snug_host *host);
    snug_pool (*pool)(const snug_host *host);
} host_form;

extern const host_form local_form;
/* In a child process; worker/client/. */
extern const host_form remote_form;

#endif
