/*
 * pack.h - the texts and numbers of a message between a host and its worker.
 *
 * A number is LEB128; a text its length as a number, its bytes and a NUL, so that what is read
 * can be used where it lies. Failures stick: look once, at the end. Pure.
 */
#ifndef SNUG_WIRE_PACK_H
#define SNUG_WIRE_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* ---- writing ---- */

typedef struct packer {
    str text;
    int is_short; /* memory ran out */
} packer;

void pack_number(packer *p, uint64_t number);
void pack_bytes(packer *p, const char *bytes, size_t len);
/* NULL is not "". */
void pack_text(packer *p, const char *text);
void pack_str(packer *p, const str *text);
/* A NULL-terminated list; NULL is one without any. */
void pack_list(packer *p, const char *const *texts);

/* ---- reading ---- */

typedef struct unpacker {
    const char *at;
    size_t left;
    int is_bad; /* what was read since is empty */
} unpacker;

uint64_t unpack_number(unpacker *u);
/* One that is at most that; more is bad. */
uint64_t unpack_small(unpacker *u, uint64_t most);
/* How many items follow, each of at least that many bytes. */
size_t unpack_count(unpacker *u, size_t least_bytes);
/* Never NULL; within the message. */
const char *unpack_bytes(unpacker *u, size_t *len);
/* UTF-8 that may have NULs. */
const char *unpack_utf8(unpacker *u, size_t *len);
/* UTF-8 without. NULL where that was packed. */
const char *unpack_text(unpacker *u);
/* The same; NULL is bad. */
const char *unpack_name(unpacker *u);
/* UTF-8 into out, which is empty. Memory that runs out is bad too. */
void unpack_str(unpacker *u, str *out);
/* JSON or nothing. */
void unpack_json(unpacker *u, str *out);
/* malloc'ed array, NULL-terminated; its texts lie in the message. NULL only with is_bad. */
const char **unpack_list(unpacker *u);
/* Nothing is left, and nothing was bad. */
int unpack_ended(const unpacker *u);

#endif
