/*
 * price_table.h - prices of common models, as their providers published them on one day.
 */
#ifndef SNUG_AGENT_PRICE_TABLE_H
#define SNUG_AGENT_PRICE_TABLE_H

/* US dollars for a million tokens: of input, of input that the provider had cached, of input that
 * it has cached now, and of output. */
typedef struct listed_price {
    const char *model; /* "openai:gpt-4o-mini" */
    double input, cached, written, output;
} listed_price;

/* NULL: there is none. A date at the end of the name, "-2024-07-18" or "-20250929", does not
 * count, nor does "-latest". */
const listed_price *price_listed(const char *model);

#endif
