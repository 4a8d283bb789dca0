/*
 * sha256.h - SHA-256 (FIPS 180-4), for the names of files: two names must not meet, whoever has
 * chosen them.
 */
#ifndef SNUG_SUPERVISE_SHA256_H
#define SNUG_SUPERVISE_SHA256_H

#include <stddef.h>

enum { SHA256_HEX = 64 };

/* In hexadecimal, with a NUL. */
void sha256(char out[SHA256_HEX + 1], const void *data, size_t len);

#endif
