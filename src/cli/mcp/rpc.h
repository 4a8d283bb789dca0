/*
 * rpc.h - one message of JSON-RPC 2.0, read and written. Pure.
 *
 * An id goes back as the bytes that came, so that integers of any size survive.
 * https://www.jsonrpc.org/specification
 */
#ifndef SNUG_CLI_RPC_H
#define SNUG_CLI_RPC_H

#include <stddef.h>

#include "base/str.h"
#include "wire/json.h"

enum {
    RPC_PARSE_ERROR = -32700,
    RPC_INVALID_REQUEST = -32600,
    RPC_METHOD_NOT_FOUND = -32601,
    RPC_INVALID_PARAMS = -32602,
    RPC_INTERNAL_ERROR = -32603
};
enum { RPC_ID_BYTES = 1024, RPC_METHOD_BYTES = 256, RPC_VALUES = 100000 };

typedef enum rpc_kind {
    RPC_REQUEST,
    RPC_NOTIFICATION,
    RPC_ANSWER, /* to a request of ours: result or error */
    RPC_FAULT   /* it is none of these: code and why say how */
} rpc_kind;

typedef struct rpc_message {
    rpc_kind kind;
    char *id;            /* as JSON text; NULL: it has none, or none that could be read */
    char *method;        /* of a request or notification */
    cJSON *root;         /* in which the next three lie */
    const cJSON *params; /* an object; NULL: there are none */
    const cJSON *result, *error;
    int code;
    char *why; /* one sentence */
} rpc_message;

/* Reads len bytes. A message that is wrong is an RPC_FAULT. SNUG_OK or SNUG_ENOMEM; free in both
 * cases. */
int rpc_read(rpc_message *out, const char *text, size_t len);
void rpc_free(rpc_message *m);

/* Appends the object of an error. data: JSON; NULL: none. SNUG_OK or SNUG_ENOMEM. */
int rpc_write_fault(str *out, int code, const char *message, const char *data);
/* Each appends a message, on one line without its end. id: JSON text; NULL: there is none. member:
 * "result" or "error". SNUG_OK or SNUG_ENOMEM. */
int rpc_write_answer(str *out, const char *id, const char *member, const char *body);
int rpc_write_error(str *out, const char *id, int code, const char *message);
int rpc_write_notification(str *out, const char *method, const char *params);
int rpc_write_request(str *out, const char *id, const char *method, const char *params);

/* Members of an object: NULL where they are not there, or of another type. */
const cJSON *rpc_object(const cJSON *object, const char *name);
const char *rpc_text(const cJSON *object, const char *name);

#endif
