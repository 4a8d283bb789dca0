/* What json_parse takes, json_text writes on one line, and that reads as the same value. */
#include "fuzz.h"
#include "same_json.h"

#include <snug/snug.h>

#include "base/error.h"
#include "base/utf8.h"
#include "wire/json.h"

#include <sys/mman.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 20 };

/* The text just below a page that cannot be read: cJSON is not instrumented, so
 * that is how its reading past the end is seen. */
static const char *below_the_edge(const uint8_t *data, size_t size)
{
    static char *edge;
    if (!edge) {
        size_t page = (size_t)sysconf(_SC_PAGESIZE);
        char *room = mmap(NULL, MOST_BYTES + page, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        HOLDS(room != MAP_FAILED);
        edge = room + MOST_BYTES;
        HOLDS(mprotect(edge, page, PROT_NONE) == 0);
    }
    if (size)
        memcpy(edge - size, data, size);
    return edge - size;
}

/* Behind a value stands white space and nothing else. */
static void check_what_follows(const char *text, size_t len)
{
    static const char ends[] = " \n]x\"";
    char *longer = malloc(len + 1);
    HOLDS(longer);
    memcpy(longer, text, len);
    for (size_t i = 0; i < sizeof ends - 1; i++) {
        cJSON *value = NULL;
        longer[len] = ends[i];
        HOLDS((json_parse(&value, longer, len + 1) == SNUG_OK) == (i < 2));
        cJSON_Delete(value);
    }
    free(longer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cJSON *value = NULL, *again = NULL;
    if (size > MOST_BYTES)
        return -1;
    const char *text = below_the_edge(data, size);
    int error = json_parse(&value, text, size);
    if (error) {
        HOLDS(error == SNUG_EINVAL);
        HOLDS(!value);
        HOLDS(!strncmp(error_message(), "invalid JSON: ", 14));
        return 0;
    }
    size_t at;
    HOLDS(utf8_check(text, size, &at) == UTF8_FINE);
    check_what_follows(text, size);
    char *written = json_text(value);
    HOLDS(written);
    size_t len = strlen(written);
    HOLDS(utf8_check(written, len, &at) == UTF8_FINE);
    for (size_t i = 0; i < len; i++)
        HOLDS((unsigned char)written[i] >= ' ');
    HOLDS(json_parse(&again, written, len) == SNUG_OK);
    HOLDS(same_json(value, again));
    char *rewritten = json_text(again);
    HOLDS(rewritten && !strcmp(written, rewritten));
    free(rewritten);
    free(written);
    cJSON_Delete(again);
    cJSON_Delete(value);
    return 0;
}
