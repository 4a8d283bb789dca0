/* utf8_check against a decoder that goes bit by bit; the cuts against the characters it found. */
#include "fuzz.h"

#include "base/utf8.h"

/* The character at text, whose length is the answer; 0 and the fault if there is none. */
static size_t decode(const char *text, size_t len, utf8_fault *fault)
{
    static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
    unsigned char lead = (unsigned char)*text;
    size_t count = 0;
    *fault = UTF8_INVALID;
    while (count < 5 && (lead & (0x80 >> count)))
        count++;
    if (count == 0)
        return 1;
    if (count == 1 || count > 4 || count > len)
        return 0;
    uint32_t value = lead & (0x7fU >> count);
    for (size_t i = 1; i < count; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte >> 6 != 2)
            return 0;
        value = value << 6 | (byte & 0x3f);
    }
    if (value >= 0xd800 && value < 0xe000)
        *fault = UTF8_SURROGATE;
    if (value < smallest[count] || value > 0x10ffff || *fault == UTF8_SURROGATE)
        return 0;
    return count;
}

static void check_cuts(const char *text, size_t len)
{
    size_t characters = 0;
    for (size_t begin = 0, step; begin < len; begin += step, characters++) {
        utf8_fault fault;
        step = decode(text + begin, len - begin, &fault);
        for (size_t at = begin; at < begin + step; at++) {
            HOLDS(utf8_floor(text, len, at) == begin);
            HOLDS(utf8_ceil(text, len, at) == (at == begin ? begin : begin + step));
            HOLDS(utf8_whole(text, at) == begin);
        }
    }
    HOLDS(utf8_floor(text, len, len) == len);
    HOLDS(utf8_ceil(text, len, len) == len);
    HOLDS(utf8_whole(text, len) == len);
    HOLDS(utf8_length(text, len) == characters);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = input_of(data, size);
    utf8_fault expected = UTF8_FINE, fault;
    size_t begin = 0, step, at = SIZE_MAX;
    for (; begin < size; begin += step) {
        step = decode(in.at + begin, size - begin, &fault);
        if (!step) {
            expected = fault;
            break;
        }
    }
    HOLDS(utf8_check(in.at, size, &at) == expected);
    HOLDS(at == (expected == UTF8_FINE ? SIZE_MAX : begin));
    /* A copy, so that reading past the fault's place is seen. */
    char *valid = copy_of(in.at, begin);
    check_cuts(valid, begin);
    free(valid);
    /* Of any bytes, a cut is near and within. */
    for (at = 0; at <= size; at++) {
        size_t floor = utf8_floor(in.at, size, at), ceil = utf8_ceil(in.at, size, at);
        HOLDS(floor <= at && at - floor <= 3);
        HOLDS(ceil >= at && ceil <= size && ceil - at <= 3);
        HOLDS(utf8_whole(in.at, at) <= at);
    }
    return 0;
}
