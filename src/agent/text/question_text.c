#include "agent/text/question_text.h"

#include <snug/snug.h>

#include <string.h>

#include "base/error.h"
#include "base/utf8.h"

/* The first byte of a control character, C1 included; len: there is none. */
static size_t find_control(const char *text, size_t len)
{
    for (size_t at = 0; at < len; at++) {
        unsigned char c = (unsigned char)text[at];
        if ((c < ' ' && !strchr("\t\n\r", c)) || c == 0x7f)
            return at;
        if (c == 0xc2 && (unsigned char)text[at + 1] < 0xa0)
            return at;
    }
    return len;
}

/* White space of ASCII, no-break and ideographic spaces, and what has no width. */
static int has_no_words(const char *text)
{
    static const char *const blanks[] = { "\xc2\xa0", "\xe3\x80\x80", "\xe2\x80\x8b",
                                          "\xef\xbb\xbf" };

    while (*text) {
        size_t step = strspn(text, " \t\r\n");
        for (size_t i = 0; i < sizeof blanks / sizeof *blanks && !step; i++)
            if (strncmp(text, blanks[i], strlen(blanks[i])) == 0)
                step = strlen(blanks[i]);
        if (!step)
            return 0;
        text += step;
    }

    return 1;
}

int question_check(const char *text, uint64_t max_bytes)
{
    size_t len = strlen(text), at = 0;
    if (len == 0)
        return error_set(SNUG_EINVAL, "the question is empty");

    if (len > max_bytes)
        return error_set(
            SNUG_EINVAL,
            "the question has %zu bytes, more than the %llu of its limit (--max-question)", len,
            (unsigned long long)max_bytes);

    switch (utf8_check(text, len, &at)) {
    case UTF8_FINE:
        break;
    case UTF8_INVALID:
        return error_set(SNUG_EINVAL, "the question is not UTF-8: 0x%02x at byte %zu",
                         (unsigned)(unsigned char)text[at], at + 1);
    case UTF8_SURROGATE:
        return error_set(SNUG_EINVAL,
                         "the question is not UTF-8: half a surrogate pair at byte %zu", at + 1);
    }

    if ((at = find_control(text, len)) < len)
        return error_set(SNUG_EINVAL, "the question has a control character, 0x%02x, at byte %zu",
                         (unsigned)(unsigned char)text[at + ((unsigned char)text[at] == 0xc2)],
                         at + 1);

    if (has_no_words(text))
        return error_set(SNUG_EINVAL, "the question is nothing but white space");
    return SNUG_OK;
}
