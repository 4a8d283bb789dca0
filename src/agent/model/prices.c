#include "agent/model/prices.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "wire/json.h"

enum { INPUT, CACHED, WRITTEN, OUTPUT, MEMBERS };

static const char *const members[MEMBERS] = {
    [INPUT] = "input_per_mtok",
    [CACHED] = "cached_input_per_mtok",
    [WRITTEN] = "written_input_per_mtok",
    [OUTPUT] = "output_per_mtok",
};

static const double highest = 1e6; /* US dollars for a million tokens */

typedef struct price {
    char *model;
    double per_mtok[MEMBERS];
    int is_given[MEMBERS];
} price;

struct prices {
    price *rows;
    size_t count;
};

enum { MOST_BYTES = 1 << 20 };

void prices_close(prices *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->count; i++)
        free(p->rows[i].model);
    free(p->rows);
    free(p);
}

static const price *find_price(const prices *p, const char *model)
{
    for (size_t i = 0; p && i < p->count; i++)
        if (strcmp(p->rows[i].model, model) == 0)
            return &p->rows[i];
    return NULL;
}

static int read_member(price *row, const char *file, const cJSON *value)
{
    for (size_t i = 0; i < MEMBERS; i++) {
        if (strcmp(value->string, members[i]) != 0)
            continue;
        if (!cJSON_IsNumber(value) || !(value->valuedouble >= 0 && value->valuedouble <= highest))
            return error_set(SNUG_EINVAL, "prices %s: %s of %s is not a number from 0 to %.0f",
                             file, members[i], row->model, highest);
        row->is_given[i] = 1;
        row->per_mtok[i] = value->valuedouble;
        return SNUG_OK;
    }

    return error_set(SNUG_EINVAL, "prices %s: %s has an unknown member \"%s\"", file, row->model,
                     value->string);
}

static int read_model(prices *p, const char *file, const cJSON *value)
{
    int error;

    if (find_price(p, value->string))
        return error_set(SNUG_EINVAL, "prices %s: %s is there twice", file, value->string);
    const char *colon = strchr(value->string, ':');
    if (!colon || colon == value->string || !colon[1])
        return error_set(SNUG_EINVAL, "prices %s: \"%s\" is not of the form provider:model", file,
                         value->string);

    if (!cJSON_IsObject(value))
        return error_set(SNUG_EINVAL, "prices %s: %s is not an object", file, value->string);
    price *row = &p->rows[p->count];
    if (!(row->model = strdup(value->string)))
        return error_no_memory();

    p->count++;
    for (const cJSON *member = value->child; member; member = member->next)
        if ((error = read_member(row, file, member)))
            return error;

    for (size_t i = 0; i < MEMBERS; i++)
        if (i != CACHED && i != WRITTEN && !row->is_given[i])
            return error_set(SNUG_EINVAL, "prices %s: %s is without %s", file, row->model,
                             members[i]);
    return SNUG_OK;
}

int prices_parse(prices **out, const char *name, const char *text, size_t len)
{
    cJSON *root = NULL;
    prices *p = NULL;
    int error = json_parse(&root, text, len);
    if (error) {
        char why[ERROR_MESSAGE_BYTES];
        strcpy(why, error_message());
        if (error == SNUG_ENOMEM)
            return error;
        return error_set(error, "prices %s: %s", name, why);
    }

    if (!cJSON_IsObject(root)) {
        error = error_set(SNUG_EINVAL, "prices %s: it is not an object", name);
        goto done;
    }

    if (!(p = calloc(1, sizeof *p)) ||
        !(p->rows = calloc((size_t)cJSON_GetArraySize(root) + 1, sizeof *p->rows))) {
        error = error_no_memory();
        goto done;
    }

    for (const cJSON *value = root->child; value && !error; value = value->next)
        error = read_model(p, name, value);
    if (!error) {
        *out = p;
        p = NULL;
    }

done:
    cJSON_Delete(root);
    prices_close(p);
    return error;
}

int prices_open(prices **out, const char *path)
{
    str text = { 0 };
    int error = file_read(&text, path, MOST_BYTES);
    if (!error)
        error = prices_parse(out, path, str_text(&text), text.len);
    str_free(&text);
    return error;
}

/* ---- prices that are built in ---- */

/* US dollars for a million tokens: of input, of input that the provider had cached, of input that
 * it has cached now, and of output. */
typedef struct listed_price {
    const char *model; /* "openai:gpt-4o-mini" */
    double input, cached, written, output;
} listed_price;

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

/* NULL: there is none. A date at the end of the name, "-2024-07-18" or "-20250929", does not
 * count, nor does "-latest". */
static const listed_price *price_listed(const char *model)
{
    const size_t len = undated_len(model);

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strlen(table[i].model) == len && memcmp(table[i].model, model, len) == 0)
            return &table[i];
    return NULL;
}

/* ---- prices of both kinds ---- */

/* The caller's price of that model, or the one that is built in. 0: there is neither. */
static int get_price(double *per_mtok, const prices *p, const char *model)
{
    const price *row = find_price(p, model);
    const listed_price *listed = row ? NULL : price_listed(model);

    for (size_t i = 0; row && i < MEMBERS; i++)
        per_mtok[i] = row->per_mtok[row->is_given[i] ? i : INPUT];
    if (listed) {
        per_mtok[INPUT] = listed->input;
        per_mtok[CACHED] = listed->cached;
        per_mtok[WRITTEN] = listed->written;
        per_mtok[OUTPUT] = listed->output;
    }

    return row || listed;
}

int prices_have(const prices *p, const char *model)
{
    double per_mtok[MEMBERS];
    return get_price(per_mtok, p, model);
}

int prices_cost(double *out_usd, const prices *p, const char *model, const token_counts *used)
{
    double per_mtok[MEMBERS];

    if (!get_price(per_mtok, p, model))
        return error_set(SNUG_ENOTFOUND, "there is no price for the model %s", model);

    uint64_t cached = used->cached < used->input ? used->cached : used->input;
    uint64_t rest = used->input - cached;
    uint64_t written = used->written < rest ? used->written : rest;
    *out_usd = ((double)(rest - written) * per_mtok[INPUT] + (double)cached * per_mtok[CACHED] +
                (double)written * per_mtok[WRITTEN] + (double)used->output * per_mtok[OUTPUT]) /
               1e6;
    return SNUG_OK;
}
