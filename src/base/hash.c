#include "base/hash.h"

#include <string.h>

/* Sixteen bytes a step by a widening multiplication, as wyhash does: the source
 * of a cell is hashed at every run. */

__extension__ typedef unsigned __int128 wide;

#define K0 UINT64_C(0x9e3779b97f4a7c15)
#define K1 UINT64_C(0xe7037ed1a0b428db)
#define K2 UINT64_C(0x8ebc6af09c88c6e3)

static uint64_t mix_words(uint64_t a, uint64_t b)
{
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t load_word(const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

uint64_t hash_bytes(const void *data, size_t len)
{
    const unsigned char *bytes = data;
    unsigned char last[16] = { 0 };
    uint64_t hash = K0;
    size_t left = len;

    for (; left >= 16; left -= 16, bytes += 16)
        hash = mix_words(load_word(bytes) ^ K1, load_word(bytes + 8) ^ hash);
    if (left)
        memcpy(last, bytes, left);
    hash = mix_words(load_word(last) ^ K1, load_word(last + 8) ^ hash);

    /* The length tells "a" from "a\0". */
    return mix_words(hash ^ K2, (uint64_t)len ^ K1);
}
