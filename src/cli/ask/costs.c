#include "cli/ask/costs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/ask/member.h"
#include "cli/terminal/term.h"

/* NULL if memory ran out. */
static model_cost *find_model(costs *c, const char *name)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->items[i].model, name) == 0)
            return &c->items[i];

    char *copy = strdup(name);
    if (!copy || array_reserve(&c->items, &c->cap, c->count + 1, sizeof *c->items)) {
        free(copy);
        return NULL;
    }
    c->items[c->count] = (model_cost){ .model = copy, .has_usd = 1 };
    return &c->items[c->count++];
}

void costs_hear(costs *c, const snug_agent_event *event)
{
    const jsontext_span json = { event->json, event->json_len };

    if (strcmp(event->name, "generated") != 0 ||
        jsontext_is(jsontext_member(json, "cached"), "true"))
        return;
    str name = member_text(json, "model");
    model_cost *of = find_model(c, str_text(&name));
    str_free(&name);
    if (!of)
        return;

    of->requests += member_number(json, "requests");
    of->input_tokens += member_number(json, "input_tokens");
    of->output_tokens += member_number(json, "output_tokens");
    of->usd += member_number(json, "cost_usd");
    of->has_usd &= jsontext_member(json, "cost_usd").text != NULL;
}

void costs_print(const costs *c)
{
    model_cost all = { .has_usd = 1 };

    if (c->count == 0) {
        puts("No model has been asked yet.");
        return;
    }
    printf("%8s %12s %12s %12s  model\n", "requests", "tokens in", "tokens out", "US dollars");
    for (size_t i = 0; i <= c->count; i++) {
        const model_cost *one = i < c->count ? &c->items[i] : &all;
        if (i == c->count && c->count == 1)
            break;
        printf("%8.0f %12.0f %12.0f ", one->requests, one->input_tokens, one->output_tokens);
        if (one->has_usd)
            printf("%12.6f  ", one->usd);
        else
            printf("%12s  ", "unknown");
        term_printf(stdout, "%s\n", one->model ? one->model : "in all");
        all.requests += one->requests;
        all.input_tokens += one->input_tokens;
        all.output_tokens += one->output_tokens;
        all.usd += one->usd;
        all.has_usd &= one->has_usd;
    }
}

void costs_free(costs *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->items[i].model);
    free(c->items);
    *c = (costs){ 0 };
}
