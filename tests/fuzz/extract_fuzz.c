/* What is taken out of any reply is text, and the analysis JSON. Plain code in a fence comes out as
 * it is, and so does what came out once. */
#include "fuzz.h"

#include <snug/snug.h>

#include "agent/text/extract.h"
#include "base/jsontext.h"
#include "base/utf8.h"

static void check_text(const str *text)
{
    size_t at;
    HOLDS(utf8_check(str_text(text), text->len, &at) == UTF8_FINE);
    HOLDS(str_text(text)[text->len] == '\0');
    HOLDS(!memchr(str_text(text), '\r', text->len));
}

static void check_found(const extracted *e)
{
    size_t at;
    check_text(&e->code);
    check_text(&e->prose);
    check_text(&e->language);
    check_text(&e->analysis_json);
    HOLDS((e->code.len > 0) == (e->block_count > 0));
    HOLDS(!e->code.len || strcmp(str_text(&e->language), "python") == 0);
    HOLDS(!e->is_fenced || e->code.len);
    if (e->analysis_json.len)
        HOLDS(!jsontext_check(e->analysis_json.data, e->analysis_json.len, &at));
}

/* Of ASCII, without what begins or ends something else. */
static int is_plain(const str *code)
{
    for (size_t i = 0; i < code->len; i++)
        if (!code->data[i] || strchr("`~<>&{[", code->data[i]) ||
            (unsigned char)code->data[i] >= 0x80)
            return 0;
    return code->len > 0 && !strstr(code->data, "...:");
}

static void check_again(const extracted *e)
{
    str fenced = { 0 };
    extracted again;
    HOLDS(!str_printf(&fenced, "Text.\n\n````python\n%s\n````\n", e->code.data));
    HOLDS(extract_code(&again, fenced.data, fenced.len) == SNUG_OK);
    HOLDS(again.block_count == 1 && again.is_fenced && again.is_complete);
    HOLDS(strcmp(again.code.data, e->code.data) == 0);
    HOLDS(strcmp(again.prose.data, "Text.") == 0);
    extracted_free(&again);
    str_free(&fenced);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = input_of(data, size);
    int (*const ways[])(extracted *, const char *, size_t) = { extract_code, extract_arguments };
    for (size_t i = 0; i < 2; i++) {
        extracted found;
        HOLDS(ways[i](&found, in.at, in.left) == SNUG_OK);
        check_found(&found);
        if (is_plain(&found.code))
            check_again(&found);
        extracted_free(&found);
    }
    return 0;
}
