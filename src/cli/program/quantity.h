/*
 * quantity.h - sizes and times as people write them.
 *
 * Sizes: 1000, 64KiB, 256M, 1.5GB; units count by 1024, as memory is counted,
 * with or without the i. Times: 2, 0.5, 30s, 200ms, 2m, 1h; seconds if there is
 * no unit. Case and a space before the unit do not matter.
 */
#ifndef SNUG_CLI_QUANTITY_H
#define SNUG_CLI_QUANTITY_H

#include <stddef.h>
#include <stdint.h>

/* 1, or 0 when text is none or the amount is not above zero; parts of a byte or
 * a millisecond are rounded up, a count is whole. "none" is UINT64_MAX. */
int quantity_bytes(uint64_t *out, const char *text);
int quantity_ms(uint64_t *out, const char *text);
int quantity_count(uint64_t *out, const char *text);

/* 1, or 0 when text is not digits with a point or none. */
int quantity_number(double *out, const char *text);

/* The amount for people: "256 MiB", "30 s", "1,000", "none". unit is "bytes", "ms"
 * or "". Answers buffer. */
const char *quantity_text(char *buffer, size_t size, uint64_t amount, const char *unit);

#endif
