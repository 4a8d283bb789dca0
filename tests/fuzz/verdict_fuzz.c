/* Verdicts and plans are text. Strict JSON is read as what it is: laxjson_read gives it back. */
#include "fuzz.h"

#include <snug/snug.h>

#include "agent/text/laxjson.h"
#include "agent/text/verdict.h"
#include "base/jsontext.h"
#include "base/utf8.h"

enum { STEPS = 5 };

static void check_text(const str *text)
{
    size_t at;
    HOLDS(utf8_check(str_text(text), text->len, &at) == UTF8_FINE);
}

static void check_verdict(input in)
{
    verdict found;
    HOLDS(verdict_read(&found, in.at, in.left) == SNUG_OK);
    check_text(&found.reason);
    check_text(&found.answer);
    verdict_free(&found);
}

static void check_plan(input in)
{
    plan found;
    HOLDS(plan_read(&found, in.at, in.left, STEPS) == SNUG_OK);
    HOLDS(found.count <= STEPS);
    HOLDS(!found.is_cut || found.count == STEPS);
    for (size_t i = 0; i < found.count; i++) {
        check_text(&found.steps[i]);
        HOLDS(found.steps[i].len);
    }
    plan_free(&found);
}

static void check_json(input in)
{
    str out = { 0 };
    size_t at, end;
    int is_whole;
    if (!in.left || !strchr("{[", *in.at) || utf8_check(in.at, in.left, &at) != UTF8_FINE)
        return;
    int error = laxjson_read(&out, &end, &is_whole, in.at, in.left);
    HOLDS(end <= in.left);
    HOLDS(error ? error == SNUG_EINVAL && !out.len : !jsontext_check(out.data, out.len, &at));
    if (!jsontext_check(in.at, in.left, &at)) {
        HOLDS(!error && is_whole && end <= in.left);
        HOLDS(out.len == end && !memcmp(out.data, in.at, end));
    }
    str_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = input_of(data, size);
    check_verdict(in);
    check_plan(in);
    check_json(in);
    return 0;
}
