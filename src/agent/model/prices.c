#include "agent/model/prices.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>

#include "agent/model/price_table.h"
#include "base/error.h"
#include "base/file.h"
#include "base/nearest.h"
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
        if (row->is_given[i])
            return error_set(SNUG_EINVAL, "prices %s: %s has %s twice", file, row->model,
                             members[i]);
        if (!cJSON_IsNumber(value) || !(value->valuedouble >= 0 && value->valuedouble <= highest))
            return error_set(SNUG_EINVAL, "prices %s: %s of %s is not a number from 0 to %.0f",
                             file, members[i], row->model, highest);
        row->is_given[i] = 1;
        row->per_mtok[i] = value->valuedouble;
        return SNUG_OK;
    }

    const char *nearest = nearest_name(value->string, members, MEMBERS);
    if (nearest)
        return error_set(SNUG_EINVAL,
                         "prices %s: %s has an unknown member \"%s\"; did you mean \"%s\"?", file,
                         row->model, value->string, nearest);

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
