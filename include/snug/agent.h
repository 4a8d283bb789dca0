/*
 * agent.h - ask a question, and let a language model write the Python that answers it.
 *
 * An agent has a model and a session (snug.h). snug_agent_ask sends the question, takes the code
 * out of the model's reply, scans it, runs it in the session, and on an error has it repaired;
 * what ran well is evaluated, and the answer is made from what the run gave. The next question
 * finds the session as this one left it.
 *
 *     snug_agent_options options = SNUG_AGENT_OPTIONS_INIT;
 *     options.model = "ollama:qwen3";
 *     snug_agent *agent;
 *     snug_reply *reply;
 *     if (snug_agent_open(&agent, host, &options) ||
 *         snug_agent_ask(&reply, agent, "What is the 100th prime?", NULL))
 *         return fprintf(stderr, "%s\n", snug_error_message()), 1;
 *     puts(snug_reply_answer(reply));
 *
 * Errors, ownership and text are as in snug.h: what the model, the network or the code does is
 * the status of the reply, never an error here.
 *
 * Threads. An agent is used from one thread at a time, except snug_agent_cancel, which any
 * thread may call. Callbacks run on the thread that called snug_agent_ask.
 *
 * Network. Requests go by libcurl, with its proxies and certificates (https_proxy, no_proxy,
 * SSL_CERT_FILE, CURL_CA_BUNDLE). Keys are read from the environment or a file when the agent is
 * opened, stand in no event, log, reply or message, and snug's copies are wiped at close. Cells
 * have no network.
 */
#ifndef SNUG_AGENT_H
#define SNUG_AGENT_H

#include <snug/snug.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snug_agent snug_agent;
typedef struct snug_reply snug_reply;

/* ---- what a run may use ---- */

/* Zero means the default; snug_agent_limit_info lists them. All are hard: where one is reached
 * the run ends with SNUG_AGENT_STATUS_BUDGET (attempts: SNUG_AGENT_STATUS_MAX_ATTEMPTS). */
typedef struct snug_agent_limits {
    size_t size;
    uint64_t attempts;       /* programs run or refused for a question, or for a step of a plan */
    uint64_t steps;          /* cells in act mode, steps of a plan */
    uint64_t tokens;         /* in and out, of all requests of a question */
    uint64_t cost_microusd;  /* of a question, by the prices; in millionths of a US dollar */
    uint64_t wall_ms;        /* of a question */
    uint64_t code_lines;     /* of a program; longer ones are findings of the scan */
    uint64_t question_bytes; /* of a question; longer ones are refused */
    uint64_t reply_tokens;   /* that the model may write in one reply */
    uint64_t reply_bytes;    /* of one reply as it travels; more is a bad reply */
    uint64_t connect_ms;     /* of a request: until it is connected */
    uint64_t first_token_ms; /* until the first token of an answer that streams, and without a byte;
                                by default longer of a server of one's own */
    uint64_t idle_ms;        /* between two pieces of it */
    uint64_t request_ms;     /* in all; by default only of an answer that comes whole */
    uint64_t retries;        /* of a request after 429, 5xx and broken connections; or
                                SNUG_AGENT_NO_RETRIES */
    uint64_t history_tokens; /* of the conversation in a prompt: what is older is summarised; and of
                                the replies to the question under way: older ones are left out */
    uint64_t retrieved;      /* snippets and documents of the library in a prompt */
    uint64_t cache_age_ms;   /* an older reply of the cache is not used */
    uint64_t cache_bytes;    /* of the cache; the oldest replies go */
    uint64_t longest_reply_tokens; /* a reply that was cut at reply_tokens is asked for again with
                                      twice as many, up to these */
    uint64_t model_calls;          /* of ask_model, by the programs of a question */
    uint64_t retrieve_ms;          /* of the retrieve_command */
} snug_agent_limits;
#define SNUG_AGENT_LIMITS_INIT                                                                   \
    {                                                                                            \
        sizeof(snug_agent_limits), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/* Of `retries`, where zero means the default: a request is sent once. */
#define SNUG_AGENT_NO_RETRIES (UINT64_MAX - 1)

/* The table of these, in the order of the struct; NULL past its end. A unit may be "microdollars"
 * too: millionths of a US dollar. */
SNUG_EXTERN const snug_limit_description *snug_agent_limit_info(size_t index);

/* ---- options ---- */

typedef enum snug_agent_mode {
    SNUG_AGENT_MODE_SOLVE, /* one program, repaired until it passes */
    SNUG_AGENT_MODE_CHAIN, /* one program, run once */
    SNUG_AGENT_MODE_ACT, /* a cell at a time, each seeing what the one before gave, until one calls
                      final_answer(...) */
    SNUG_AGENT_MODE_PLAN /* steps first; each is solved and verified before the next */
} snug_agent_mode;

typedef enum snug_agent_focus {
    SNUG_AGENT_FOCUS_FIX_ERRORS,
    SNUG_AGENT_FOCUS_OPTIMIZE,
    SNUG_AGENT_FOCUS_ROBUSTNESS,
    SNUG_AGENT_FOCUS_STYLE
} snug_agent_focus;

/* How the programs are written that the model is asked for. */
typedef enum snug_agent_style {
    SNUG_AGENT_STYLE_PLAIN,
    SNUG_AGENT_STYLE_DOCUMENTED /* in functions with documentation, which handle the errors that can
                                   be expected; others still end the program, and are repaired */
} snug_agent_style;

/* How the model hands over its code. Whatever was asked for, both are understood. */
typedef enum snug_agent_calling {
    SNUG_AGENT_CALLING_AUTO, /* as a tool in act mode where the provider's models have tools */
    SNUG_AGENT_CALLING_FENCE,
    SNUG_AGENT_CALLING_TOOL
} snug_agent_calling;

typedef enum snug_agent_answer {
    SNUG_AGENT_ANSWER_SENTENCE, /* the model says it, and its numbers must come from the run */
    SNUG_AGENT_ANSWER_RESULT    /* what the run gave, as it is; no request is made for it */
} snug_agent_answer;

typedef enum snug_agent_verdict {
    SNUG_AGENT_VERDICT_PASS,
    SNUG_AGENT_VERDICT_FAIL,
    SNUG_AGENT_VERDICT_UNSURE
} snug_agent_verdict;

/* The states of a run, for on_route. */
typedef enum snug_agent_step {
    SNUG_AGENT_STEP_PLAN,
    SNUG_AGENT_STEP_GENERATE,
    SNUG_AGENT_STEP_EXTRACT,
    SNUG_AGENT_STEP_SCAN,
    SNUG_AGENT_STEP_EXECUTE,
    SNUG_AGENT_STEP_EVALUATE,
    SNUG_AGENT_STEP_REPAIR,
    SNUG_AGENT_STEP_IMPROVE, /* of a program that was given: a version is measured, and another
                              * asked for
                              */
    SNUG_AGENT_STEP_REPLY,
    SNUG_AGENT_STEP_END
} snug_agent_step;

/* What becomes of a program that is about to run: on_program. */
typedef enum snug_agent_consent {
    SNUG_AGENT_CONSENT_RUN,
    SNUG_AGENT_CONSENT_REFUSE, /* nothing of it runs, and the question ends with
                                  SNUG_AGENT_STATUS_REFUSED */
    SNUG_AGENT_CONSENT_CHANGED /* what snug_agent_change_program was given takes its place: it is
                                  scanned, and comes to on_program in its turn */
} snug_agent_consent;

/* A prompt template that replaces the one built in; docs/agent-prompts.md has the names, the
 * variables and the syntax. The struct never changes: prompts is an array of it. */
typedef struct snug_agent_prompt {
    const char *name; /* "system", "generate", "repair", ... */
    const char *text;
} snug_agent_prompt;

/* What happens while a question is answered. */
typedef struct snug_agent_event {
    const char *name; /* "generate", "extract", "scan", "execute", "output", ...: docs/agent.md */
    uint64_t n;       /* the attempt or step, from 1; 0: before the first */
    const char *json; /* the whole event on one line, {"event": name, "n": n, ...} */
    size_t json_len;
} snug_agent_event;

/* Room for the sentence that a hook gives. */
#define SNUG_AGENT_REASON_BYTES 1024

typedef struct snug_agent_options {
    size_t size;
    /* "provider:model"; providers: openai, anthropic, ollama, vllm, llamacpp, lmstudio, azure,
     * openrouter, gemini. NULL: the variable SNUG_MODEL. */
    const char *model;
    const char *evaluation_model; /* NULL: model */
    const char *repair_model;     /* NULL: model */
    const char *base_url;         /* of model, and of the others where their provider is the same;
                                     NULL: the provider's variable or address */
    const char *key_file;         /* for the same models: its first line is the key; NULL: the
                                     provider's variable */
    const char *prices_file;      /* JSON, {"openai:gpt-4o-mini": {"input_per_mtok": 0.15,
                                     "output_per_mtok": 0.6}}, before those built in for common
                                     models; a limit of cost needs the prices of all models. NULL:
                                     none */
    const char *prompts_dir;      /* NAME.txt takes the place of the template NAME; NULL: none */
    const snug_agent_prompt *prompts; /* the same in memory; goes before prompts_dir */
    size_t prompt_count;
    const snug_session_options *session; /* of the session that the agent opens; NULL: the
                                            defaults. Its callbacks are called as ever. */
    snug_agent_mode mode;
    snug_agent_focus focus;
    snug_agent_calling calling;
    snug_agent_answer answer;
    double temperature;    /* negative: the provider's default */
    int is_not_streaming;  /* replies come whole */
    int has_no_evaluation; /* no model judges what ran; the caller's checks still do */
    int has_rollback;      /* before a repair the names are what they were before the first
                              attempt */
    int tells_prompts;     /* events "prompt", "route" and "budget" are sent too */
    int has_no_history;    /* SNUG_REPLY_MARKDOWN is without the improvement history, */
    int has_no_metrics;    /* without the performance, */
    int has_debug_info;    /* and with models, times and tokens */
    const snug_agent_limits *limits; /* NULL: the defaults */

    /* docs/agent-memory.md. What an agent remembers and where it finds its material; files of
     * SQLite, made where they are not there. One that is damaged, locked or of a newer snug is
     * SNUG_EINVAL when the agent is opened, with a sentence; later faults cost what it was for, and
     * never an answer. */
    const char *conversation_file; /* conversation and session, stored after each question and gone
                                      on with when it is opened again; NULL: neither */
    const char *library_file;      /* snippets and documents (library.h); NULL: none */
    const char *embedding_model;   /* "provider:model", for the library; NULL: by words only */
    const char *cache_file;        /* replies of models, by request; NULL: none */
    int keeps_snippets;            /* programs that passed are put into the library */
    int caches_results;            /* in solve and chain, in a session in which nothing has run yet:
                                      a program that used no tool, file, clock or random number is
                                      not run again with the same inputs */

    /* Spans with OpenTelemetry's names for generative AI. */
    const char *trace_file; /* a line of JSON (OTLP) for each question; NULL: none */
    const char *trace_url;  /* base of an OTLP/HTTP receiver, "http://localhost:4318"; NULL: none */
    int traces_content;     /* with questions, programs and answers */
    int has_whole_trace_url; /* trace_url is the whole address: no /v1/traces is put behind it */

    void *payload; /* of the callbacks below; each may be NULL */
    void (*on_event)(void *payload, const snug_agent_event *event);
    /* After snug's own scan found nothing. 1: fine; 0: refused, with a sentence for the model in
     * reason (SNUG_AGENT_REASON_BYTES). */
    int (*on_scan)(void *payload, const char *code, size_t len, char *reason);
    /* After the caller's checks and before the model's judgement, which SNUG_AGENT_VERDICT_PASS and
     * _FAIL take the place of; _UNSURE leaves it to the model. Not for an answer in words, for
     * which nothing has run. */
    snug_agent_verdict (*on_evaluate)(void *payload, const char *question, const char *code,
                                      const snug_result *result, char *reason);
    /* Before each step: answers `to`, or SNUG_AGENT_STEP_END, which ends the run with
     * SNUG_AGENT_STATUS_TERMINAL_ERROR. */
    snug_agent_step (*on_route)(void *payload, snug_agent_step from, snug_agent_step to);

    /* Of requests to model, and to the others where their provider is the same; each list ends with
     * NULL, and NULL is none. docs/agent-models.md. */
    const char *const *request_fields; /* "NAME=VALUE": further fields of the body, "seed=7" */
    const char *const *headers;        /* "NAME: VALUE"; values are secrets, as keys are */
    const char *fallback_model;        /* asked where another one cannot be reached, has no room
                                          or refuses; NULL: none */
    const char *const *forbid; /* further patterns that no program may have, NULL-terminated; as in
                                  snug_scan_options. NULL: none */
    /* How often a program runs again, in a new worker and in the session as it was saved before it,
     * after a fault of its worker. Where it fails each time it is repaired. 0: never, and a session
     * that is lost ends the question, as in a host of form SNUG_FORM_LOCAL. */
    uint64_t reruns;
    /* Programs have ask_model(prompt, system=None), which asks asked_model and gives its reply as a
     * str, within the limits of the question; a call that fails raises ToolError. Not in sessions
     * of kind SNUG_KIND_BASH. docs/agent.md. */
    int asks_model;
    /* Before a program runs, evaluation_model is asked once whether it does harm beyond its
     * question: then it does not run, and is repaired as if the scan had found that. */
    int reviews_programs;
    const char *asked_model; /* NULL: model */
    /* A command that finds material for a question elsewhere, as in a vector store; by /bin/sh.
     * What it finds stands beside what the library has. NULL: none. docs/agent-memory.md. */
    const char *retrieve_command;
    int has_messages;       /* the reply's JSON has the messages of the question's talk */
    snug_agent_style style; /* of programs */
    /* Before a program runs, in which scans and reviews have found nothing. How long it takes
     * counts neither for limits.wall_ms nor for a time in the reply. */
    snug_agent_consent (*on_program)(void *payload, const char *code, size_t len);
    uint64_t keeps_way_back; /* 1: for snug_agent_undo; what a question replaces stays in memory
                                until the next one, unless the session uses more than half of its
                                own */
} snug_agent_options;
#define SNUG_AGENT_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(snug_agent_options), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL,       \
            SNUG_AGENT_MODE_SOLVE, SNUG_AGENT_FOCUS_FIX_ERRORS, SNUG_AGENT_CALLING_AUTO,           \
            SNUG_AGENT_ANSWER_SENTENCE, 0.7, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, \
            0, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 3, 0, 0,    \
            NULL, NULL, 0, SNUG_AGENT_STYLE_PLAIN, NULL, 0                                         \
    }

/* Whether a name is that of a model, "provider:model". Nothing is asked, and no key is looked for.
 * SNUG_OK, or SNUG_EINVAL with a message that names the provider that was probably meant. */
SNUG_EXTERN int snug_agent_check_model(const char *name);
/* The variable of the environment that has the key of the provider at index, "OPENAI_API_KEY";
 * NULL past the last. Any thread. */
SNUG_EXTERN const char *snug_agent_key_variable(size_t index);
/* Asks the model of the options for a few tokens, once, for timeout_ms at most (0: 30,000). model,
 * base_url, key_file, request_fields and headers count. SNUG_OK where it answers, SNUG_EINVAL where
 * its name, address or key cannot be right, SNUG_ESYSTEM with what was wrong where it does not
 * answer. Blocks. */
SNUG_EXTERN int snug_agent_try_model(const snug_agent_options *options, uint64_t timeout_ms);
/* Who can be asked here: a provider, or a server on this machine. */
typedef struct snug_agent_source {
    uint64_t size;
    const char *provider;      /* "openai" */
    const char *found_by;      /* the variable that has its key, or its address; NULL: it was found
                                  at its usual address */
    const char *address;       /* "localhost:11434" */
    const char *fault;         /* why its models are not known, in words; NULL: they are */
    const char *const *models; /* "openai:gpt-5-mini", in the order of its list */
    uint64_t model_count;
    const char *choice; /* one that does for most questions; NULL: none of them is known for that */
} snug_agent_source;
typedef struct snug_agent_sources snug_agent_sources;
/* Asks for their lists of models those providers whose key or address is in the environment, and
 * Ollama, vLLM, llama.cpp and LM Studio at their usual addresses, each for timeout_ms at most (0:
 * 3,000), one after the other. Who does not answer at a usual address is not among them. Blocks.
 * SNUG_ENOMEM, or SNUG_ESYSTEM where libcurl cannot start. */
SNUG_EXTERN int snug_agent_sources_open(snug_agent_sources **out, uint64_t timeout_ms);
/* Frees the list and what it points to. NULL: nothing. */
SNUG_EXTERN void snug_agent_sources_close(snug_agent_sources *sources);
/* How many there are. */
SNUG_EXTERN size_t snug_agent_sources_entry_count(const snug_agent_sources *sources);
/* Lives until the close. NULL: there is none of that number. */
SNUG_EXTERN const snug_agent_source *snug_agent_sources_entry(const snug_agent_sources *sources,
                                                              size_t index);
/* Opens the agent and its session. SNUG_EINVAL if a model's name, key or URL, a template or the
 * price table is wrong, SNUG_ESYSTEM if one of their files cannot be read; the message names it. */
SNUG_EXTERN int snug_agent_open(snug_agent **out, snug_host *host,
                                const snug_agent_options *options);
/* Closes the agent and its session. Not from a callback. */
SNUG_EXTERN void snug_agent_close(snug_agent *agent);
/* Its session, which may be used between questions; it belongs to the agent. */
SNUG_EXTERN snug_session *snug_agent_session(snug_agent *agent);
/* Binds a tool in the session, as snug_session_bind_tool does, and describes it to the model. The
 * names final_answer and, with asks_model, ask_model are taken. */
SNUG_EXTERN int snug_agent_bind_tool(snug_agent *agent, const snug_tool *tool);
/* Ends the question that is under way at once, with SNUG_AGENT_STATUS_TERMINAL_ERROR: the request
 * is given up and the cell interrupted. It never reaches a later question. Any thread, but not from
 * a signal handler. */
SNUG_EXTERN void snug_agent_cancel(snug_agent *agent);
/* From on_program only, which then answers SNUG_AGENT_CONSENT_CHANGED: the program that takes the
 * place of the one it was asked about. SNUG_EINVAL elsewhere, and for what is not text. */
SNUG_EXTERN int snug_agent_change_program(snug_agent *agent, const char *code, size_t len);
/* Forgets the conversation and resets the session. SNUG_EBUSY while a question is under way. */
SNUG_EXTERN int snug_agent_reset(snug_agent *agent);
/* Takes back the last question, with keeps_way_back: the conversation is without it, the one in
 * conversation_file too, and names mean what they meant before it. What was changed within an
 * object or in a file stays. Once for each question. SNUG_ENOTFOUND, with why, where there is no
 * way back: the session is of kind SNUG_KIND_BASH, was lost since, or is too large; SNUG_EBUSY
 * while a question is under way. Where the file cannot be written, that is the error, and the
 * question is taken back in this process. */
SNUG_EXTERN int snug_agent_undo(snug_agent *agent);
/* The next questions ask the models of these options: model, evaluation_model, repair_model,
 * asked_model, fallback_model, with base_url, key_file, request_fields and headers; the rest of
 * them is not looked at. Conversation and session stay. Errors as of snug_agent_open, and then all
 * stays as it was; SNUG_EBUSY while a question is under way. */
SNUG_EXTERN int snug_agent_set_models(snug_agent *agent, const snug_agent_options *options);

/* Removes a conversation_file, with the files that SQLite keeps beside it. SNUG_ENOTFOUND if there
 * is none, SNUG_EINVAL for a file that is not a conversation, SNUG_EBUSY while an agent has it
 * open. */
SNUG_EXTERN int snug_agent_remove_conversation(const char *path);

/* A question of a conversation that was kept. */
typedef struct snug_agent_turn {
    uint64_t size;
    const char *question, *code, *output, *answer; /* "" where there is none */
} snug_agent_turn;
typedef struct snug_agent_conversation snug_agent_conversation;
/* Reads the turns of a conversation_file. Errors as snug_agent_remove_conversation, and SNUG_EINVAL
 * for one that is damaged. */
SNUG_EXTERN int snug_agent_conversation_open(snug_agent_conversation **out, const char *path);
/* The same of an agent between two questions: what it has been asked, and what its
 * conversation_file had before that; without such a file too. */
SNUG_EXTERN int snug_agent_conversation_of(snug_agent_conversation **out, snug_agent *agent);
/* Frees what was read. NULL: nothing. */
SNUG_EXTERN void snug_agent_conversation_close(snug_agent_conversation *conversation);
/* How many questions it has. */
SNUG_EXTERN size_t snug_agent_conversation_turn_count(const snug_agent_conversation *conversation);
/* From the first one on; lives until the close. NULL: there is none of that number. */
SNUG_EXTERN const snug_agent_turn *snug_agent_conversation_turn(const snug_agent_conversation *c,
                                                                size_t index);

/* ---- questions ---- */

/* Data that cells find. If name is an identifier, it is bound to the data (JSON as its value, other
 * text as str); anything else, "sales.csv", becomes a file of that name in the work directory. The
 * prompt has its name, type, size and beginning. Where the session has a mount of that name, cells
 * have the file already, and path is only described. The struct never changes: inputs is an array
 * of it. */
typedef struct snug_agent_input {
    const char *name;
    const char *path; /* of a file on the host; NULL: data */
    const void *data;
    size_t len;
} snug_agent_input;

/* A picture that the model sees: PNG, JPEG, GIF or WebP, of 5 MB at most, and up to 20 of them.
 * Programs do not have it, unless it is an input too. The struct never changes: images is an array
 * of it. */
typedef struct snug_agent_image {
    const char *path; /* of a file on the host; NULL: data */
    const void *data;
    size_t len;
} snug_agent_image;

typedef struct snug_agent_ask_options {
    size_t size;
    const snug_agent_input *inputs;
    size_t input_count;
    /* Source that must run without an exception after the program has: "assert total > 0". It
     * sees the namespace and leaves no names in it. */
    const char *const *checks; /* NULL-terminated; NULL: none */
    const char *expect;        /* a POSIX extended regular expression that is found in what the run
                                  gave; NULL: none */
    const char *context;       /* material for the prompt; NULL: none */
    const char *language;      /* of the answer, "Spanish" or "es"; NULL: that of the question */
    const snug_agent_mode *mode;     /* NULL: the agent's */
    const snug_agent_limits *limits; /* NULL, and fields of 0: the agent's */
    /* A program that is there already, in place of the first one of the model's; NULL: one is
     * written. In the mode solve; the question says what it should do, and may be empty. It is
     * repaired until it passes; then, by the agent's focus, up to limits.attempts versions of it
     * are asked for. The first one is taken that passes the checks, or without any gives the same,
     * and that for SNUG_AGENT_FOCUS_OPTIMIZE took less processor time by 10 % or more. The answer
     * is the program, after a sentence that says what became of it. */
    const char *code;
    int is_explained;               /* one more request: the program is explained too */
    const char *program_language;   /* "python", "bash", or "auto" or NULL: as the model replies. A
                                       session of kind SNUG_KIND_BASH takes bash only, others take
                                       Python only; the other one is refused */
    const snug_agent_image *images; /* SNUG_EINVAL for one that is none, or too large */
    size_t image_count;
} snug_agent_ask_options;
#define SNUG_AGENT_ASK_OPTIONS_INIT                                                           \
    {                                                                                         \
        sizeof(snug_agent_ask_options), NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, \
            NULL, NULL, 0                                                                     \
    }

/* Answers a question. options may be NULL. A question that is empty, too long or not text (control
 * bytes, invalid UTF-8) has the status SNUG_AGENT_STATUS_REFUSED, and nothing is sent. A session
 * that the last question lost is reset first, and the model is informed. SNUG_EBUSY while another
 * question is under way, so a callback cannot ask. */
SNUG_EXTERN int snug_agent_ask(snug_reply **out, snug_agent *agent, const char *question,
                               const snug_agent_ask_options *options);

/* ---- reply ---- */

typedef enum snug_agent_status {
    SNUG_AGENT_STATUS_ANSWERED,
    SNUG_AGENT_STATUS_MAX_ATTEMPTS,   /* the last attempt failed too */
    SNUG_AGENT_STATUS_BUDGET,         /* a limit was reached; the error names it */
    SNUG_AGENT_STATUS_TERMINAL_ERROR, /* the key was refused, the model could not be reached, the
                                  session was lost, it was cancelled */
    SNUG_AGENT_STATUS_REFUSED         /* by the check of the question, or by the model */
} snug_agent_status;

typedef enum snug_reply_format {
    SNUG_REPLY_PLAIN,    /* the answer, or the error */
    SNUG_REPLY_MARKDOWN, /* a report of the run */
    SNUG_REPLY_JSON      /* "snug.reply/1" */
} snug_reply_format;

/* What became of the question. */
SNUG_EXTERN snug_agent_status snug_reply_status(const snug_reply *reply);
/* The word for a status: "answered", "max_attempts", ... */
SNUG_EXTERN const char *snug_agent_status_name(snug_agent_status status);
/* The answer; empty if there is none. */
SNUG_EXTERN const char *snug_reply_answer(const snug_reply *reply);
/* Why there is no answer, one sentence; empty if there is one. */
SNUG_EXTERN const char *snug_reply_error(const snug_reply *reply);
/* 0 if the answer has a number that is neither in what the run gave nor in the question; else 1. */
SNUG_EXTERN int snug_reply_is_supported(const snug_reply *reply);
/* 0 if the answer is in the model's own words and no program was run for it, because the question
 * needs none; else 1. */
SNUG_EXTERN int snug_reply_has_program(const snug_reply *reply);
/* 1 if the model's first reply was a program in bash, and nothing has run, because the session is
 * of Python: for callers that have a session of kind SNUG_KIND_BASH for such questions. */
SNUG_EXTERN int snug_reply_wants_bash(const snug_reply *reply);
/* Why the answer may be wrong though it was given, one sentence: the model that judged it was
 * unsure, or what it said could not be read. Empty if there is no doubt. */
SNUG_EXTERN const char *snug_reply_doubt(const snug_reply *reply);
/* The program of the last attempt, or the version in the answer if a program was given. Empty if
 * there was none. */
SNUG_EXTERN const char *snug_reply_code(const snug_reply *reply);
/* How many attempts there were. */
SNUG_EXTERN size_t snug_reply_attempt_count(const snug_reply *reply);
/* The reply in that format, made at the first call; NULL if memory ran out. */
SNUG_EXTERN const char *snug_reply_text(const snug_reply *reply, snug_reply_format format,
                                        size_t *len);
/* The result of the run that the answer is from. NULL: nothing has run, or a cache had it. */
SNUG_EXTERN const snug_result *snug_reply_result(const snug_reply *reply);

/* What programs of the question made besides text: a file of the session's work directory, or a
 * figure that was displayed. The texts live as long as the reply. */
typedef struct snug_agent_output {
    uint64_t size;
    const char *path; /* in the work directory; NULL: of a figure that was only displayed */
    const char *at;   /* where the caller finds it; NULL: it goes with the session */
    const char *mime;
    uint64_t bytes;              /* of that type */
    const snug_display *display; /* of a figure, in all its forms; NULL: it is a file */
} snug_agent_output;
/* How many there are: of files at most 10,000. */
SNUG_EXTERN size_t snug_reply_output_count(const snug_reply *reply);
/* How many files there are beyond these. One that several runs changed may count as several. */
SNUG_EXTERN uint64_t snug_reply_outputs_left_out(const snug_reply *reply);
/* Of a file there is what the list of the last run that changed it had; it may be gone. NULL: there
 * is none of that number. */
SNUG_EXTERN const snug_agent_output *snug_reply_output(const snug_reply *reply, size_t index);
/* Says where the caller has put an output: JSON and markdown name it so from now on, and texts that
 * snug_reply_text has answered are gone. Not while another thread uses the reply. SNUG_EINVAL:
 * there is none of that number. */
SNUG_EXTERN int snug_reply_place(snug_reply *reply, size_t index, const char *at);
/* Frees the reply. It may outlive its agent. */
SNUG_EXTERN void snug_reply_free(snug_reply *reply);

#ifdef __cplusplus
}
#endif

#endif
