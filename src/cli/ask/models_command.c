/* snug models: which can be asked here. */
#include <stdio.h>
#include <string.h>

#include "cli/ask/model_choice.h"
#include "cli/program/command.h"
#include "cli/program/jsonline.h"
#include "cli/terminal/term.h"
#include "wire/json.h"

static int is_wanted(const options *o, const char *model)
{
    for (size_t i = 0; i < o->input_count; i++)
        if (!strstr(model, o->inputs[i].text))
            return 0;
    return 1;
}

static void print_source(const options *o, const snug_agent_source *s)
{
    term_printf(stdout, "%s, %s", s->provider, s->address);
    if (s->found_by)
        term_printf(stdout, ", by %s", s->found_by);
    if (s->fault)
        term_printf(stdout, ": %s", s->fault);
    putchar('\n');
    for (uint64_t i = 0; i < s->model_count; i++)
        if (is_wanted(o, s->models[i]))
            term_printf(stdout, "  %s%s\n", s->models[i],
                        s->choice && !strcmp(s->choice, s->models[i]) ? "  (is asked where none "
                                                                        "is named)"
                                                                      : "");
}

static int fill_source(cJSON *object, const options *o, const snug_agent_source *s)
{
    int failed = json_add_text(object, "schema", "snug.models/1");

    failed |= json_add_text(object, "provider", s->provider);
    failed |= json_add_text(object, "address", s->address);
    failed |= s->found_by ? json_add_text(object, "found_by", s->found_by)
                          : json_add_null(object, "found_by");
    failed |= s->fault ? json_add_text(object, "fault", s->fault) : json_add_null(object, "fault");
    failed |=
        s->choice ? json_add_text(object, "choice", s->choice) : json_add_null(object, "choice");
    cJSON *models = json_add_array(object, "models");
    failed |= !models;
    for (uint64_t i = 0; !failed && i < s->model_count; i++)
        if (is_wanted(o, s->models[i]))
            failed = json_add_text(models, NULL, s->models[i]);
    return failed;
}

static int print_json(const options *o, const snug_agent_source *s)
{
    cJSON *object = cJSON_CreateObject();
    return jsonline_print(object, !object || fill_source(object, o, s));
}

int command_models(const options *o)
{
    snug_agent_sources *all;
    const snug_agent_source *source;
    int status = EXIT_FINE, has_any = 0;

    if (snug_agent_sources_open(&all, 0))
        return command_fail_host();
    for (size_t i = 0; !status && (source = snug_agent_sources_entry(all, i)); i++) {
        has_any |= source->model_count > 0;
        if (o->is_json)
            status = print_json(o, source);
        else
            print_source(o, source);
    }

    if (!status && snug_agent_sources_entry_count(all) == 0)
        status = command_fail(EXIT_FAILED, "%s", model_choice_hint);
    else if (!status && !has_any)
        status = EXIT_FAILED;
    snug_agent_sources_close(all);
    return status;
}
