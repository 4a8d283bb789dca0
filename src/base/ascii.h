/*
 * ascii.h - what kind of character a byte is, in any locale. Unlike those of <ctype.h>, these take
 * a char as it is.
 */
#ifndef SNUG_BASE_ASCII_H
#define SNUG_BASE_ASCII_H

/* 0 to 9. */
static inline int is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* a to z, A to Z. */
static inline int is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A letter or a digit. */
static inline int is_alnum(int c)
{
    return is_letter(c) || is_digit(c);
}

/* A letter, a digit or an underscore: \w of a regular expression. */
static inline int is_word(int c)
{
    return is_alnum(c) || c == '_';
}

/* What a name of Python may begin with, where every character beyond ASCII is taken for a letter.
 */
static inline int is_name_start(char c)
{
    return is_letter(c) || c == '_' || (unsigned char)c >= 0x80;
}

/* What a name of Python may go on with, with the same latitude. */
static inline int is_name(char c)
{
    return is_name_start(c) || is_digit(c);
}

/* A space or a tab. */
static inline int is_blank(int c)
{
    return c == ' ' || c == '\t';
}

/* A space, tab, line feed, vertical tab, form feed or carriage return. */
static inline int is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* A to Z become a to z. */
static inline char to_upper(char c)
{
    return (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
}

static inline char to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* 0 to 15 for a hexadecimal digit of either case, -1 for all else. */
static inline int hex_value(int c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

#endif
