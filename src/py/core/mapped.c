#include "py/core/mapped.h"

#include <stdint.h>
#include <sys/mman.h>
#include <sys/random.h>

#include "base/settled.h"

/* Where a sanitizer looks for pointers, it looks into its own blocks. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_USED 0
#else
#define IS_USED 1
#endif

/* In front of a block, at the start of a page: to see whether it is there, the page in which
 * another block lies is read, which is always there. Code cannot guess a mark. */
typedef struct mapped {
    uint64_t mark[2];
    size_t bytes;
    char unused[40];
} mapped;

enum { PAGE_AT_LEAST = 4096 };

static SETTLED union {
    uint64_t key[2];
    char room[SETTLED_BYTES];
} secret;

void mapped_install(void)
{
    if (getrandom(secret.key, sizeof secret.key, GRND_NONBLOCK) != sizeof secret.key)
        secret.key[0] = secret.key[1] = 0;
    settled_seal(&secret);
}

static const mapped *in_front(const void *block)
{
    if (!IS_USED || (uintptr_t)block % PAGE_AT_LEAST != sizeof(mapped))
        return NULL;

    const mapped *m = (const mapped *)block - 1;
    int is_marked = m->mark[0] == (secret.key[0] ^ (uintptr_t)m) && m->mark[1] == secret.key[1];
    return is_marked && secret.key[1] ? m : NULL;
}

void *mapped_new(size_t bytes)
{
    if (!IS_USED || !secret.key[1] || bytes > SIZE_MAX / 2)
        return NULL;

    size_t whole = (bytes + sizeof(mapped) + PAGE_AT_LEAST - 1) & ~(size_t)(PAGE_AT_LEAST - 1);
    void *at = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return NULL;

    mapped *m = at;
    m->mark[0] = secret.key[0] ^ (uintptr_t)m;
    m->mark[1] = secret.key[1];
    m->bytes = whole;
    return m + 1;
}

size_t mapped_bytes(const void *block)
{
    const mapped *m = in_front(block);
    return m ? m->bytes - sizeof *m : 0;
}

void mapped_free(void *block)
{
    mapped *m = (mapped *)block - 1;
    munmap(m, m->bytes);
}
