#include "cli/ask/missing_events.h"

#include <string.h>

#include "base/jsontext.h"
#include "base/str.h"
#include "cli/ask/member.h"
#include "cli/program/command.h"

/* A module of the standard library is another profile's, and no package. */
static int is_of_python(const char *message)
{
    return strstr(message, "is not allowed in this session (profile ") != NULL;
}

static int hear_scan(missing *m, jsontext_span event, const options *o, const char *report)
{
    jsontext j;
    jsontext_span finding;
    int count = 0, added = 0;

    if (!jsontext_enter(&j, jsontext_member(event, "findings")))
        return 0;
    while (added >= 0 && jsontext_item(&j, NULL, &finding)) {
        str subject = member_text(finding, "subject"), message = member_text(finding, "message");
        const int is_import = jsontext_is(jsontext_member(finding, "rule"), "\"import\"");
        added = 0;
        if (is_import && !is_of_python(str_text(&message)))
            added = missing_add(m, str_text(&subject), o, report);
        count += added;
        str_free(&subject);
        str_free(&message);
    }

    return added < 0 ? -1 : count;
}

static int hear_result(missing *m, jsontext_span event, const options *o, const char *report)
{
    jsontext_span error = jsontext_member(jsontext_member(event, "result"), "error");

    if (!error.text)
        return 0;
    str name = member_text(error, "name"), value = member_text(error, "value");
    int added = missing_add_error(m, str_text(&name), str_text(&value), o, report);
    str_free(&name);
    str_free(&value);
    return added;
}

int missing_hear(missing *m, const snug_agent_event *event, const options *o, const char *report)
{
    const jsontext_span json = { event->json, event->json_len };
    int added = 0;

    if (strcmp(event->name, "scan") == 0)
        added = hear_scan(m, json, o, report);
    else if (strcmp(event->name, "executed") == 0)
        added = hear_result(m, json, o, report);
    if (added < 0)
        command_fail_memory();
    return added;
}
