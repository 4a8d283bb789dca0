/*
 * address.h - which addresses of the internet are anybody's: neither a machine's own nor a private
 * network's, nor one that carries such an address within.
 */
#ifndef SNUG_FETCH_ADDRESS_H
#define SNUG_FETCH_ADDRESS_H

#include <sys/socket.h>

/* What text has as a numeric address, IPv6 without brackets: 1; 0: it has none. */
int address_read(struct sockaddr_storage *out, const char *text);
/* 1: a global unicast address; 0: loopback, private, link-local, shared, documentation, multicast,
 * reserved, or of another family. */
int address_is_public(const struct sockaddr *address);
int address_is_loopback(const struct sockaddr *address);
/* Without the port. */
int address_is_same(const struct sockaddr *a, const struct sockaddr *b);

#endif
