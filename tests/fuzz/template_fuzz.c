/* A text is refused by the check and the set alike, with a message. Without tags it is rendered as
 * it is. */
#include "fuzz.h"

#include <snug/snug.h>

#include "agent/template/prompts.h"
#include "agent/template/template.h"
#include "base/error.h"

/* In the place of the built-in ones. */
const prompt prompts_built_in[] = {
    { { "reply", "" }, "{{query}}" },
    { { NULL, NULL }, NULL },
};

static const char mark[] = "{{query}}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = input_of(data, size);
    char *text = copy_of(in.at, in.left);
    const template_values none = { 0 };
    template_values values = { .query = mark, .code = mark };
    snug_agent_prompt given = { "reply", text };
    template_set *set = NULL;
    int error = template_check("t", text);
    HOLDS(error == SNUG_OK || error == SNUG_EINVAL);
    HOLDS((template_set_open(&set, NULL, &given, 1) == SNUG_OK) == (error == SNUG_OK));
    if (error) {
        HOLDS(strncmp(error_message(), "template ", 9) == 0);
    } else {
        str with = { 0 }, without = { 0 };
        HOLDS(strcmp(template_text(set, "reply"), text) == 0);
        HOLDS(template_render(&with, set, "reply", &values) == SNUG_OK);
        HOLDS(template_render(&without, set, "reply", &none) == SNUG_OK);
        HOLDS(without.len <= strlen(text));
        if (!strstr(text, "{{")) {
            size_t len = strlen(text);
            while (len && text[len - 1] == '\n')
                len--;
            HOLDS(with.len == len && without.len == len && !memcmp(str_text(&with), text, len));
        }
        if (strcmp(text, "{{code}}") == 0)
            HOLDS(strcmp(with.data, mark) == 0);
        str_free(&with);
        str_free(&without);
    }
    template_set_close(set);
    free(text);
    return 0;
}
