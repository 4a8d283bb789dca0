#include "cli/program/quantity.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct scale {
    const char *suffix;
    double factor;
} scale;

static const scale sizes[] = {
    { "", 1 },
    { "b", 1 },
    { "k", 1024 },
    { "kb", 1024 },
    { "kib", 1024 },
    { "m", 1048576 },
    { "mb", 1048576 },
    { "mib", 1048576 },
    { "g", 1073741824 },
    { "gb", 1073741824 },
    { "gib", 1073741824 },
    { "t", 1099511627776 },
    { "tb", 1099511627776 },
    { "tib", 1099511627776 },
    { NULL, 0 },
};

static const scale times[] = {
    { "", 1000 },     { "s", 1000 },    { "ms", 1 }, { "m", 60000 },
    { "min", 60000 }, { "h", 3600000 }, { NULL, 0 },
};

static const scale counts[] = { { "", 1 }, { NULL, 0 } };

/* Amounts stay exact as a double, and UINT64_MAX stays free for "none". */
static const double most = 9007199254740992.0;

/* strtod alone takes "inf", "nan", "0x10" and leading white space. How many bytes it took. */
static size_t parse_number(double *out, const char *text)
{
    size_t digits = strspn(text, "0123456789.");
    char number[64], *end;

    if (digits >= sizeof number)
        return 0;
    memcpy(number, text, digits);
    number[digits] = '\0';
    *out = strtod(number, &end);
    return *end || !strcmp(number, ".") ? 0 : digits;
}

static int parse_amount(uint64_t *out, const char *text, const scale *units, int is_whole)
{
    if (!strcasecmp(text, "none")) {
        *out = UINT64_MAX;
        return 1;
    }

    double amount;
    size_t digits = parse_number(&amount, text);
    if (digits == 0)
        return 0;

    const char *suffix = text + digits;
    suffix += strspn(suffix, " ");
    while (units->suffix && strcasecmp(units->suffix, suffix) != 0)
        units++;
    if (!units->suffix)
        return 0;
    if (is_whole && amount != floor(amount))
        return 0;

    amount = ceil(amount * units->factor);
    if (!(amount > 0 && amount <= most))
        return 0;
    *out = (uint64_t)amount;
    return 1;
}

int quantity_bytes(uint64_t *out, const char *text)
{
    return parse_amount(out, text, sizes, 0);
}

int quantity_ms(uint64_t *out, const char *text)
{
    return parse_amount(out, text, times, 0);
}

int quantity_count(uint64_t *out, const char *text)
{
    return parse_amount(out, text, counts, 1);
}

int quantity_number(double *out, const char *text)
{
    size_t digits = parse_number(out, text);
    return digits > 0 && !text[digits];
}

static const char *write_grouped(char *buffer, size_t size, uint64_t amount)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%" PRIu64, amount);
    size_t at = 0;

    for (int i = 0; i < len && at + 2 < size; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            buffer[at++] = ',';
        buffer[at++] = digits[i];
    }

    buffer[at] = '\0';
    return buffer;
}

const char *quantity_text(char *buffer, size_t size, uint64_t amount, const char *unit)
{
    static const struct {
        const char *unit, *name;
        uint64_t factor;
    } scales[] = {
        { "bytes", "GiB", UINT64_C(1) << 30 },
        { "bytes", "MiB", UINT64_C(1) << 20 },
        { "bytes", "KiB", UINT64_C(1) << 10 },
        { "bytes", "bytes", 1 },
        { "ms", "h", 3600000 },
        { "ms", "min", 60000 },
        { "ms", "s", 1000 },
        { "ms", "ms", 1 },
    };
    if (amount == UINT64_MAX) {
        snprintf(buffer, size, "none");
        return buffer;
    }

    /* The largest unit that leaves no remainder. */
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        if (strcmp(scales[i].unit, unit) != 0 || amount % scales[i].factor || amount == 0)
            continue;
        snprintf(buffer, size, "%" PRIu64 " %s", amount / scales[i].factor, scales[i].name);
        return buffer;
    }

    return write_grouped(buffer, size, amount);
}
