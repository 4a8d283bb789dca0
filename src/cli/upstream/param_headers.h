/*
 * param_headers.h - arguments that are headers too: x-mcp-header in a tool's inputSchema, revision
 * 2026-07-28. Pure.
 */
#ifndef SNUG_CLI_PARAM_HEADERS_H
#define SNUG_CLI_PARAM_HEADERS_H

#include "base/jsontext.h"
#include "base/str.h"

/* NULL, or what is wrong with those of a schema: a tool with such is not offered over HTTP. */
const char *param_headers_fault(jsontext_span schema);
/* Appends "Mcp-Param-NAME: VALUE" and an LF for each that has a value in arguments, a JSON object.
 * schema: one without a fault. SNUG_OK or SNUG_ENOMEM. */
int param_headers_write(str *out, jsontext_span schema, jsontext_span arguments);

/* A value as a header has it, encoded where it must be. SNUG_OK or SNUG_ENOMEM. */
int param_headers_write_value(str *out, const char *text, size_t len);

#endif
