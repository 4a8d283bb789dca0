/*
 * prices.h - what the tokens of a model cost, from a file of the caller's:
 *
 *     {"openai:gpt-4o-mini": {"input_per_mtok": 0.15, "cached_input_per_mtok": 0.075,
 *                             "output_per_mtok": 0.6}}
 *
 * In US dollars for a million tokens. Without "cached_input_per_mtok" a token that the provider
 * had cached costs as much as any other; so does, without "written_input_per_mtok", one that it
 * has put into its cache. A model that is not in the file has the price of price_table.h.
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
/* What a request used. cached: of the input, from the provider's cache; written: of the input, put
 * into it. */
typedef struct token_counts {
    uint64_t input, cached, written, output;
} token_counts;

/* Whether there is a price for the model; p may be NULL. */
int prices_have(const prices *p, const char *model);
/* SNUG_ENOTFOUND, with a message, for a model without a price; p may be NULL: no file. */
int prices_cost(double *out_usd, const prices *p, const char *model, const token_counts *used);

#endif
