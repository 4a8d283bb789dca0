/*
 * schema_type.h - JSON Schema as types of Python, for people and models: what nothing else can be
 * said of is Any. Pure.
 */
#ifndef SNUG_CLI_SCHEMA_TYPE_H
#define SNUG_CLI_SCHEMA_TYPE_H

#include "base/jsontext.h"
#include "base/str.h"
#include "cli/upstream/schema_ref.h"

/* Appends an annotation: str, list[int], dict, Literal["open", "closed"], int | None. *d: of which
 * the schema is a part, for its references; NULL: they are Any. SNUG_OK or SNUG_ENOMEM. */
int schema_write_type(str *out, schema_document *d, jsontext_span schema);
/* Appends what an object has, or the objects of a list: {"name": str, "tags"?: list[str]}, where
 * "?" may be left out. Nothing where the type alone says it. SNUG_OK or SNUG_ENOMEM. */
int schema_write_shape(str *out, schema_document *d, jsontext_span schema);

#endif
