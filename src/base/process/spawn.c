#include "base/process/spawn.h"

#include <signal.h>

void spawn_set_attributes(posix_spawnattr_t *out)
{
    sigset_t none, all;

    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(out, &none);
    posix_spawnattr_setsigdefault(out, &all);
    posix_spawnattr_setpgroup(out, 0);
    posix_spawnattr_setflags(out, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                      POSIX_SPAWN_SETPGROUP);
}
