/*
 * schema_type.h - JSON Schema as types of Python, for people and models: what nothing else can be
 * said of is Any. Pure.
 */
#ifndef SNUG_CLI_SCHEMA_TYPE_H
#define SNUG_CLI_SCHEMA_TYPE_H

#include "base/jsontext.h"
#include "base/str.h"

/* Appends an annotation: str, list[int], dict, Literal["open", "closed"], int | None.
 * SNUG_OK or SNUG_ENOMEM. */
int schema_write_type(str *out, jsontext_span schema);
/* Appends what an object has, or the objects of a list: {"name": str, "tags"?: list[str]}, where
 * "?" may be left out. Nothing where the type alone says it. SNUG_OK or SNUG_ENOMEM. */
int schema_write_shape(str *out, jsontext_span schema);

#endif
