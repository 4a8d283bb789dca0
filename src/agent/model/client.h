/*
 * client.h - a model, as opening.c makes it and client.c asks it.
 */
#ifndef SNUG_AGENT_CLIENT_H
#define SNUG_AGENT_CLIENT_H

#include "agent/model/extras.h"
#include "agent/model/http.h"
#include "agent/model/key.h"
#include "agent/model/model.h"
#include "agent/model/provider.h"
#include "agent/model/retry.h"

struct model {
    str name; /* "provider:model" */
    const char *model;
    const provider *provider;
    provider_place place;
    str key, key_header;      /* empty: none */
    const char *other_header; /* NULL: none */
    extras extras;
    str *secrets;          /* the key and those of the extras, whose bytes these are */
    key_list keys;         /* the same */
    model_options options; /* without its texts */
    retry_rule rule;
    uint64_t random;
    unsigned quirks; /* of dialect_quirk, learnt */
    http *http;
};

#endif
