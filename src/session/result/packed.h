/*
 * packed.h - what crosses between a host and its worker: the objects of snug.h as bytes, and back.
 *
 * Each pair stands in the file that knows the object. What is unpacked may come from a worker
 * that lies: it is checked to be what the header promises (UTF-8, JSON, within bounds), and
 * what is not is SNUG_EINVAL; SNUG_ENOMEM. Without a message. All but a display are the last of
 * their message, and what follows them is bad.
 */
#ifndef SNUG_SESSION_PACKED_H
#define SNUG_SESSION_PACKED_H

#include <snug/snug.h>

#include "capture/display.h"
#include "wire/pack.h"

void limits_pack(packer *p, const snug_limits *limits);
void limits_unpack(unpacker *u, snug_limits *limits);

void pool_pack(packer *p, const snug_pool *pool);
void pool_unpack(unpacker *u, snug_pool *pool);

void display_pack(packer *p, const snug_display *d);
/* With one reference. It counts in *room, which is less by that then; more is bad. NULL: bad. */
display *display_unpack(unpacker *u, uint64_t *room);

void result_pack(packer *p, const snug_result *result);
/* Of a cell that had these limits, all of them set. */
int result_unpack(snug_result **out, unpacker *u, const char *session, const snug_limits *limits);
/* How many bytes the result of such a cell has at most. */
uint64_t result_most_bytes(const snug_limits *limits);

void completion_pack(packer *p, const snug_completion *completion);
int completion_unpack(snug_completion **out, unpacker *u);

void description_pack(packer *p, const snug_description *description);
int description_unpack(snug_description **out, unpacker *u);

void listing_pack(packer *p, const snug_listing *listing);
int listing_unpack(snug_listing **out, unpacker *u);

void saved_pack(packer *p, const snug_saved *saved);
int saved_unpack(snug_saved **out, unpacker *u, const snug_session *session, const char *path);

void scan_pack(packer *p, const snug_scan *report);
int scan_unpack(snug_scan **out, unpacker *u);

void file_pack(packer *p, const snug_file *file);
int file_unpack(snug_file **out, unpacker *u, const char *path);

#endif
