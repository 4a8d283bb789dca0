/*
 * url.h - a URL in the pieces that rules ask about. libcurl takes it apart, so that what was
 * checked is what libcurl asks.
 */
#ifndef SNUG_FETCH_URL_H
#define SNUG_FETCH_URL_H

#include "base/str.h"
#include "fetch/rules.h"

typedef struct fetch_url {
    str whole; /* as it is asked, without a fragment */
    str scheme, host;
    unsigned port;
} fetch_url;

/* base: what a relative one begins at; NULL: it must be whole. SNUG_OK, SNUG_ENOMEM, or SNUG_EINVAL
 * with *why. Free in all cases. */
int fetch_url_read(fetch_url *out, str *why, const char *text, const char *base);
void fetch_url_free(fetch_url *url);

#endif
