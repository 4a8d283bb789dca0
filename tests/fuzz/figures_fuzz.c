/* An answer follows from itself, and of what is told every number stands in the answer. */
#include "fuzz.h"

#include <snug/snug.h>

#include "agent/text/figures.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = input_of(data, size), answer = take_until(&in, "|");
    char *text = copy_of(answer.at, answer.left), *source = copy_of(in.at, in.left);
    const char *sources[] = { source, text };
    str out = { 0 };
    HOLDS(figures_unsupported(&out, text, sources, 1) == SNUG_OK);
    size_t commas = 0;
    for (const char *c = out.data; c && (c = strstr(c, ", ")); c++)
        commas++;
    HOLDS(commas < FIGURES_MOST);
    if (out.len)
        HOLDS(strpbrk(out.data, "0123456789"));
    str_clear(&out);
    HOLDS(figures_unsupported(&out, text, sources, 2) == SNUG_OK);
    /* Where no letters make names of digits. */
    if (strspn(text, "0123456789 .,%-\n$") == strlen(text))
        HOLDS(!out.len);
    str_free(&out);
    free(text);
    free(source);
    return 0;
}
