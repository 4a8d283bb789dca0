#include "cli/mcp/asking_form.h"

#include <string.h>

#include "base/jsontext.h"

int form_is_taken(const cJSON *capabilities)
{
    const cJSON *elicitation = rpc_object(capabilities, "elicitation");
    return elicitation && (rpc_object(elicitation, "form") ||
                           !cJSON_GetObjectItemCaseSensitive(elicitation, "url"));
}

int form_write(str *out, const char *text, int has_mode)
{
    static const char schema[] =
        ",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"answer\":{\"type\":\"string\","
        "\"title\":\"Call it?\",\"description\":\"once: this call; always: this and all further "
        "calls of this tool in the session; refuse: the program gets a "
        "refusal\",\"enum\":[\"once\","
        "\"always\",\"refuse\"]}},\"required\":[\"answer\"]}}";
    str message = { 0 };
    str_printf(&message, "A program wants to call %s", text);
    str_add(out, has_mode ? "{\"mode\":\"form\",\"message\":" : "{\"message\":");
    jsontext_quote(out, str_text(&message), message.len);
    const int error = str_error(&message);
    str_free(&message);
    return error ? error : str_add(out, schema);
}

static int read_content(snug_approval *out, const cJSON *content)
{
    static const struct {
        const char *word;
        snug_approval answer;
    } words[] = { { "once", SNUG_APPROVAL_ONCE },
                  { "always", SNUG_APPROVAL_ALWAYS },
                  { "refuse", SNUG_APPROVAL_REFUSE } };
    const char *word = rpc_text(content, "answer");

    for (size_t i = 0; word && i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].word, word)) {
            *out = words[i].answer;
            return 1;
        }
    return 0;
}

int form_read(snug_approval *out, const char **reason, const cJSON *result)
{
    const char *action = rpc_text(result, "action");

    *out = SNUG_APPROVAL_REFUSE;
    *reason = "the person who was asked refused it";
    if (!action)
        return -1;
    if (!strcmp(action, "accept"))
        return read_content(out, rpc_object(result, "content"));
    if (!strcmp(action, "cancel"))
        *reason = "the person who was asked dismissed the question";
    return !strcmp(action, "cancel") || !strcmp(action, "decline") ? 1 : -1;
}
