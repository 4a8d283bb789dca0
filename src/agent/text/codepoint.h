/*
 * codepoint.h - the characters of a text in UTF-8, one after the other.
 */
#ifndef SNUG_AGENT_CODEPOINT_H
#define SNUG_AGENT_CODEPOINT_H

#include <stddef.h>
#include <stdint.h>

/* How many bytes the character has that begins with this one. */
static inline size_t codepoint_size(char first)
{
    const unsigned char c = (unsigned char)first;

    if (c < 0x80)
        return 1;
    if (c < 0xe0)
        return 2;
    return c < 0xf0 ? 3 : 4;
}

/* The character that begins at text, which is valid UTF-8; its bytes in *size. */
static inline uint32_t codepoint_at(const char *text, size_t *size)
{
    const unsigned char *c = (const unsigned char *)text;

    *size = codepoint_size(*text);
    if (*size == 1)
        return *c;

    uint32_t code = *c & (0xffu >> (*size + 1));
    for (size_t i = 1; i < *size && c[i]; i++)
        code = code << 6 | (c[i] & 0x3fu);
    return code;
}

#endif
