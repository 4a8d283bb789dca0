/*
 * utf8.h - checking and cutting UTF-8.
 */
#ifndef SNUG_BASE_UTF8_H
#define SNUG_BASE_UTF8_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

typedef enum utf8_fault {
    UTF8_FINE,
    UTF8_INVALID,  /* a byte that cannot stand there, an overlong form, past U+10FFFF */
    UTF8_SURROGATE /* ED A0..BF xx: half of a UTF-16 pair */
} utf8_fault;

/* Where the first fault begins goes to *at (untouched when fine); a sequence cut
 * off by the end is UTF8_INVALID at its first byte. */
utf8_fault utf8_check(const char *text, size_t len, size_t *at);
/* Writes a character, or half of a surrogate pair as if it were one. How many bytes it is. */
size_t utf8_encode(char out[4], uint32_t c);
/* How many bytes a character has that begins so; 0: none does. */
unsigned utf8_width(unsigned char lead);
/* Puts "?" for each byte that is not part of a character. */
void utf8_mend(char *text, size_t len);
/* The largest cut <= at that does not split a character of valid UTF-8; at <= len. */
size_t utf8_floor(const char *text, size_t len, size_t at);
/* The smallest such cut >= at. */
size_t utf8_ceil(const char *text, size_t len, size_t at);
/* len without a character at the end that is cut off by it: for valid UTF-8 of
 * which only the first bytes are there. */
size_t utf8_whole(const char *text, size_t len);
/* vsnprintf, but of a sentence that does not fit into the size bytes at out, the middle of a long
 * word is left out, a path, or else its own: what is the matter stands at the end. Where size is
 * small it is cut at a character. */
__attribute__((format(printf, 3, 0))) void utf8_format(char *out, size_t size, const char *format,
                                                       va_list args);
/* Characters in len bytes of valid UTF-8. */
size_t utf8_length(const char *text, size_t len);

#endif
