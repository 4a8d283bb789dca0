/*
 * model_fault.h - what a request came to: its fault, the sentence for it, and whether to ask again.
 *
 * Pure: reads what came back, sends nothing.
 */
#ifndef SNUG_AGENT_MODEL_FAULT_H
#define SNUG_AGENT_MODEL_FAULT_H

#include "agent/model/dialect.h"
#include "agent/model/http.h"
#include "agent/model/key.h"
#include "agent/model/provider.h"

enum { FAULT_MOST_QUOTED = 300 }; /* bytes of what a provider says */

/* Of one request. */
typedef struct fault_facts {
    const char *name; /* "openai:gpt-4o" */
    const provider_place *place;
    const key_list *keys;
    const http_reply *http;
    const http_request *request;  /* for its limits */
    const dialect_reader *reader; /* of a reply that was read, or of a refusal */
    const char *problem;          /* why it is not a reply; NULL: it may be one */
    int is_page;                  /* it is one of the web */
} fault_facts;

typedef struct fault_finding {
    model_fault fault;
    int helps; /* asking again may */
    str sentence;
} fault_finding;

/* SNUG_OK or SNUG_ENOMEM. */
int fault_find(fault_finding *out, const fault_facts *facts);
/* Appends what somebody else said: on one line, at most FAULT_MOST_QUOTED bytes of it, valid
 * UTF-8, without control characters and the keys. */
int fault_quote(str *out, const char *text, size_t len, const key_list *keys);
/* Appends ": " and the reason that the body of a refusal gives; nothing where it gives none. */
int fault_add_reason(str *out, const str *body, const str *key);

#endif
