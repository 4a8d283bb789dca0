#include "cli/program/in_bash.h"

int in_bash_is_open(const options *o)
{
    return o->session.kind != SNUG_KIND_BASH && o->program_language == BY_QUESTION &&
           !o->worker_command;
}

options in_bash_options(const options *o)
{
    options how = *o;

    how.isolation = AS_BASH;
    how.session.kind = SNUG_KIND_BASH;
    return how;
}
