/*
 * jsontext.h - reads JSON text (RFC 8259) piece by piece, without making anything of it.
 *
 * Keeps what Python keeps and cJSON does not: integers of any size, NULs in strings, halves
 * of surrogate pairs in escapes.
 */
#ifndef SNUG_BASE_JSONTEXT_H
#define SNUG_BASE_JSONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Deeper nesting, and integers of more digits (as Python has it), are refused. */
enum { JSONTEXT_LEVELS = 200, JSONTEXT_DIGITS = 4300 };

typedef enum jsontext_kind {
    JSONTEXT_NULL,
    JSONTEXT_FALSE,
    JSONTEXT_TRUE,
    JSONTEXT_INTEGER,
    JSONTEXT_FLOAT,
    JSONTEXT_STRING,
    JSONTEXT_KEY, /* of an object; its value comes next */
    JSONTEXT_LIST,
    JSONTEXT_LIST_END,
    JSONTEXT_OBJECT,
    JSONTEXT_OBJECT_END,
    JSONTEXT_END,  /* of the text */
    JSONTEXT_FAULT /* it is not JSON: see fault and at */
} jsontext_kind;

/* text and len: digits, or what stands between the quotes. */
typedef struct jsontext_token {
    jsontext_kind kind;
    const char *text;
    size_t len;
    int has_escapes;
} jsontext_token;

typedef struct jsontext {
    const char *text;  /* the caller's */
    size_t len, at;    /* at: where the next token is looked for; of a fault, where it is */
    const char *fault; /* static; NULL: none */
    int next;          /* what may stand there; jsontext.c */
    int level;
    char open[JSONTEXT_LEVELS]; /* '[' and '{' */
} jsontext;

void jsontext_init(jsontext *j, const char *text, size_t len);
jsontext_kind jsontext_next(jsontext *j, jsontext_token *token);
/* The characters of a string token, without its escapes; out has room for token->len of
 * them. Answers how many there are. */
size_t jsontext_unescape(uint32_t *out, const jsontext_token *token);
/* NULL if text is one JSON value; else the fault, static, and its byte (from 0) in *at. */
const char *jsontext_check(const char *text, size_t len, size_t *at);

/* ---- pieces of text that was checked ---- */

typedef struct jsontext_span {
    const char *text; /* NULL: there is none */
    size_t len;
} jsontext_span;

/* Goes into a list or an object; 1, or 0 where value is neither. */
int jsontext_enter(jsontext *j, jsontext_span value);
/* Its next item, with its name if it is an object's, which may be NULL: 1; 0 at the end. */
int jsontext_item(jsontext *j, jsontext_token *name, jsontext_span *value);
/* The value of the member; the last one, where there are several. */
jsontext_span jsontext_member(jsontext_span object, const char *name);
/* Whether value stands for that: "true", "12". */
int jsontext_is(jsontext_span value, const char *text);
/* Appends the characters of a string as UTF-8; U+FFFD for half a surrogate pair. SNUG_OK,
 * SNUG_ENOMEM, or SNUG_EINVAL: it is not a string. Neither sets a message. */
int jsontext_string(str *out, jsontext_span value);
/* The same of a token that is a string or a name. */
int jsontext_token_string(str *out, const jsontext_token *token);
/* Appends text as a JSON string; U+FFFD for what is not UTF-8. SNUG_OK or SNUG_ENOMEM. */
int jsontext_quote(str *out, const char *text, size_t len);
/* How long UTF-8 is at most as a JSON string, without the quotes. */
uint64_t jsontext_quoted_bytes(const char *text, size_t len);

#endif
