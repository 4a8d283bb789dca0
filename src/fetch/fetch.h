/*
 * fetch.h - the network for cells, which have none: requests that the host makes for them, to the
 * servers that rules name.
 *
 * Each hop is asked for again: its URL against the rules, and the address that it is about to
 * connect to, which no look-up in between can change. Redirects are followed here, not by libcurl.
 * There are no proxies, cookies, or files of the user's.
 */
#ifndef SNUG_FETCH_FETCH_H
#define SNUG_FETCH_FETCH_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "fetch/placeholders.h"
#include "fetch/rules.h"

typedef struct fetcher {
    fetch_rules rules;
    placeholders secrets;
    uint64_t body_bytes; /* of a reply, after it was unpacked */
    uint64_t total_ms;   /* of a call, with redirects; 0: no limit */
    uint64_t calls;      /* of all sessions together; UINT64_MAX: no limit */
    _Atomic uint64_t made;
} fetcher;

/* arguments: the JSON object of a call. *answer: JSON, {"url", "status", "ok", "headers", "text",
 * "json", "base64"}, or the sentence of a failure, without any of the secrets. is_wanted is asked
 * some times a second. SNUG_OK; else answer is the sentence, and may be empty where memory ran
 * out. Any thread. */
int fetch_run(str *answer, fetcher *f, const char *arguments, size_t len,
              int (*is_wanted)(void *payload), void *payload);
void fetcher_free(fetcher *f);

#endif
