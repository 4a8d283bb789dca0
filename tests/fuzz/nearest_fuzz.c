/* Lines: a limit (one byte), the word, the names. Against Levenshtein's whole table. */
#include "fuzz.h"

#include "base/nearest.h"

enum { MOST_NAMES = 760, MOST_BYTES = 96, TRIMMED_BYTES = 40 };

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* SIZE_MAX: what differs is too long. */
static size_t model(const char *a, size_t a_len, const char *b, size_t b_len)
{
    static size_t table[MOST_BYTES + 1][MOST_BYTES + 1];
    size_t front = 0, back = 0;
    while (front < a_len && front < b_len && a[front] == b[front])
        front++;
    while (back < a_len - front && back < b_len - front &&
           a[a_len - 1 - back] == b[b_len - 1 - back])
        back++;
    size_t a_left = a_len - front - back, b_left = b_len - front - back;
    if (a_left && b_left && (a_left > TRIMMED_BYTES || b_left > TRIMMED_BYTES))
        return SIZE_MAX;
    for (size_t i = 0; i <= a_len; i++) {
        for (size_t j = 0; j <= b_len; j++) {
            if (!i || !j) {
                table[i][j] = 2 * (i + j);
                continue;
            }
            char x = a[i - 1], y = b[j - 1];
            size_t changed = table[i - 1][j - 1] + (x == y ? 0 : lower(x) == lower(y) ? 1 : 2);
            table[i][j] = least(changed, least(table[i - 1][j], table[i][j - 1]) + 2);
        }
    }
    return table[a_len][b_len];
}

/* distances: of each name from the word. */
static const char *model_name(const char *word, char *const *names, const size_t *distances,
                              size_t count)
{
    const char *best = NULL;
    size_t least_so_far = SIZE_MAX;
    for (size_t i = 0; i < count && count < 750; i++) {
        if (strcmp(word, names[i]) && distances[i] < least_so_far &&
            distances[i] <= (strlen(word) + strlen(names[i]) + 3) * 2 / 6) {
            best = names[i];
            least_so_far = distances[i];
        }
    }
    return best;
}

static char *take_line(input *in)
{
    input line = take_until(in, "\n");
    return copy_of(line.at, strnlen(line.at, least(line.left, MOST_BYTES)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = input_of(data, size);
    size_t limit = take_byte(&in), count = 0, distances[MOST_NAMES];
    char *names[MOST_NAMES];
    const char *list[MOST_NAMES];
    char *word = take_line(&in);
    size_t word_len = strlen(word);

    for (; in.left && count < MOST_NAMES; count++) {
        char *name = names[count] = take_line(&in);
        size_t len = strlen(name), distance = model(word, word_len, name, len);
        HOLDS(nearest_distance(word, word_len, name, len, limit) == least(distance, limit + 1));
        HOLDS(nearest_distance(name, len, word, word_len, limit) == least(distance, limit + 1));
        HOLDS(nearest_distance(word, word_len, name, len, SIZE_MAX - 1) == distance);
        distances[count] = distance;
        list[count] = name;
    }
    HOLDS(nearest_name(word, list, count) == model_name(word, names, distances, count));
    while (count)
        free(names[--count]);
    free(word);
    return 0;
}
