#include "base/settled.h"

#include <errno.h>
#include <sys/mman.h>

/* The constructors of the C library's functions call it, which must find errno as it was. */
void settled_seal(void *table)
{
    int saved = errno;
    mprotect(table, SETTLED_BYTES, PROT_READ);
    errno = saved;
}
