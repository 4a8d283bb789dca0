/*
 * provider.h - the providers of models: where each is, what it is asked by, and its key.
 */
#ifndef SNUG_AGENT_PROVIDER_H
#define SNUG_AGENT_PROVIDER_H

#include "agent/model/dialect.h"

typedef struct provider {
    const char *name;
    const dialect *dialect;
    const char *base_url; /* its own address; NULL: it has none, and each customer one */
    const char *url_variable;
    const char *key_variable;
    int needs_key;          /* at its own address */
    int has_tools;          /* its models are known to ask for tools */
    const char *key_header; /* NULL: that of the dialect */
    /* Of its models those that are taken where none is named, the best first; NULL: a server of
     * one's own, which has what it has. */
    const char *preferred;
    /* Appends the address of requests to a model, where it is not the base URL and the dialect's
     * path; base has no slash at its end. SNUG_OK, or an error with its message. NULL: it is. */
    int (*write_url)(str *out, const char *base, const char *rest);
} provider;

/* "Authorization: Bearer " */
const char *provider_key_header(const provider *p);

/* NULL behind the last. */
const provider *provider_at(size_t index);

/* "ollama:qwen3:8b" is the model qwen3:8b of ollama. *rest points into name. SNUG_EINVAL with a
 * message that names what is wrong, and the nearest provider where one is not known. */
int provider_find(const provider **out, const char **rest, const char *name);

/* Where requests go. */
typedef struct provider_place {
    str url;           /* of the request */
    str host;          /* "api.openai.com", for messages; with the port where it has one */
    int is_encrypted;  /* https */
    int is_loopback;   /* this machine: never by a proxy */
    int is_own;        /* the provider's own address */
    int has_version;   /* "/v1" or the like is in its path, as it should */
    const char *asked; /* what gave the address: "the base URL" or a variable's name */
} provider_place;

void provider_place_free(provider_place *place);

/* An address as it is, which asked names in messages: url, host and the rest. SNUG_EINVAL with a
 * message as below. */
int provider_read_url(provider_place *out, const char *url, const char *asked);
/* rest: of the name, as provider_find has it. base_url: the caller's, or NULL: the provider's
 * variable, or its own address. A variable that is empty is none. OLLAMA_HOST may be a host, with a
 * port or not. SNUG_EINVAL with a message for what is not an http or https URL, or has a name and
 * password in it. */
int provider_locate(provider_place *out, const provider *p, const char *rest, const char *base_url);
/* Moves a place of chat completions to the path beside it, as "/models". SNUG_OK, or SNUG_ENOMEM
 * with its message. */
int provider_move(provider_place *place, const provider *p, const char *path);
/* The line of the request's header with the key, which is not empty, without a copy of it left
 * behind. The same. */
int provider_write_key(str *out, const provider *p, const str *key);
/* Whether a key may go there: SNUG_EINVAL with a message where it would go unencrypted to
 * another machine that no option named. */
int provider_check_key(const provider_place *place, int is_callers_url);

#endif
