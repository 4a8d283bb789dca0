/*
 * numbers.h - finds the numbers in a text, in all the ways that people and programs write them.
 */
#ifndef SNUG_AGENT_NUMBERS_H
#define SNUG_AGENT_NUMBERS_H

#include <stddef.h>

#include "base/str.h"

/* 0.DIGITS times ten to the power of exp, without zeros at either end; zero has no digits. Of any
 * size: nothing is lost. */
typedef struct decimal {
    size_t digits, len; /* in numbers.digits */
    long exp;
    long quantum; /* the power of ten of the last digit that was written */
} decimal;

/* A number as it stands in the text. It may be read in several ways, of which one is meant
 * (1,234 is 1234 or 1.234), or be several numbers (1,2,3). */
typedef struct number {
    size_t begin, end; /* in numbers.text */
    size_t first;      /* in numbers.decimals: the readings, then the pieces */
    size_t readings, pieces;
    int is_ordinal; /* 3rd */
    int slack;      /* 1: "about", zeros at its end are round; 2: "over", "nearly" */
} number;

/* Zeroed is empty. */
typedef struct numbers {
    str text; /* the last one read, with digits and signs of Unicode as those of ASCII */
    str digits;
    decimal *decimals;
    size_t decimal_count, decimal_cap;
    number *items;
    size_t count, cap;
} numbers;

/* Adds the numbers in text. is_strict: for claims, which leaves out what is not a figure: numbers
 * in names and links, numbering of lines. Otherwise all are taken, number words too ("five").
 * plain_scales: number_scales of what a number is compared with. SNUG_OK or SNUG_ENOMEM. */
int numbers_read(numbers *out, const char *original, int is_strict, unsigned plain_scales);
/* Adds a reading that stands nowhere. SNUG_OK or SNUG_ENOMEM. */
int numbers_add_count(numbers *out, size_t count);
void numbers_free(numbers *n);

#endif
