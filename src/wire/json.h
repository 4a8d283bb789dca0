/*
 * json.h - JSON in and out, by cJSON.
 *
 * cJSON keeps strings NUL-terminated and lets "\u0000" cut them silently; it
 * takes any bytes as text, "\uzzzz" as a NUL and 01 as a number. So json_parse
 * looks at the text first and refuses what would not survive. Control characters
 * in strings pass, as in cJSON. cJSON_GetObjectItem ignores case:
 * cJSON_GetObjectItemCaseSensitive is the one to use.
 */
#ifndef SNUG_WIRE_JSON_H
#define SNUG_WIRE_JSON_H

#include <stddef.h>

#include <cjson/cJSON.h>

#include "base/str.h"

/* One JSON value and nothing behind it but white space. On failure SNUG_EINVAL
 * and a message that says what is wrong and at which byte (from 1): no JSON,
 * invalid UTF-8, a NUL in a string, half a surrogate pair, a number that no double
 * holds, too deep. Free with cJSON_Delete. */
int json_parse(cJSON **out, const char *text, size_t len);

/* Appends the text of a JSON string, given with its quotes, that may hold \u0000.
 * SNUG_OK, SNUG_ENOMEM, or SNUG_EINVAL as json_parse. */
int json_unquote(str *out, const char *quoted, size_t len);

/* Adds text as member name of object, or of an array if name is NULL. Answers
 * SNUG_OK or SNUG_ENOMEM. text must be valid UTF-8. */
int json_add_text(cJSON *object, const char *name, const char *text);
/* The same for len bytes, behind which no NUL need be, and that may hold some: they become
 * \u0000. */
int json_add_text_len(cJSON *object, const char *name, const char *text, size_t len);
int json_add_number(cJSON *object, const char *name, double value);
int json_add_bool(cJSON *object, const char *name, int value);
int json_add_null(cJSON *object, const char *name);
/* raw is JSON already. */
int json_add_raw(cJSON *object, const char *name, const char *raw);
/* A new object or array that belongs to parent; NULL if memory ran out. */
cJSON *json_add_object(cJSON *parent, const char *name);
cJSON *json_add_array(cJSON *parent, const char *name);

/* ---- text as it is written ---- */

/* Each appends a member, or an element or the whole where name is NULL, with a comma where one is
 * needed. A failure is the str's: look once, at the end. Texts may have NULs; what is not UTF-8
 * becomes U+FFFD. */
void json_put_text(str *out, const char *name, const char *text, size_t len);
void json_put_word(str *out, const char *name, const char *text);
void json_put_str(str *out, const char *name, const str *text);
void json_put_number(str *out, const char *name, double value);
void json_put_bool(str *out, const char *name, int value);
/* raw is JSON already; NULL: null. */
void json_put_raw(str *out, const char *name, const char *raw);
/* '{' or '[', and what is put from here on is in it until json_close, with '}' or ']'. */
void json_open(str *out, const char *name, char bracket);
void json_close(str *out, char bracket);
/* The text, malloc'ed; NULL: memory ran out. */
char *json_taken(str *out);

/* On one line, malloc'ed. NULL if memory ran out. Integers up to 2^53 are written
 * as such, other numbers so that they read back the same; cJSON's printer does
 * neither. What is not a number in JSON (NaN, infinity) is null. */
char *json_text(const cJSON *value);

#endif
