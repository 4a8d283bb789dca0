/*
 * rules.h - which servers cells may ask, and by which methods.
 *
 * A rule is [SCHEME://]HOST[:PORT][=ADDRESS]. Without a scheme it is https. HOST is a name in
 * ASCII,
 * *.NAME for the names below it, or a numeric address, IPv6 in brackets. Without a port it is the
 * scheme's. A name is looked up and asked at public addresses only, but for localhost, which may be
 * this machine's. =ADDRESS is where a name is instead, with no look-up: that may be any. So may a
 * HOST that is an address.
 */
#ifndef SNUG_FETCH_RULES_H
#define SNUG_FETCH_RULES_H

#include <stddef.h>
#include <sys/socket.h>

#include "base/str.h"

typedef struct fetch_rule {
    int is_plain; /* http */
    int is_below; /* *.host */
    char *host;   /* in lower case, without brackets */
    unsigned port;
    char *pinned;                    /* the address, as text; NULL: none */
    struct sockaddr_storage address; /* of pinned, or of a host that is one */
    int has_address;
} fetch_rule;

typedef struct fetch_rules {
    fetch_rule *items;
    size_t count, cap;
    char **methods; /* in upper case */
    size_t method_count;
} fetch_rules;

/* What a request wants: pieces of a URL that was taken apart, host in lower case and without
 * brackets. */
typedef struct fetch_target {
    const char *scheme, *host, *method;
    unsigned port;
} fetch_target;

/* SNUG_OK, SNUG_ENOMEM, or SNUG_EINVAL with a sentence. */
int rules_add(fetch_rules *r, const char *text);
/* "GET,HEAD". Replaces those from before. The same. */
int rules_set_methods(fetch_rules *r, const char *text);
void rules_free(fetch_rules *r);
/* Whether all methods are of those that change nothing: GET, HEAD and OPTIONS. */
int rules_only_read(const fetch_rules *r);

/* The rule that allows it; NULL: none does, and *why says so in a sentence. */
const fetch_rule *rules_find(const fetch_rules *r, const fetch_target *target, str *why);
/* Whether a connection by that rule may go there. */
int rule_allows_address(const fetch_rule *rule, const struct sockaddr *address);
/* Whether host is one that pattern, a HOST of rules, stands for. */
int rule_is_host(const char *pattern, int is_below, const char *host);

#endif
