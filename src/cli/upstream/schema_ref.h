/*
 * schema_ref.h - what a JSON Schema says of one value: in itself, where its "$ref" leads, and in
 * its "allOf". Places of its own document alone are gone to, "#/$defs/Name": what a reference to
 * anything else means is not known, and nothing is fetched. Pure.
 */
#ifndef SNUG_CLI_SCHEMA_REF_H
#define SNUG_CLI_SCHEMA_REF_H

#include <stddef.h>

#include "base/jsontext.h"

/* Keywords that somebody here reads, as SCHEMA_anyOf. */
#define SCHEMA_KEYWORDS(X)                            \
    X(type, "type")                                   \
    X(enum, "enum")                                   \
    X(const, "const")                                 \
    X(anyOf, "anyOf")                                 \
    X(oneOf, "oneOf")                                 \
    X(allOf, "allOf")                                 \
    X(items, "items")                                 \
    X(prefixItems, "prefixItems")                     \
    X(properties, "properties")                       \
    X(patternProperties, "patternProperties")         \
    X(additionalProperties, "additionalProperties")   \
    X(unevaluatedProperties, "unevaluatedProperties") \
    X(required, "required")                           \
    X(nullable, "nullable")                           \
    X(description, "description")                     \
    X(if, "if")                                       \
    X(then, "then")                                   \
    X(else, "else")                                   \
    X(dependentSchemas, "dependentSchemas")           \
    X(dependencies, "dependencies")                   \
    X(ref, "$ref")                                    \
    X(dynamicRef, "$dynamicRef")                      \
    X(recursiveRef, "$recursiveRef")

#define SCHEMA_ENUMERATOR(name, text) SCHEMA_##name,
enum { SCHEMA_KEYWORDS(SCHEMA_ENUMERATOR) SCHEMA_KEYWORD_COUNT };
#undef SCHEMA_ENUMERATOR

typedef struct schema_keywords {
    const char *text; /* of the schema: the same for the same one alone */
    jsontext_span of[SCHEMA_KEYWORD_COUNT];
} schema_keywords;

enum { SCHEMA_MOST_PARTS = 16 };

/* Schemas that hold together for one value, in the order of the text. */
typedef struct schema_parts {
    schema_keywords of[SCHEMA_MOST_PARTS];
    size_t count;
    int is_partial; /* there are others, which are not known */
} schema_parts;

/* A document. The text is the caller's. */
typedef struct schema_document {
    jsontext_span root;
    struct schema_definition *definitions; /* sorted */
    size_t count, cap;
    size_t budget; /* bytes of schemas that references may still lead to */
    int has_references, ignores_siblings;
} schema_document;

/* SNUG_OK or SNUG_ENOMEM. */
int schema_document_init(schema_document *d, jsontext_span root);
void schema_document_free(schema_document *d);
/* Of what is not an object nothing is known. d: NULL: references lead nowhere. SNUG_OK or
 * SNUG_ENOMEM. */
int schema_parts_read(schema_parts *out, schema_document *d, jsontext_span schema);
/* The first that a part has; .text is NULL where none has it. */
jsontext_span schema_parts_find(const schema_parts *parts, int keyword);

#endif
