/*
 * embeddings.h - texts as vectors, by an endpoint that is asked as OpenAI's is: POST
 * {base}/embeddings.
 *
 * An endpoint that fails is not an error: the caller goes on without vectors.
 */
#ifndef SNUG_AGENT_EMBEDDINGS_H
#define SNUG_AGENT_EMBEDDINGS_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Texts that are sent at a time, and numbers of a vector. */
enum { EMBEDDINGS_BATCH = 64, EMBEDDINGS_MOST_NUMBERS = 16384 };

typedef struct embeddings embeddings;

/* name: "provider:model"; address and key are those of the provider (provider.h). SNUG_EINVAL as
 * model_open, and for a provider that has no such endpoint. */
int embeddings_open(embeddings **out, const char *name);
void embeddings_close(embeddings *e);
const char *embeddings_name(const embeddings *e);
/* Until the deadline, and 30 s at most. *out: a vector of length 1 for each text, *size numbers
 * each, to be freed; or NULL, and why as a sentence in fault. SNUG_OK, or SNUG_ENOMEM with its
 * message. */
int embeddings_ask(float **out, size_t *size, str *fault, embeddings *e, const str *texts,
                   size_t count, uint64_t deadline_ns);
/* As model_cancel and model_resume. */
void embeddings_cancel(embeddings *e);
void embeddings_resume(embeddings *e);

#endif
