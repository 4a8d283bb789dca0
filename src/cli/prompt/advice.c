#include "cli/prompt/advice.h"

#include "cli/packages/modules.h"

char *advice_on(const shown_session *s, const snug_result *result)
{
    missing m = { 0 };
    char *text = NULL;

    if (missing_add_error(&m, snug_result_error_name(result), snug_result_error_value(result),
                          s->options, snug_host_report(s->host)) == 1 &&
        (m.items[0].is_installed || m.items[0].is_known))
        text = missing_hint(&m.items[0], s->options->isolation == AS_FULL);
    missing_free(&m);
    return text;
}
