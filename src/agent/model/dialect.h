/*
 * dialect.h - the two ways in which providers are asked: a request as JSON, a reply from it.
 *
 * Pure: text in, text out. Where and how it is sent is client.c and http.c. Unknown fields and
 * events are passed over; a field of another type than it should have is as if it were missing.
 */
#ifndef SNUG_AGENT_DIALECT_H
#define SNUG_AGENT_DIALECT_H

#include "agent/model/model.h"

#include "base/jsontext.h"

/* A reply with more calls is not taken. */
enum { DIALECT_MOST_CALLS = 128 };

/* What a model is known not to take; learnt from its refusals. */
typedef enum dialect_quirk {
    DIALECT_NO_TEMPERATURE = 1,
    DIALECT_COMPLETION_TOKENS = 2, /* max_completion_tokens in the place of max_tokens */
    DIALECT_NO_STREAM_OPTIONS = 4,
    DIALECT_NO_SHAPE = 8,
    DIALECT_NO_CACHING = 16
} dialect_quirk;

/* What a provider says of an error; empty where it does not. */
typedef struct dialect_error {
    int is_present;
    int status; /* as HTTP's, by its type; 0: unknown */
    str message, type, code, param;
} dialect_error;

void dialect_error_free(dialect_error *error);

/* A reply that is being read. Zeroed, then reply, on_text and payload are set. */
typedef struct dialect_reader {
    model_reply *reply;                                           /* empty at the start */
    void (*on_text)(void *payload, const char *text, size_t len); /* NULL: none */
    void *payload;
    dialect_error error;
    const char *problem; /* static: why it is not a reply of this dialect; NULL: it is one so far */
    int is_complete;     /* the model was done: what comes now is usage at most */
    int is_ended;        /* and nothing more comes */
    int has_input_tokens, has_output_tokens; /* the provider told them */
    size_t blocks[DIALECT_MOST_CALLS];       /* of a call: the index that the stream names it by */
} dialect_reader;

void dialect_reader_free(dialect_reader *r); /* not its reply */

typedef struct dialect {
    const char *version; /* the beginning of a path that base URLs have or have not: "/v1" */
    const char *path;    /* behind that */
    const char *key_header;
    const char *other_header; /* NULL: none */
    /* Appends the request's body. name: of the model. quirks: of dialect_quirk. SNUG_OK or
     * SNUG_ENOMEM. */
    int (*write)(str *body, const char *name, const model_request *request, int is_streaming,
                 unsigned quirks);
    /* A whole reply, and one event of a stream. SNUG_OK, also where r->error is present then;
     * SNUG_ENOMEM; SNUG_EINVAL: problem says why. */
    int (*read_whole)(dialect_reader *r, const char *json, size_t len);
    int (*read_event)(dialect_reader *r, const char *data, size_t len);
} dialect;

extern const dialect dialect_openai, dialect_anthropic;

/* After the last piece: a call without an id has one then ("call_1"), one without arguments {}.
 * SNUG_OK or SNUG_ENOMEM. */
int dialect_finish(dialect_reader *r);

/* What the body of a refusal says, in any provider's shape: {"error": {"message", "type",
 * "code", "param"}}, {"error": "text"}, {"message"}, {"detail"}; a text that is not JSON is the
 * message. SNUG_OK or SNUG_ENOMEM. */
int dialect_read_refusal(dialect_error *error, const char *body, size_t len);
/* The quirk for which the request should be sent once more; 0: none. has_shape: it had one. */
unsigned dialect_learn(const dialect_error *error, int status, unsigned quirks, int has_shape);
/* A reply in a shape that came as the call of a tool becomes its text. SNUG_OK or SNUG_ENOMEM. */
int dialect_take_shape(model_reply *reply, const model_shape *shape);

/* ---- what both dialects use ---- */

/* What a piece of a stream is of; behind them the calls, by their place in the reply. */
enum { DIALECT_TEXT, DIALECT_THINKING, DIALECT_CALLS };
/* Appends a string to one of these texts, anything else is nothing. SNUG_OK or SNUG_ENOMEM. */
int dialect_add_piece(dialect_reader *r, size_t of, jsontext_span piece);
/* Text of the reply came in. */
int dialect_add_text(dialect_reader *r, jsontext_span text);
/* The call that the stream names by block; a new one where there is none yet. NULL: too many, or
 * no memory, as *error says. */
model_call *dialect_call(int *error, dialect_reader *r, size_t block);
int dialect_fail(dialect_reader *r, const char *problem);
/* Reads {"type", "message", "code", "param"}, or a string. */
int dialect_read_error(dialect_error *error, jsontext_span value);
/* Puts the string in the place of what out had; one that is not a string leaves it. */
int dialect_replace(str *out, jsontext_span value);
/* 1 and the number, where value is a whole number that is not negative. */
int dialect_number(uint64_t *out, jsontext_span value);
int dialect_is_object(jsontext_span value);
/* The message that the images of a request are part of; NULL: it has none. */
const model_message *dialect_image_message(const model_request *request);
/* Whether value is that string. */
int dialect_is(jsontext_span value, const char *text);
/* Puts the arguments of a call as a JSON object, whatever the model sent. */
void dialect_put_arguments(str *out, const char *name, const str *arguments);

#endif
