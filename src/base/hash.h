/*
 * hash.h - 64-bit hash of bytes, for tables of our own. Not keyed: a collision
 * must cost time only, so every table compares the bytes as well.
 */
#ifndef SNUG_BASE_HASH_H
#define SNUG_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(const void *data, size_t len);

#endif
