#include "session/life/warm.h"

#include <snug/snug.h>

#include "base/error.h"
#include "policy/allowlist.h"
#include "policy/seccomp.h"
#include "py/guard/extensions.h"
#include "py/life/preload.h"
#include "py/life/runtime.h"
#include "session/core/full.h"

/* What every session of the default profile imports from: a module in C that is loaded here is not
 * loaded and relocated again in each child. */
static int warm_extensions(int is_full)
{
    allowlist *list = NULL;
    int error = allowlist_open(&list, is_full ? "data" : "core", NULL, NULL);
    if (!error)
        error = extensions_load(list);
    allowlist_close(list);
    return error;
}

/* The children have copies. What fails here fails there too, and is reported there. */
static void make_filters(void)
{
    for (seccomp_kind kind = SECCOMP_ALONE; kind <= SECCOMP_PROCESS; kind++) {
        seccomp_program program = { 0 };
        seccomp_program_make(&program, kind);
        seccomp_program_free(&program);
    }
}

int warm_start(const warm_wish *wish)
{
    int error;

    if (wish->is_full && (error = full_allow()))
        return error;
    if ((error = runtime_start(wish->python_home, wish->hash_seed)))
        return error;

    make_filters();
    if (wish->is_full)
        error = full_preload(wish->preload, wish->packages);
    if (error)
        return error;
    return warm_extensions(wish->is_full);
}

void warm_before_fork(void)
{
    preload_before_fork();
}

void warm_after_fork(int is_child)
{
    if (is_child)
        preload_after_fork_child();
    else
        preload_after_fork_parent();
}
