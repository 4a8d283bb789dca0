/*
 * numberwords.h - the words and signs around numbers: scales, percent, "about", and numbers that
 * are words. Of texts as numbers.c folds them.
 */
#ifndef SNUG_AGENT_NUMBERWORDS_H
#define SNUG_AGENT_NUMBERWORDS_H

#include <stddef.h>

/* In folded text: a space within a number, where a plain one may also divide two. */
#define NUMBER_SPACE '\x01'

/* The scales, as powers of ten, whose words stand in a text: bit n for ten to the power n. Such a
 * number ("3 million") may be written without its word in a table that has it in its head. */
unsigned number_scales(const char *text);

typedef struct number_suffix {
    size_t end;
    long shift;  /* of the number itself: an exponent */
    long scale;  /* of a word, "million"; 0: none */
    int is_unit; /* the scale may be a unit instead: "5 m" */
    long part;   /* -2 of a percent; 0: none */
    int is_ordinal, is_afternoon;
} number_suffix;

/* What follows the number that ends at `end`. */
number_suffix number_suffix_read(const char *text, size_t end);
/* What stands before the number at `at`: 1 for "about", 2 for "over" and "nearly", else 0. */
int number_slack(const char *text, size_t at);
/* The number that a word is; -1: none. */
int number_of_word(const char *word, size_t len);

#endif
