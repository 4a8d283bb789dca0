#ifndef SNUG_AGENT_H
#define SNUG_AGENT_H

#include <snug/snug.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snug_agent snug_agent;
typedef struct snug_reply snug_reply;

typedef struct snug_agent_limits {
    size_t size;
    uint64_t attempts;
    uint64_t steps;
    uint64_t tokens;
    uint64_t cost_microusd;
    uint64_t wall_ms;
    uint64_t code_lines;
    uint64_t question_bytes;
    uint64_t reply_tokens;
    uint64_t reply_bytes;
    uint64_t connect_ms;
    uint64_t first_token_ms;
    uint64_t idle_ms;
    uint64_t request_ms;
    uint64_t retries;
    uint64_t history_tokens;
    uint64_t retrieved;
    uint64_t cache_age_ms;
} snug_agent_limits;
#define SNUG_AGENT_LIMITS_INIT    {    sizeof(snug_agent_limits), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0  }

SNUG_EXTERN const snug_limit_description *snug_agent_limit_info(size_t index);

typedef enum snug_agent_mode {
    SNUG_AGENT_MODE_SOLVE,
    SNUG_AGENT_MODE_CHAIN,
    SNUG_AGENT_MODE_ACT,
    SNUG_AGENT_MODE_PLAN
} snug_agent_mode;

typedef enum snug_agent_focus {
    SNUG_AGENT_FOCUS_FIX_ERRORS,
    SNUG_AGENT_FOCUS_OPTIMIZE,
    SNUG_AGENT_FOCUS_ROBUSTNESS
} snug_agent_focus;

typedef enum snug_agent_calling {
    SNUG_AGENT_CALLING_AUTO,
    SNUG_AGENT_CALLING_FENCE,
    SNUG_AGENT_CALLING_TOOL
} snug_agent_calling;

typedef enum snug_agent_answer {
    SNUG_AGENT_ANSWER_SENTENCE,
    SNUG_AGENT_ANSWER_RESULT
} snug_agent_answer;

typedef enum snug_agent_verdict {
    SNUG_AGENT_VERDICT_PASS,
    SNUG_AGENT_VERDICT_FAIL,
    SNUG_AGENT_VERDICT_UNSURE
} snug_agent_verdict;

typedef enum snug_agent_step {
    SNUG_AGENT_STEP_PLAN,
    SNUG_AGENT_STEP_GENERATE,
    SNUG_AGENT_STEP_EXTRACT,
    SNUG_AGENT_STEP_SCAN,
    SNUG_AGENT_STEP_EXECUTE,
    SNUG_AGENT_STEP_EVALUATE,
    SNUG_AGENT_STEP_REPAIR,
    SNUG_AGENT_STEP_IMPROVE,
    SNUG_AGENT_STEP_REPLY,
    SNUG_AGENT_STEP_END
} snug_agent_step;

typedef struct snug_agent_prompt {
    const char *name;
    const char *text;
} snug_agent_prompt;

typedef struct snug_agent_event {
    const char *name;
    uint64_t n;
    const char *json;
    size_t json_len;
} snug_agent_event;

#define SNUG_AGENT_REASON_BYTES 1024

typedef struct snug_agent_options {
    size_t size;

    const char *model;
    const char *evaluation_model;
    const char *repair_model;
    const char *base_url;
    const char *key_file;
    const char *prices_file;
    const char *prompts_dir;
    const snug_agent_prompt *prompts;
    size_t prompt_count;
    const snug_session_options *session;
    snug_agent_mode mode;
    snug_agent_focus focus;
    snug_agent_calling calling;
    snug_agent_answer answer;
    double temperature;
    int is_not_streaming;
    int has_no_evaluation;
    int has_rollback;
    int tells_prompts;
    int has_no_history;
    int has_no_metrics;
    int has_debug_info;
    const snug_agent_limits *limits;

    const char *conversation_file;
    const char *library_file;
    const char *embedding_model;
    const char *cache_file;
    int keeps_snippets;
    int caches_results;

    const char *trace_file;
    const char *trace_url;
    int traces_content;
    int has_whole_trace_url;

    void *payload;
    void (*on_event)(void *payload, const snug_agent_event *event);

    int (*on_scan)(void *payload, const char *code, size_t len, char *reason);

    snug_agent_verdict (*on_evaluate)(void *payload, const char *question, const char *code,
    const snug_result *result, char *reason);
} snug_agent_options;
#define SNUG_AGENT_OPTIONS_INIT    {    sizeof(snug_agent_options), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL,    SNUG_AGENT_MODE_SOLVE, SNUG_AGENT_FOCUS_FIX_ERRORS, SNUG_AGENT_CALLING_AUTO,    SNUG_AGENT_ANSWER_SENTENCE, 0.7, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, 0,  0, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL    }

SNUG_EXTERN int snug_agent_open(snug_agent **out, snug_host *host,
    const snug_agent_options *options);

SNUG_EXTERN void snug_agent_close(snug_agent *agent);

SNUG_EXTERN snug_session *snug_agent_session(snug_agent *agent);

SNUG_EXTERN int snug_agent_bind_tool(snug_agent *agent, const snug_tool *tool);

SNUG_EXTERN void snug_agent_cancel(snug_agent *agent);

SNUG_EXTERN int snug_agent_reset(snug_agent *agent);

SNUG_EXTERN int snug_agent_remove_conversation(const char *path);

typedef struct snug_agent_input {
    const char *name;
    const char *path;
    const void *data;
    size_t len;
} snug_agent_input;

typedef struct snug_agent_ask_options {
    size_t size;
    const snug_agent_input *inputs;
    size_t input_count;

    const char *const *checks;
    const char *expect;
    const char *context;
    const char *language;
    const snug_agent_mode *mode;
    const snug_agent_limits *limits;

    const char *code;
    int is_explained;
} snug_agent_ask_options;
#define SNUG_AGENT_ASK_OPTIONS_INIT    {    sizeof(snug_agent_ask_options), NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0  }

SNUG_EXTERN int snug_agent_ask(snug_reply **out, snug_agent *agent, const char *question,
    const snug_agent_ask_options *options);

typedef enum snug_agent_status {
    SNUG_AGENT_STATUS_ANSWERED,
    SNUG_AGENT_STATUS_MAX_ATTEMPTS,
    SNUG_AGENT_STATUS_BUDGET,
    SNUG_AGENT_STATUS_TERMINAL_ERROR,
    SNUG_AGENT_STATUS_REFUSED
} snug_agent_status;

typedef enum snug_reply_format {
    SNUG_REPLY_PLAIN,
    SNUG_REPLY_MARKDOWN,
    SNUG_REPLY_JSON
} snug_reply_format;

SNUG_EXTERN snug_agent_status snug_reply_status(const snug_reply *reply);

SNUG_EXTERN const char *snug_agent_status_name(snug_agent_status status);

SNUG_EXTERN const char *snug_reply_answer(const snug_reply *reply);

SNUG_EXTERN const char *snug_reply_error(const snug_reply *reply);

SNUG_EXTERN int snug_reply_is_supported(const snug_reply *reply);

SNUG_EXTERN const char *snug_reply_code(const snug_reply *reply);

SNUG_EXTERN size_t snug_reply_attempt_count(const snug_reply *reply);

SNUG_EXTERN const char *snug_reply_text(const snug_reply *reply, snug_reply_format format,
    size_t *len);

SNUG_EXTERN void snug_reply_free(snug_reply *reply);

#ifdef __cplusplus
}
#endif

#endif
