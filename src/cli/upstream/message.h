/*
 * message.h - messages of the Model Context Protocol, JSON-RPC 2.0, of the revision 2026-07-28 and
 * of those that begin with a handshake. Pure.
 * https://modelcontextprotocol.io/specification/2026-07-28
 */
#ifndef SNUG_CLI_MESSAGE_H
#define SNUG_CLI_MESSAGE_H

#include <stddef.h>

#include <snug/snug.h>

#include "base/jsontext.h"
#include "base/str.h"

/* What says in each request how it is to be read; and the newest that begins with a handshake. */
#define MESSAGE_NEW "2026-07-28"
#define MESSAGE_OLD "2025-11-25"

#define MESSAGE_TEXT_OF(x) #x
#define MESSAGE_DIGITS(x)  MESSAGE_TEXT_OF(x)
/* Who snug says that it is. */
#define MESSAGE_CLIENT                                                                            \
    "{\"name\": \"snug\", \"version\": \"" MESSAGE_DIGITS(SNUG_VERSION_MAJOR) "." MESSAGE_DIGITS( \
        SNUG_VERSION_MINOR) "." MESSAGE_DIGITS(SNUG_VERSION_PATCH) "\"}"

enum { MESSAGE_VERSION_BYTES = 16 };

typedef struct message {
    jsontext_span id, method, params, result, error;
} message;

/* 1; 0: it is not a message. It points into text. */
int message_read(message *out, const char *text, size_t len);
int message_has_id(const message *m, unsigned long id);
/* Of an error; 0: it has none. */
long message_error_code(jsontext_span error);

/* Append; params is a JSON object, "{}" where there are none. SNUG_OK or SNUG_ENOMEM. */
int message_write_request(str *out, unsigned long id, const char *method, const char *params,
                          int is_new);
/* A notification of a handshake's revision, or one on stdio. */
int message_write_notification(str *out, const char *method, const char *params);
/* To what the server asks: only a ping has an answer. */
int message_write_answer(str *out, jsontext_span id, jsontext_span method);

/* Whether a list of versions has MESSAGE_NEW. */
int message_lists_new(jsontext_span list);
/* The version that a server has answered a handshake with, which later requests name; MESSAGE_OLD
 * where that is none. */
void message_read_version(char out[MESSAGE_VERSION_BYTES], jsontext_span version);

#endif
