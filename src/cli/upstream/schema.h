/*
 * schema.h - what a JSON Schema says of a value, as a type of Python: what it does not say, or says
 * by keywords that are not known here, is Any. A "$ref" leads to a definition of its own document,
 * "#/$defs/Name" or "#/definitions/Name"; nothing is fetched. Pure.
 */
#ifndef SNUG_CLI_SCHEMA_H
#define SNUG_CLI_SCHEMA_H

#include <stddef.h>

#include "base/jsontext.h"
#include "base/str.h"

typedef struct schema_document {
    jsontext_span root; /* the caller's text */
    size_t budget;      /* bytes of schemas that may still be looked at */
} schema_document;

/* Keywords of one schema; .text is NULL where it has not that one. */
#define SCHEMA_KEYWORDS(X)      \
    X(ref, "$ref")              \
    X(any_of, "anyOf")          \
    X(one_of, "oneOf")          \
    X(type, "type")             \
    X(choices, "enum")          \
    X(constant, "const")        \
    X(items, "items")           \
    X(properties, "properties") \
    X(required, "required")     \
    X(description, "description")

typedef struct json_schema {
    jsontext_span whole;
#define SCHEMA_MEMBER(name, text) jsontext_span name;
    SCHEMA_KEYWORDS(SCHEMA_MEMBER)
#undef SCHEMA_MEMBER
} json_schema;

void schema_document_init(schema_document *d, jsontext_span root);
/* The schema, or the one that it leads to by "$ref". whole.text is NULL where nothing is known. */
void schema_read(json_schema *out, schema_document *d, jsontext_span text);
/* Whether a list of strings has that one. */
int schema_lists(jsontext_span list, const char *name);
/* Appends the type: "str", "list[int] | None", 'Literal["a", "b"]', "dict", "Any"; with has_members
 * objects as '{"name": str, "size"?: int}'. SNUG_OK or SNUG_ENOMEM. */
int schema_write_type(str *out, schema_document *d, jsontext_span text, int has_members);

#endif
