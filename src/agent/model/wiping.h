/*
 * wiping.h - memory for libcurl, which is wiped before it is freed.
 *
 * libcurl puts the head of a request together in buffers of its own, with the key in it, and frees
 * them as they are.
 */
#ifndef SNUG_AGENT_WIPING_H
#define SNUG_AGENT_WIPING_H

#include <stddef.h>

/* As free and realloc. */
void wiping_free(void *block);
void *wiping_realloc(void *block, size_t bytes);

#endif
