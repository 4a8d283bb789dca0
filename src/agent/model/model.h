/*
 * model.h - asks a language model, whoever provides it: one conversation in, one reply out.
 *
 * Knows nothing of sessions or of what the loop does with the reply. Retries, time-outs and
 * the providers' dialects are behind it. A model that fails is not an error of the host: that
 * is the fault of the reply.
 */
#ifndef SNUG_AGENT_MODEL_H
#define SNUG_AGENT_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

typedef enum model_role {
    MODEL_SYSTEM, /* the first message, or none */
    MODEL_USER,
    MODEL_ASSISTANT,
    MODEL_TOOL /* what a call of a tool gave */
} model_role;

/* A tool that the model asked for. arguments is what it sent, which may not be JSON. */
typedef struct model_call {
    str id, name, arguments;
} model_call;

typedef struct model_message {
    model_role role;
    str text;
    model_call *calls; /* MODEL_ASSISTANT */
    size_t call_count;
    str call_id; /* MODEL_TOOL: the call that this answers */
    int is_error;
} model_message;

void model_message_free(model_message *message);

/* A tool that the model may ask for. */
typedef struct model_tool {
    const char *name, *description;
    const char *parameters_json; /* a JSON Schema; sent as it is */
} model_tool;

/* A JSON Schema that the reply shall have the shape of. Models that have no such thing reply as the
 * messages ask them to. */
typedef struct model_shape {
    const char *name, *description;
    const char *schema_json; /* of an object, with all members required and no others */
} model_shape;

typedef struct model_image {
    const char *type; /* "image/png" */
    str base64;
} model_image;

/* What the reply ended by. */
typedef enum model_stop {
    MODEL_STOP_END,    /* the model was done; asking for tools too */
    MODEL_STOP_LENGTH, /* max_tokens */
    MODEL_STOP_REFUSAL /* it, or a filter of the provider's, refuses */
} model_stop;

typedef enum model_fault {
    MODEL_FINE,
    MODEL_KEY_REFUSED,  /* 401, 403 */
    MODEL_RATE_LIMITED, /* 429 to the end of all retries */
    MODEL_UNAVAILABLE,  /* 5xx, broken connections, or none, to the end of all retries */
    MODEL_TIMED_OUT,    /* connect, first token, idle or total, to the end of all retries */
    MODEL_BAD_REPLY,    /* no reply in the provider's shape, to the end of all retries; or one
                           over reply_bytes, which is not asked for again */
    MODEL_BAD_REQUEST,  /* 400, 404, 413, 422: the model does not exist, the prompt is too long */
    MODEL_NO_QUOTA,     /* 402, or a 429 that says that the account has no credit: no retry helps */
    MODEL_PAST_DEADLINE, /* the caller's deadline came first, or would before the next retry */
    MODEL_CANCELLED
} model_fault;

/* "key refused", ...: for events and tests. */
const char *model_fault_name(model_fault fault);

typedef struct model_usage {
    uint64_t requests; /* sent, retries included */
    uint64_t input_tokens, output_tokens;
    uint64_t cached_tokens;  /* of the input tokens: from the provider's cache */
    uint64_t written_tokens; /* of the input tokens: put into it */
    int is_estimated;        /* the provider told none: bytes / 4 of both */
} model_usage;

/* Zeroed is empty. Of a fault, text and calls are as far as they came. The key, where it came
 * back, is "[key]" in all of it. */
typedef struct model_reply {
    model_fault fault;
    str sentence;    /* of the fault: names provider, status and what it said, never the key */
    int http_status; /* 0: none came */
    str text;        /* what it said, without thinking that the provider sets apart */
    str thinking;
    model_call *calls;
    size_t call_count;
    model_stop stop;
    model_usage usage; /* also of a reply with a fault */
} model_reply;

void model_reply_free(model_reply *reply);

typedef struct model_request {
    const model_message *messages;
    size_t message_count;
    const model_tool *tools;
    size_t tool_count;
    const model_shape *shape;  /* of the reply's text, where it has no tools; NULL: none */
    const model_image *images; /* of the user's first message */
    size_t image_count;
    double temperature;   /* negative: the provider's default */
    uint64_t max_tokens;  /* of the reply */
    uint64_t deadline_ns; /* CLOCK_MONOTONIC; UINT64_MAX: none */
    /* On the calling thread. NULL: none. */
    void (*on_text)(void *payload, const char *text, size_t len); /* as it streams in; from the
                                                                     start again after on_retry */
    void (*on_retry)(void *payload, const char *sentence, uint64_t wait_ms);
    void *payload;
} model_request;

/* A time or a bound of 0 means that there is none, where nothing else is said. */
typedef struct model_options {
    const char *name; /* "provider:model" */
    /* NULL: the provider's variable, or its own address. A key is sent over plain http to this
     * machine, and to another one only where this names it. */
    const char *base_url;
    const char *key_file; /* its first line is the key; NULL: the provider's variable */
    const char *const *request_fields, *const *headers; /* of extras.h; NULL: none */
    int is_streaming;
    uint64_t connect_ms, idle_ms, total_ms; /* of a request */
    uint64_t first_token_ms; /* of one that streams: a whole reply comes with its last token */
    uint64_t local_first_token_ms; /* the same of a server of one's own; 0: as long */
    unsigned retries;              /* after the first request */
    uint64_t reply_bytes;          /* more of a reply is MODEL_BAD_REPLY */
    uint64_t backoff_ms;           /* at most, before the first retry; doubled by each. 0: 500 */
    uint64_t longest_wait_ms;      /* a longer Retry-After ends it: MODEL_RATE_LIMITED. 0: 60,000 */
} model_options;

typedef struct model model;

/* SNUG_EINVAL for a name, URL or key that is not valid: the message names it, never the key. A
 * provider that needs a key and has none is SNUG_EINVAL with the variable's name; at another
 * address than its own it needs none. Texts of options are copied. */
int model_open(model **out, const model_options *options);
void model_close(model *m);
/* As it was given: "openai:gpt-4o-mini". */
const char *model_name(const model *m);
/* Whether the provider's models are known to ask for tools. */
int model_has_tools(const model *m);
/* SNUG_OK, also with a fault in the reply; SNUG_ENOMEM. One call at a time. out need not be
 * empty before, and is not freed. */
int model_ask(model_reply *out, model *m, const model_request *request);
/* Appends all that the reply depends on: address, model and the whole request, and never the key.
 * SNUG_OK or SNUG_ENOMEM. */
int model_write_key(str *out, const model *m, const model_request *request);
/* Any thread: the call that is under way ends at once, and those after it until
 * model_resume. */
void model_cancel(model *m);
void model_resume(model *m);
/* Puts "[key]" for each occurrence of the key in text. SNUG_OK or SNUG_ENOMEM (text is empty
 * then). A key of less than 8 bytes ("EMPTY", for servers that need none) is not a secret. */
int model_hide_key(const model *m, str *text);

#endif
