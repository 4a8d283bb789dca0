#include "base/settled.h"

#include <errno.h>
#include <sys/mman.h>

/* Called by constructors of the C library's functions: no others, and errno stays. */
static void protect(void *table, int how)
{
    int saved = errno;
    mprotect(table, SETTLED_BYTES, how);
    errno = saved;
}

void settled_seal(void *table)
{
    protect(table, PROT_READ);
}

void settled_open(void *table)
{
    protect(table, PROT_READ | PROT_WRITE);
}
