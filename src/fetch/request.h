/*
 * request.h - what a cell asks for: the arguments of fetch(), read and checked.
 */
#ifndef SNUG_FETCH_REQUEST_H
#define SNUG_FETCH_REQUEST_H

#include "base/jsontext.h"
#include "base/str.h"
#include "fetch/placeholders.h"

enum { FETCH_HEADERS = 64, FETCH_HEADER_BYTES = 16 << 10, FETCH_URL_BYTES = 16 << 10 };

typedef struct fetch_header {
    str name, value;
} fetch_header;

typedef struct fetch_request {
    str url; /* with placeholders, as all of it */
    char method[8];
    fetch_header headers[FETCH_HEADERS];
    size_t header_count;
    str body;
    int has_body;
} fetch_request;

/* arguments: JSON. SNUG_OK, SNUG_ENOMEM, or SNUG_EINVAL with *why. Free in all cases. */
int fetch_request_read(fetch_request *out, str *why, const placeholders *secrets,
                       const char *arguments, size_t len);
void fetch_request_free(fetch_request *request);

#endif
