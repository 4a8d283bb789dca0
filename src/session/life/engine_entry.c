/*
 * engine_entry.c - what an engine exports, and what it asks of libsnug: error messages and which
 * process this is, in the place of functions of base/error.c and base/forked.c.
 */
#include <snug/snug.h>

#include "base/error.h"
#include "base/forked.h"
#include "engine_build.h" /* made when this is compiled */
#include "session/life/engine.h"

/* Given once, before any of the form's functions is called. */
static engine_links libsnug;

static void attach(const engine_links *links)
{
    libsnug = *links;
}

void error_keep(const char *text)
{
    libsnug.keep_error(text);
}

const char *error_message(void)
{
    return libsnug.error_message();
}

uint64_t forked_process(void)
{
    return libsnug.process();
}

int forked_is_process(uint64_t process)
{
    return libsnug.is_process(process);
}

void forked_renew(void (*fn)(void))
{
    libsnug.renew(fn);
}

extern const engine snug_engine;
SNUG_EXTERN const engine snug_engine = {
    .build = ENGINE_BUILD,
    .python = SNUG_PYTHON_NUMBER,
    .form = &local_form,
    .attach = attach,
};
