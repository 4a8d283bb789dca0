/*
 * run.h - an agent, and a question that it works on: what all steps see.
 *
 * An agent lives as long as its conversation; a run as long as one question. What a run has
 * made goes into the reply while it is made, so that nothing is lost where it is ended.
 */
#ifndef SNUG_AGENT_RUN_H
#define SNUG_AGENT_RUN_H

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include <snug/agent.h>

#include "agent/model/model.h"
#include "agent/model/prices.h"
#include "agent/reply/reply.h"
#include "agent/run/bound_tools.h"
#include "agent/template/template.h"
#include "agent/text/extract.h"
#include "agent/text/verdict.h"
#include "base/str.h"
#include "base/thread.h"

/* A file in a folder of its own, which others cannot look into: sessions are saved to and restored
 * from files. */
typedef struct private_file {
    char folder[256], path[272]; /* empty: there is none */
} private_file;

/* Makes the folder, in TMPDIR; name, of at most 14 bytes, is the file's, which is not made.
 * SNUG_OK, or SNUG_EINVAL or SNUG_ESYSTEM with a message. */
int private_file_open(private_file *out, const char *name);
/* Removes both. Fine for one that is zero, or was closed. */
void private_file_close(private_file *file);

/* Ends a cell with its question's time. A cell has no more than what was left of that when it
 * began; only where that stands still, because the cell asks a model, a thread must look after it.
 */
typedef struct cell_clock {
    thread thread;
    pthread_mutex_t lock;
    pthread_cond_t change;
    snug_session *session;
    uint64_t deadline_ns;
    int has_thread, is_over; /* the second is guarded by lock */
} cell_clock;

/* While the cell runs; it is interrupted at that time. A second time it changes nothing. SNUG_OK,
 * or an error with a message. */
int cell_clock_begin(cell_clock *clock, snug_session *session, uint64_t deadline_ns);
/* When it has ended, whether or not it was begun. */
void cell_clock_end(cell_clock *clock);

/* What a model is asked for; each may have a model of its own. USE_CELL: by a program;
 * USE_FALLBACK: in the place of one that is not available; without such a one it is that of
 * USE_CODE. */
typedef enum model_use {
    USE_CODE,
    USE_EVALUATION,
    USE_REPAIR,
    USE_CELL,
    USE_FALLBACK,
    USES
} model_use;

/* A question that was answered, or not, as the prompts of the next ones tell it. */
typedef struct turn {
    str question, code, output, answer;
} turn;

void turn_free(turn *t);

/* What the model reads of the conversation, and where it is stored; history.h, conversation.h. */
typedef struct conversation {
    struct database *file; /* NULL: it is not */
    str summary;           /* of the turns before the first that prompts have */
    str note;              /* what the next question must know of a session that was restored */
    str fault;        /* why the session was not restored: the stored one stays; empty: it was */
    size_t told_from; /* the first of its turns that the summary does not cover */
    uint64_t base;    /* earlier turns, which are in the file only */
    uint64_t stored;  /* of all turns: those in the file */
} conversation;

struct snug_agent {
    snug_host *host;
    snug_session *session;
    char *workdir; /* of the session, where the caller has named it; else NULL */
    char *profile; /* of the session, for the scan */
    char **allow;  /* the same; NULL-terminated, or NULL */
    char **forbid; /* the same */
    char **mounts; /* their names in the work directory; the same */
    snug_limits cell_limits;
    snug_agent_options options; /* its texts are not kept, and NULL */
    snug_agent_limits limits;
    model *models[USES]; /* the same twice where it has two uses */
    prices *prices;      /* NULL: none */
    template_set *templates;
    struct snug_library *library; /* NULL: none; the same for cache */
    struct database *cache;
    char *retrieve_command; /* NULL: none */
    struct tracer *tracer;  /* NULL: nothing is traced */
    int is_fault_told;      /* that of the library's embeddings */
    str unrun;              /* a program whose result came from the cache; reuse.h */
    int is_catching_up;     /* it runs now, and nobody hears what it prints */
    int is_private;         /* the session has no mounts, and a work directory of its own */
    str modules;            /* that cells may import, "csv, json, ..." */
    bound_tools tools;
    int has_answer; /* final_answer is bound */
    turn *turns;
    size_t turn_count, turn_cap;
    conversation conversation;
    struct run *run;     /* the question under way */
    int has_way_back;    /* snug_agent_undo has something to go back to */
    uint64_t peak_bytes; /* of the last program: what the session holds, or more */
    int saves_slowly;    /* it is no longer saved before each program */
    uint64_t kills; /* programs in a row that were ended by time, by memory or with the session */

    /* The session's callbacks are the caller's. */
    void (*on_output)(void *payload, snug_stream stream, const char *text, size_t len);
    void (*on_display)(void *payload, snug_display_event event, const snug_display *display);
    void (*on_input)(void *payload, snug_call *call, const char *prompt);
    void (*on_tool_call)(void *payload, const snug_tool_call *call);
    void (*on_approval)(void *payload, snug_call *call);
    void *session_payload;

    uint64_t process;     /* that has opened it: base/forked.h */
    pthread_mutex_t lock; /* guards is_asking against snug_agent_cancel */
    int is_asking;
    pthread_t asker; /* the thread that asks, or asked last */
    _Atomic int is_cancelled;
    _Atomic int is_executing; /* a cell runs, or is about to */
    cell_clock cell_clock;    /* of the cell that runs, once it has asked a model */
};

/* How a step ended: what the edges of the loop are labelled with. */
typedef enum loop_outcome {
    WENT,    /* as it should */
    FAILED,  /* the code, or what it gave, is not right: run.failure says why */
    MORE,    /* there is another one to do: a step of the plan, a call of the model's */
    STOPPED, /* the reply has its status */
    BROKEN   /* run.error, with its message */
} loop_outcome;

/* Why the last program was not right, as the next prompt tells it. */
typedef struct failure {
    const char *template; /* of the next prompt */
    const char *class;    /* "syntax", "runtime", "logical", "environment", "import" */
    str category, sentence, traceback, hint, findings;
} failure;

/* Programs that the model asked for in one reply, in act mode. */
typedef struct pending_call {
    str id, code;
} pending_call;

/* How often the policy has denied something, by the name of the audit event. */
enum { DENIAL_NAMES = 16 };
typedef struct denial_count {
    char name[64]; /* empty: no more */
    uint64_t count;
} denial_count;

typedef struct run {
    snug_agent *agent;
    const char *question;
    const snug_agent_ask_options *options;
    const char *language; /* of the answer, "Spanish"; NULL: the model decides */
    snug_agent_mode mode;
    snug_agent_limits limits;
    snug_reply *reply;
    struct trace *trace; /* NULL: none */
    snug_agent_step at;  /* the step under way */
    uint64_t started_ns, deadline_ns;
    int64_t ready_ns;    /* since 1970: the data was there, and no program had run */
    uint64_t step_cells; /* cells that act mode has run */
    int error;           /* of BROKEN */

    model_reply said;        /* the last reply of a model */
    uint64_t reply_room;     /* tokens that it could have, */
    const char *reply_bound; /* and the option that bounds them */
    unsigned unavailable;    /* bits of model_use: those that the fallback takes the place of */
    extracted code;          /* what was taken from it */
    int has_code;
    str left_out; /* what of that reply was not taken, a sentence; or empty */
    failure failure;
    str changed;    /* what the failed attempt has left behind */
    int is_renewed; /* the session had been lost */
    int has_checkpoint;
    int is_consenting;  /* the caller decides on a program, */
    str wanted;         /* and has given this one in its place */
    private_file saved; /* the session before the last program; rerun.h */
    str saved_bash;     /* the same of one in bash */
    int is_saved;
    int is_untouched;    /* and nothing had run in it */
    str inputs;          /* for the prompts */
    model_image *images; /* of the question */
    size_t image_count;
    str context;         /* the caller's and what was retrieved; empty: the caller's alone */
    str data, reuse_key; /* reuse.h: the inputs, and the last program with all it depends on */
    int is_not_reusable; /* they are too large for that */

    /* Plan. */
    plan plan;
    size_t step;         /* under way, from 0 */
    size_t step_attempt; /* attempts before this step's first */
    str done;            /* steps with what they gave */

    /* Act: what was said so far, and the calls that wait. */
    model_message *messages;
    size_t message_count, message_cap;
    pending_call *calls;
    size_t call_count, call_cap, call_at;
    str final_answer, final_call; /* what it was given, and the call with that cell */
    int has_final;
    int is_unobserved; /* the model has not heard yet what the cell of the final answer gave */
    int is_in_words;   /* it is what the model said, and not what a cell gave to a function */
    uint64_t words_asked_again; /* words that were not taken, since the last program */
    int is_last_asked;          /* for the answer, when all steps were taken */

    verdict verdict;
    int has_verdict;

    denial_count denials[DENIAL_NAMES];
    /* A program that was given, once it passes. */
    snug_agent_verdict best_verdict;
    int has_best_verdict;
} run;

/* Programs are in bash: so is the session. */
static inline int is_in_bash(const snug_agent *agent)
{
    return snug_session_kind(agent->session) == SNUG_KIND_BASH;
}

/* Whether a program in bash is not one for this session, and may be one for another. */
static inline int run_may_be_bash(const struct run *r)
{
    const char *wanted = r->options->program_language;
    return !is_in_bash(r->agent) && !r->reply->is_given && (!wanted || strcmp(wanted, "auto") == 0);
}

static inline attempt *run_attempt(const run *r)
{
    return r->reply->attempt_count ? &r->reply->attempts[r->reply->attempt_count - 1] : NULL;
}

/* The one that prompts are about: the version in force of a program that was given. */
static inline attempt *run_subject(run *r)
{
    return r->reply->best ? &r->reply->attempts[r->reply->best - 1] : run_attempt(r);
}

/* One model may have two uses; it is opened, named and closed for the first. */
static inline int agent_model_has_earlier_use(const snug_agent *agent, int use)
{
    for (int earlier = 0; earlier < use; earlier++)
        if (agent->models[earlier] == agent->models[use])
            return 1;
    return 0;
}

/* An empty turn at the end of the conversation; NULL if memory ran out. */
turn *agent_add_turn(snug_agent *agent);

/* The attempts of this question, or of this step of a plan. */
static inline uint64_t run_attempts(const run *r)
{
    return r->reply->attempt_count - r->step_attempt;
}

/* Of a list that the model writes: the steps of a plan. */
static inline size_t run_most_items(const run *r)
{
    return r->limits.steps < 1000 ? (size_t)r->limits.steps : 1000;
}

/* STOPPED, with the reply's status and a sentence. */
__attribute__((format(printf, 3, 4))) loop_outcome run_stop(run *r, snug_agent_status status,
                                                            const char *format, ...);
/* BROKEN, with the error of a function of snug.h; STOPPED where that is the end of a session. */
loop_outcome run_break(run *r, int error);
/* FAILED: forgets the last failure and begins a new one. */
loop_outcome run_fail(run *r, const char *template, const char *class, const char *category);
/* Nothing has failed: the next prompt tells of no failure. */
void run_forget_failure(run *r);
/* A new attempt with that code. NULL if memory ran out. */
attempt *attempt_begin(run *r, const char *code, size_t len);
/* The failure becomes that of the last attempt. FAILED or BROKEN. */
loop_outcome attempt_fail(run *r);
/* STOPPED where it was cancelled, or its time is over; else WENT. */
loop_outcome run_look(run *r);
void run_free(run *r);
/* The calls of the last reply, answered or not. */
void run_forget_calls(run *r);
/* Puts "[key]" for the keys of the agent's models. SNUG_OK or SNUG_ENOMEM. */
int run_hide_keys(const run *r, str *text);
/* As snug_session_run, or _aside, for a cell of the run's: a cancel reaches it, and it ends with
 * the question's time. Answers SNUG_OK with *out NULL where the cancel came before the cell. */
int run_cell(snug_result **out, run *r, const char *source, size_t len, int is_aside);

/* "generate", ...; of SNUG_AGENT_STEP_END "end". */
const char *run_step_name(snug_agent_step step);

#endif
