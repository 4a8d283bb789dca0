/*
 * yamljson.h - a value of YAML as JSON, event by event.
 *
 * Plain words have the types of YAML 1.2's core schema: null, true and false, numbers in decimal;
 * so "off" is a text. What stands in quotes is a text.
 */
#ifndef SNUG_CLI_YAMLJSON_H
#define SNUG_CLI_YAMLJSON_H

#include <yaml.h>

#include "base/str.h"

enum { YAMLJSON_LEVELS = 30 };

/* Zeroed is new. */
typedef struct yamljson {
    str text;
    unsigned level; /* 0 after an event: the value is whole */
    struct {
        int is_mapping;
        size_t count; /* keys and values */
    } open[YAMLJSON_LEVELS];
} yamljson;

/* A scalar, or the beginning or end of a list or mapping. *fault becomes what is wrong, static:
 * nested too deep, a key that is not text. SNUG_OK, or SNUG_ENOMEM without a message. */
int yamljson_add(yamljson *j, const char **fault, const yaml_event_t *event);

#endif
