#include "agent/model/price_table.h"

#include <stddef.h>
#include <string.h>

/* The standard tier, for prompts without a surcharge for their length, as of 2026-11-05:
 * https://developers.openai.com/api/docs/pricing,
 * https://platform.claude.com/docs/en/about-claude/pricing,
 * https://ai.google.dev/gemini-api/docs/pricing.
 * Where a provider has no price for writing into its cache, that is the price of input. */
static const listed_price table[] = {
    { "openai:gpt-6.1-sol", 2, 0.1, 2.5, 10 },
    { "openai:gpt-6-astra", 10, 1, 12.5, 50 },
    { "openai:gpt-6-sol", 2, 0.2, 2.5, 10 },
    { "openai:gpt-6-luna", 0.1, 0.01, 0.125, 0.5 },
    { "openai:gpt-5.6-sol", 4, 0.4, 4, 20 },
    { "openai:gpt-5.6-terra", 2, 0.2, 2, 12 },
    { "openai:gpt-5.6-luna", 0.2, 0.02, 0.2, 1.2 },
    { "openai:gpt-5.5", 5, 0.5, 5, 30 },
    { "openai:gpt-5.4", 2.5, 0.25, 2.5, 15 },
    { "openai:gpt-5.4-mini", 0.75, 0.075, 0.75, 4.5 },
    { "openai:gpt-5.4-nano", 0.2, 0.02, 0.2, 1.25 },
    { "openai:gpt-5.2", 1.75, 0.175, 1.75, 14 },
    { "openai:gpt-5.1", 1.25, 0.125, 1.25, 10 },
    { "openai:gpt-5", 1.25, 0.125, 1.25, 10 },
    { "openai:gpt-5-mini", 0.25, 0.025, 0.25, 2 },
    { "openai:gpt-5-nano", 0.05, 0.005, 0.05, 0.4 },
    { "openai:gpt-4.1", 2, 0.5, 2, 8 },
    { "openai:gpt-4.1-mini", 0.4, 0.1, 0.4, 1.6 },
    { "openai:gpt-4.1-nano", 0.1, 0.025, 0.1, 0.4 },
    { "openai:gpt-4o", 2.5, 1.25, 2.5, 10 },
    { "openai:gpt-4o-mini", 0.15, 0.075, 0.15, 0.6 },
    { "openai:o3", 2, 0.5, 2, 8 },
    { "openai:o4-mini", 1.1, 0.275, 1.1, 4.4 },
    { "openai:o3-mini", 1.1, 0.55, 1.1, 4.4 },
    { "anthropic:claude-fable-5-1", 10, 0.25, 12.5, 50 },
    { "anthropic:claude-fable-5", 10, 1, 12.5, 50 },
    { "anthropic:claude-opus-5-5", 4, 0.2, 5, 20 },
    { "anthropic:claude-opus-5", 5, 0.5, 6.25, 25 },
    { "anthropic:claude-opus-4-8", 5, 0.5, 6.25, 25 },
    { "anthropic:claude-opus-4-7", 5, 0.5, 6.25, 25 },
    { "anthropic:claude-opus-4-6", 5, 0.5, 6.25, 25 },
    { "anthropic:claude-opus-4-5", 5, 0.5, 6.25, 25 },
    { "anthropic:claude-opus-4-1", 15, 1.5, 18.75, 75 },
    { "anthropic:claude-opus-4-0", 15, 1.5, 18.75, 75 },
    { "anthropic:claude-opus-4", 15, 1.5, 18.75, 75 },
    { "anthropic:claude-sonnet-5-5", 2, 0.1, 2.5, 10 },
    { "anthropic:claude-sonnet-5", 2, 0.2, 2.5, 10 },
    { "anthropic:claude-sonnet-4-6", 3, 0.3, 3.75, 15 },
    { "anthropic:claude-sonnet-4-5", 3, 0.3, 3.75, 15 },
    { "anthropic:claude-sonnet-4-0", 3, 0.3, 3.75, 15 },
    { "anthropic:claude-sonnet-4", 3, 0.3, 3.75, 15 },
    { "anthropic:claude-3-7-sonnet", 3, 0.3, 3.75, 15 },
    { "anthropic:claude-haiku-5-5", 0.1, 0.01, 0.125, 0.5 },
    { "anthropic:claude-haiku-4-5", 1, 0.1, 1.25, 5 },
    { "anthropic:claude-3-5-haiku", 0.8, 0.08, 1, 4 },
    { "gemini:gemini-3.1-pro-preview", 2, 0.2, 2, 12 },
    { "gemini:gemini-3-flash-preview", 0.5, 0.05, 0.5, 3 },
    { "gemini:gemini-2.5-pro", 1.25, 0.125, 1.25, 10 },
    { "gemini:gemini-2.5-flash", 0.3, 0.03, 0.3, 2.5 },
    { "gemini:gemini-2.5-flash-lite", 0.1, 0.01, 0.1, 0.4 },
};

/* The length without a date or "-latest" at the end. */
static size_t undated_len(const char *model)
{
    static const char *const forms[] = { "-dddd-dd-dd", "-dddddddd", "-latest" };
    const size_t len = strlen(model);

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const size_t form_len = strlen(forms[i]);
        size_t at = 0;

        if (len <= form_len)
            continue;
        for (const char *end = model + len - form_len; at < form_len; at++) {
            const int is_digit = end[at] >= '0' && end[at] <= '9';
            const int wants_digit = forms[i][at] == 'd';
            if (wants_digit ? !is_digit : end[at] != forms[i][at])
                break;
        }
        if (at == form_len)
            return len - form_len;
    }

    return len;
}

const listed_price *price_listed(const char *model)
{
    const size_t len = undated_len(model);

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strlen(table[i].model) == len && memcmp(table[i].model, model, len) == 0)
            return &table[i];
    return NULL;
}
