/*
 * prices.h - what the tokens of a model cost, from a file of the caller's:
 *
 *     {"openai:gpt-4o-mini": {"input_per_mtok": 0.15, "cached_input_per_mtok": 0.075,
 *                             "output_per_mtok": 0.6}}
 *
 * In US dollars for a million tokens. Without "cached_input_per_mtok" a token that the provider
 * had cached costs as much as any other.
 */
#ifndef SNUG_AGENT_PRICES_H
#define SNUG_AGENT_PRICES_H

#include <stddef.h>
#include <stdint.h>

typedef struct prices prices;

/* SNUG_EINVAL with a message that has the file, the model and the member: no JSON, a model or
 * member twice, a member that is missing, unknown or no number from 0 to a million. SNUG_ESYSTEM
 * where the file is not readable. */
int prices_open(prices **out, const char *path);
/* The same of text; name stands for the file in messages. */
int prices_parse(prices **out, const char *name, const char *text, size_t len);
void prices_close(prices *p);
/* The cost of input_tokens, cached_tokens of which the provider had cached, and output_tokens.
 * SNUG_ENOTFOUND, with a message, for a model without a price; p may be NULL: none has one. */
int prices_cost(double *out_usd, const prices *p, const char *model, uint64_t input_tokens,
                uint64_t cached_tokens, uint64_t output_tokens);

#endif
