/*
 * extras.h - what a caller adds to each request: further fields of its body, and further headers.
 *
 * The values of headers are secrets, as the key is.
 */
#ifndef SNUG_AGENT_EXTRAS_H
#define SNUG_AGENT_EXTRAS_H

#include "agent/model/key.h"
#include "base/str.h"

/* Zeroed is none. */
typedef struct extras {
    str fields;     /* ",\"seed\":7": for behind the last field of a body; empty: none */
    char **headers; /* whole lines, with a NULL behind them, or NULL */
    str *secrets;   /* values of headers, and the last word of each */
    size_t header_count, secret_count;
} extras;

/* fields: "NAME=VALUE", where VALUE is JSON, or else a text, and a dot in NAME leads into an
 * object, "options.num_ctx=8192".  headers: "NAME: VALUE"; a VALUE that is $NAME is that
 * variable's. Both end with NULL, and may be NULL. SNUG_EINVAL with a message that names what is
 * wrong, and has no value of a header. */
int extras_read(extras *out, const char *const *fields, const char *const *headers);
void extras_free(extras *e);
/* Whether a header of that name is there; of a line, what is in front of its colon. */
int extras_has_header(const extras *e, const char *line);
/* Puts the fields into a body that is an object with at least one field. SNUG_OK or SNUG_ENOMEM. */
int extras_write(str *body, const extras *e);

#endif
