/* Two objects of JSON with a byte 0xff between them: each has one spelling, which is JSON and its
 * own spelling; and whether they say the same does not depend on which comes first. */
#include "fuzz.h"

#include <snug/snug.h>

#include "base/str.h"
#include "calls/canonical.h"

/* NULL: it is no object. */
static jsontext_span read_object(input given)
{
    size_t at;

    if (jsontext_check(given.at, given.left, &at))
        return (jsontext_span){ NULL, 0 };
    jsontext j;
    jsontext_token token;
    jsontext_init(&j, given.at, given.left);
    if (jsontext_next(&j, &token) != JSONTEXT_OBJECT)
        return (jsontext_span){ NULL, 0 };
    return (jsontext_span){ given.at, given.left };
}

static void check_spelling(str *out, jsontext_span value)
{
    str again = { 0 };
    size_t at;

    HOLDS(canonical_json(out, value) == SNUG_OK);
    HOLDS(!jsontext_check(out->data, out->len, &at));
    HOLDS(canonical_json(&again, (jsontext_span){ out->data, out->len }) == SNUG_OK);
    HOLDS(again.len == out->len && !memcmp(again.data, out->data, out->len));
    str_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = input_of(data, size);
    const jsontext_span a = read_object(take_until(&in, "\xff")), b = read_object(in);
    str x = { 0 }, y = { 0 }, why = { 0 }, other = { 0 };

    if (!a.text || !b.text)
        return 0;
    check_spelling(&x, a);
    check_spelling(&y, b);
    const int is_same = canonical_compare(&why, a, b);
    HOLDS(is_same == canonical_compare(&other, b, a));
    HOLDS(is_same == (x.len == y.len && !memcmp(x.data, y.data, x.len)));
    HOLDS(is_same ? why.len == 0 : !strncmp(why.data, "its argument", 12));
    str_free(&x);
    str_free(&y);
    str_free(&why);
    str_free(&other);
    return 0;
}
