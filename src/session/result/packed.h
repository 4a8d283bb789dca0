/*
 * packed.h - what crosses between a host and its worker: limits, facts, displays and results as
 * bytes, and back. Completions, saved sessions and other objects of snug.h do it in their own
 * files, by the same rules:
 *
 * What is unpacked may come from a worker that lies. It is checked to be what the header promises
 * (UTF-8, JSON, within bounds), and what is not is SNUG_EINVAL; SNUG_ENOMEM. Without a message. All
 * but a display are the last of their message, and what follows them is bad.
 */
#ifndef SNUG_SESSION_PACKED_H
#define SNUG_SESSION_PACKED_H

#include <snug/snug.h>

#include "capture/display.h"
#include "wire/pack.h"

void limits_pack(packer *p, const snug_limits *limits);
/* The same for limits that are resolved (limits/limits.h), to be resolved again. */
void limits_pack_resolved(packer *p, const snug_limits *limits);
void limits_unpack(unpacker *u, snug_limits *limits);

void pool_pack(packer *p, const snug_pool *pool);
void pool_unpack(unpacker *u, snug_pool *pool);

void display_pack(packer *p, const snug_display *d);
/* With one reference. Its bytes are taken off *room; a larger one is bad. NULL: u is bad now, also
 * where memory ran out. */
display *display_unpack(unpacker *u, uint64_t *room);

void result_pack(packer *p, const snug_result *result);
/* Of a cell that had these limits, all of them set. */
int result_unpack(snug_result **out, unpacker *u, const char *session, const snug_limits *limits);
/* How many bytes the result of such a cell has at most. */
uint64_t result_most_bytes(const snug_limits *limits);

#endif
