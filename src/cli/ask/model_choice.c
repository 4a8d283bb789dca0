#include "cli/ask/model_choice.h"

#include <stdlib.h>
#include <string.h>

#include "cli/program/command.h"

const char model_choice_hint[] =
    "no model is known here. Set the key of a provider, as OPENAI_API_KEY, ANTHROPIC_API_KEY, "
    "GEMINI_API_KEY or OPENROUTER_API_KEY, or start a server of your own: Ollama, llama.cpp, LM "
    "Studio and vLLM are found by themselves. Then \"snug models\" lists what there is";

/* NULL: nobody has named one. */
static const char *named_model(const options *o)
{
    const char *variable = getenv("SNUG_MODEL");
    if (o->agent.model)
        return o->agent.model;
    return variable && *variable ? variable : NULL;
}

static int take(str *kept, snug_agent_options *wanted, const options *o,
                const snug_agent_source *source)
{
    if (str_add(kept, source->choice))
        return command_fail_memory();
    wanted->model = kept->data;
    if (o->is_quiet || o->is_json)
        return EXIT_FINE;
    return command_fail(EXIT_FINE,
                        "%s is asked, which was found by %s; --model or SNUG_MODEL names another "
                        "one",
                        source->choice, source->found_by ? source->found_by : source->address);
}

static int add_source(str *out, const snug_agent_source *source)
{
    return str_printf(out, "%s%s (%s): %s", out->len > 0 ? "; " : "", source->provider,
                      source->found_by ? source->found_by : source->address,
                      source->fault ? source->fault
                                    : "none of its models is known here: name one by --model or "
                                      "SNUG_MODEL, \"snug models\" lists them");
}

/* None of them has a model that is known to do: one sentence, whatever their number. */
static int fail_choice(const snug_agent_sources *all)
{
    enum { MOST_TOLD = 3 };
    const snug_agent_source *source;
    str text = { 0 };
    size_t count = 0;
    int error = SNUG_OK, has_models = 0;

    for (; !error && (source = snug_agent_sources_entry(all, count)); count++) {
        has_models |= !source->fault;
        if (count < MOST_TOLD)
            error = add_source(&text, source);
    }
    if (!error && count > MOST_TOLD)
        error = str_printf(&text, "; and so on for %zu more: \"snug models\" has them all",
                           count - MOST_TOLD);
    if (!error && !has_models)
        error = str_printf(&text, "%s%s", count > 0 ? "; " : "", model_choice_hint);
    if (error)
        command_fail_memory();
    else
        command_fail(EXIT_USAGE, "%s", text.data);
    str_free(&text);
    return EXIT_USAGE;
}

/* ---- a name without its provider ---- */

/* Whether "ollama:qwen3:8b" is the model "qwen3:8b". */
static int is_called(const char *model, const char *name)
{
    return strcmp(strchr(model, ':') + 1, name) == 0;
}

static const char *find_model(const snug_agent_sources *all, const char *name)
{
    const snug_agent_source *source;

    for (size_t i = 0; (source = snug_agent_sources_entry(all, i)); i++)
        for (uint64_t k = 0; k < source->model_count; k++)
            if (is_called(source->models[k], name))
                return source->models[k];
    return NULL;
}

/* A server at an address of one's own answers as OpenAI's does; else it is whose list has it. */
static int complete_name(str *kept, snug_agent_options *wanted, const options *o, const char *name)
{
    snug_agent_sources *all = NULL;
    const char *found = NULL;
    int failed = 0;

    if (o->agent.base_url && !strchr(name, ':')) {
        failed = str_printf(kept, "openai:%s", name);
    } else {
        if (snug_agent_sources_open(&all, 0))
            return command_fail_host();
        found = find_model(all, name);
        failed = found && str_add(kept, found);
    }

    snug_agent_sources_close(all);
    if (failed)
        return command_fail_memory();
    if (kept->len)
        wanted->model = kept->data;
    return EXIT_FINE; /* what is not found is refused by the library */
}

/* ---- */

int model_choice_make(str *kept, snug_agent_options *wanted, const options *o)
{
    const char *name = named_model(o);
    snug_agent_sources *all;
    const snug_agent_source *source;
    int status = EXIT_USAGE, is_made = 0;

    if (name && snug_agent_check_model(name) != SNUG_OK)
        return complete_name(kept, wanted, o, name);
    /* An address of one's own is that of a model of one's own. */
    if (name || o->agent.base_url)
        return EXIT_FINE;
    if (snug_agent_sources_open(&all, 0))
        return command_fail_host();

    for (size_t i = 0; !is_made && (source = snug_agent_sources_entry(all, i)); i++) {
        is_made = source->choice != NULL;
        if (is_made)
            status = take(kept, wanted, o, source);
    }
    if (!is_made)
        status = fail_choice(all);
    snug_agent_sources_close(all);
    return status;
}

int model_choice_complete(str *out, const options *o, const char *name)
{
    snug_agent_options found = { .model = name };
    str kept = { 0 };
    int status = EXIT_FINE;

    if (snug_agent_check_model(name) != SNUG_OK)
        status = complete_name(&kept, &found, o, name);
    if (!status && snug_agent_check_model(found.model) != SNUG_OK)
        status = command_fail_host();
    if (!status && str_add(out, found.model))
        status = command_fail_memory();
    str_free(&kept);
    return status;
}
