#include "cli/program/in_bash.h"

#include <snug/agent.h>

#include <ctype.h>
#include <string.h>
#include <strings.h>

int in_bash_is_open(const options *o)
{
    return o->session.kind != SNUG_KIND_BASH && o->program_language == BY_QUESTION &&
           !o->worker_command;
}

int in_bash_is_wanted(const options *o, const char *question)
{
    if (in_bash_is_open(o))
        return snug_agent_wants_bash(question);
    return o->session.kind == SNUG_KIND_BASH;
}

int in_bash_names_python(const char *question)
{
    static const char word[] = "python";
    const size_t len = sizeof word - 1;

    for (const char *at = question; (at = strcasestr(at, word)); at += len)
        if ((at == question || !isalnum((unsigned char)at[-1])) && !isalpha((unsigned char)at[len]))
            return 1;
    return 0;
}

options in_bash_options(const options *o)
{
    options how = *o;

    how.isolation = AS_BASH;
    how.session.kind = SNUG_KIND_BASH;
    return how;
}
