#include "agent/text/language.h"

#include <ctype.h>
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"

/* ---- languages ---- */

/* Those that a question is thought to be in. Of a few words without an accent cld2 makes rare
 * languages with ease: then it is one of those marked, or not known. */
static const struct row {
    const char *cld2; /* its code there */
    int is_common;
    language is;
} table[] = {
    { "en", 1, { "en", "English" } },
    { "es", 1, { "es", "Spanish" } },
    { "de", 1, { "de", "German" } },
    { "fr", 1, { "fr", "French" } },
    { "it", 1, { "it", "Italian" } },
    { "pt", 1, { "pt", "Portuguese" } },
    { "nl", 1, { "nl", "Dutch" } },
    { "zh", 0, { "zh", "Chinese" } },
    { "zh-Hant", 0, { "zh-Hant", "Traditional Chinese" } },
    { "ja", 0, { "ja", "Japanese" } },
    { "ko", 0, { "ko", "Korean" } },
    { "ru", 0, { "ru", "Russian" } },
    { "uk", 0, { "uk", "Ukrainian" } },
    { "be", 0, { "be", "Belarusian" } },
    { "bg", 0, { "bg", "Bulgarian" } },
    { "sr", 0, { "sr", "Serbian" } },
    { "mk", 0, { "mk", "Macedonian" } },
    { "pl", 0, { "pl", "Polish" } },
    { "cs", 0, { "cs", "Czech" } },
    { "sk", 0, { "sk", "Slovak" } },
    { "sl", 0, { "sl", "Slovenian" } },
    { "hr", 0, { "hr", "Croatian" } },
    { "bs", 0, { "bs", "Bosnian" } },
    { "hu", 0, { "hu", "Hungarian" } },
    { "ro", 0, { "ro", "Romanian" } },
    { "sv", 0, { "sv", "Swedish" } },
    { "da", 0, { "da", "Danish" } },
    { "no", 0, { "no", "Norwegian" } },
    { "nn", 0, { "nn", "Norwegian Nynorsk" } },
    { "fi", 0, { "fi", "Finnish" } },
    { "is", 0, { "is", "Icelandic" } },
    { "et", 0, { "et", "Estonian" } },
    { "lv", 0, { "lv", "Latvian" } },
    { "lt", 0, { "lt", "Lithuanian" } },
    { "el", 0, { "el", "Greek" } },
    { "tr", 0, { "tr", "Turkish" } },
    { "ar", 0, { "ar", "Arabic" } },
    { "fa", 0, { "fa", "Persian" } },
    { "ur", 0, { "ur", "Urdu" } },
    { "iw", 0, { "he", "Hebrew" } },
    { "hi", 0, { "hi", "Hindi" } },
    { "bn", 0, { "bn", "Bengali" } },
    { "ta", 0, { "ta", "Tamil" } },
    { "te", 0, { "te", "Telugu" } },
    { "th", 0, { "th", "Thai" } },
    { "vi", 0, { "vi", "Vietnamese" } },
    { "id", 0, { "id", "Indonesian" } },
    { "ms", 0, { "ms", "Malay" } },
    { "ca", 0, { "ca", "Catalan" } },
    { "gl", 0, { "gl", "Galician" } },
    { "eu", 0, { "eu", "Basque" } },
    { "ka", 0, { "ka", "Georgian" } },
    { "hy", 0, { "hy", "Armenian" } },
    { "sw", 0, { "sw", "Swahili" } },
};
enum { LANGUAGES = sizeof table / sizeof *table };

const language *language_named(const char *text)
{
    for (size_t i = 0; i < LANGUAGES; i++)
        if (strcasecmp(table[i].is.name, text) == 0 || strcasecmp(table[i].is.code, text) == 0)
            return &table[i].is;
    return NULL;
}

/* ---- cld2 ---- */

/* Its interface is C++ only; these are the functions' names in its binary, with types that are
 * the same for C: Language is an enum, bool one byte.
 *     Language ExtDetectLanguageSummary(const char *text, int len, bool is_plain_text,
 *         Language *language3, int *percent3, int *text_bytes, bool *is_reliable);
 *     const char *LanguageCode(Language); */
#define CLD2_FILE   "libcld2.so.0"
#define CLD2_DETECT "_ZN4CLD224ExtDetectLanguageSummaryEPKcibPNS_8LanguageEPiS4_Pb"
#define CLD2_CODE   "_ZN4CLD212LanguageCodeENS_8LanguageE"

typedef int detect_fn(const char *text, int len, bool is_plain_text, int *language3, int *percent3,
                      int *text_bytes, bool *is_reliable);
typedef const char *code_fn(int language);

/* One of the few states outside an object: a library that is loaded is the process's, and stays. */
static pthread_once_t is_loaded = PTHREAD_ONCE_INIT;
static detect_fn *detect;
static code_fn *code_of;

static void load(void)
{
    void *library = dlopen(CLD2_FILE, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    *(void **)&detect = dlsym(library, CLD2_DETECT);
    *(void **)&code_of = dlsym(library, CLD2_CODE);
    if (!code_of)
        detect = NULL;
}

/* Fewer bytes of letters decide nothing, unless most of them are beyond ASCII; and that many
 * decide for languages that are not common, too. */
enum { LEAST_BYTES = 16, LEAST_BEYOND = 6, ENOUGH_BYTES = 28, LEAST_PERCENT = 80 };

static int is_ascii(char c)
{
    return !((unsigned char)c & 0x80);
}

static const struct row *find(const char *text, size_t len)
{
    int languages[3], percents[3], bytes = 0;
    bool is_reliable = false;
    size_t beyond = 0;

    if (len == 0 || len > INT_MAX)
        return NULL;
    int found = detect(text, (int)len, true, languages, percents, &bytes, &is_reliable);
    for (size_t i = 0; i < len; i++)
        beyond += !is_ascii(text[i]);
    if (!is_reliable || percents[0] < LEAST_PERCENT ||
        bytes < (beyond * 2 > len ? LEAST_BEYOND : LEAST_BYTES))
        return NULL;

    const char *code = code_of(found);
    for (size_t i = 0; i < LANGUAGES; i++)
        if (strcmp(table[i].cld2, code) == 0)
            return table[i].is_common || beyond || bytes >= ENOUGH_BYTES ? &table[i] : NULL;
    return NULL;
}

/* ---- the text ---- */

/* A run of ASCII that is a name of a file, a number or code. */
static int is_code(const char *run, size_t len)
{
    while (len > 0 && strchr(".,;:?!", run[len - 1]))
        len--;
    for (size_t i = 0; i < len; i++)
        if (strchr("._/\\=*+<>(){}[]|&%$#@0123456789", run[i]))
            return 1;
    return 0;
}

/* The text within quotes is that of somebody else; an apostrophe is not a quote. */
static size_t quoted_len(const char *at)
{
    static const struct {
        const char *begin, *end;
    } quotes[] = { { "\"", "\"" },
                   { "`", "`" },
                   { "\xe2\x80\x9c", "\xe2\x80\x9d" },
                   { "\xe2\x80\x9e", "\xe2\x80\x9c" },
                   { "\xc2\xab", "\xc2\xbb" } };
    for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++) {
        size_t len = strlen(quotes[i].begin);
        if (strncmp(at, quotes[i].begin, len) != 0)
            continue;
        const char *end = strstr(at + len, quotes[i].end);
        return end ? (size_t)(end - at) + strlen(quotes[i].end) : 0;
    }

    return 0;
}

/* What is left without quotes and code. */
static int take_words(str *out, const char *text)
{
    int error = 0;

    for (const char *at = text; *at && !error;) {
        size_t quoted = quoted_len(at), run = 0;
        if (quoted > 0) {
            error = str_add(out, " ");
            at += quoted;
            continue;
        }
        while (at[run] && is_ascii(at[run]) && !isspace((unsigned char)at[run]) &&
               (run == 0 || quoted_len(at + run) == 0))
            run++;
        if (run == 0)
            error = str_append(out, at, run = 1);
        else if (is_code(at, run))
            error = str_add(out, " ");
        else
            error = str_append(out, at, run);
        at += run;
    }

    return error;
}

/* Bytes up to the end of a sentence. */
static size_t sentence_len(const char *text)
{
    static const char *const ends[] = { ". ", "? ",           "! ",           ";",
                                        "\n", "\xe3\x80\x82", "\xef\xbc\x9f", "\xef\xbc\x81" };
    const char *first = text + strlen(text);

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const char *end = strstr(text, ends[i]);
        if (end && end + strlen(ends[i]) < first)
            first = end + strlen(ends[i]);
    }

    return (size_t)(first - text);
}

/* Where a sentence, or the other half of the text, is surely in another language. */
static int is_mixed(const char *text, size_t len, const struct row *whole)
{
    size_t half = len / 2;

    for (const char *at = text; *at; at += sentence_len(at)) {
        const struct row *part = find(at, sentence_len(at));
        if (part && part != whole)
            return 1;
    }

    while (half < len && text[half] != ' ')
        half++;
    const struct row *first = find(text, half), *second = find(text + half, len - half);
    return (first && first != whole) || (second && second != whole);
}

const language *language_of(const char *text)
{
    str words = { 0 };
    const struct row *found = NULL;

    pthread_once(&is_loaded, load);
    if (detect && take_words(&words, text) == 0)
        found = find(str_text(&words), words.len);
    if (found && is_mixed(words.data, words.len, found))
        found = NULL;
    str_free(&words);
    return found ? &found->is : NULL;
}

/* ---- the program's language ---- */

/* Lower-case words of a sentence, one at a time. */
static size_t next_word(char *out, size_t size, const char **at)
{
    size_t len = 0;

    while (**at && !isalnum((unsigned char)**at) && is_ascii(**at) && !strchr(".?!\n\"`", **at))
        ++*at;
    while (**at && (isalnum((unsigned char)**at) || !is_ascii(**at) || **at == '-')) {
        if (len + 1 < size)
            out[len++] = (char)tolower((unsigned char)**at);
        ++*at;
    }

    out[len] = '\0';
    return len;
}

static int is_among(const char *word, const char *const *words)
{
    while (*words && strcmp(*words, word) != 0)
        words++;
    return *words != NULL;
}

/* Behind a verb that asks for something: "a small bash script", "a script in bash", "it in bash",
 * "un script de bash". Other words between them mean something else. */
static int asks_for_script(const char *at)
{
    static const char *const fillers[] = {
        "me",       "us",     "a",       "an",     "the",   "one", "some",  "small",
        "short",    "simple", "quick",   "single", "plain", "new", "posix", "working",
        "portable", "it",     "this",    "that",   "mir",   "uns", "ein",   "eine",
        "einen",    "kurzes", "kleines", "un",     "una",   "une", NULL
    };
    static const char *const joined[] = { "bash-script",  "shell-script", "bash-skript",
                                          "shell-skript", "bashscript",   "bashskript",
                                          "shellscript",  "shellskript",  NULL };
    static const char *const kinds[] = { "script",   "scripts",  "one-liner", "oneliner", "command",
                                         "program",  "function", "code",      "skript",   "befehl",
                                         "programa", "comando",  NULL };
    static const char *const links[] = { "in",  "using", "with", "for", "mit",
                                         "con", "en",    "de",   NULL };
    static const char *const shells[] = { "bash", "shell", "sh", "zsh", NULL };
    char word[32];
    int is_bound = 0; /* what comes next must be the shell, and that is enough */
    size_t len = next_word(word, sizeof word, &at);

    while (len > 0 && is_among(word, fillers))
        len = next_word(word, sizeof word, &at);
    if (is_among(word, joined))
        return 1;

    if (is_among(word, kinds))
        is_bound = 1, next_word(word, sizeof word, &at);
    if (is_among(word, links))
        is_bound = 1, next_word(word, sizeof word, &at);
    if (!is_among(word, shells))
        return 0;
    return is_bound || (next_word(word, sizeof word, &at) > 0 && is_among(word, kinds));
}

int language_wants_bash(const char *question)
{
    static const char *const verbs[] = { "write",    "create", "make",  "give",    "generate",
                                         "need",     "want",   "build", "schreib", "schreibe",
                                         "erstelle", "do",     "solve", "escribe", "crea",
                                         "haz",      "answer", NULL };
    char word[32];
    int is_found = 0;

    for (const char *at = question; *at;) {
        const char *begin = at;
        size_t quoted = quoted_len(at);
        if (quoted > 0 || next_word(word, sizeof word, &at) == 0) {
            at += quoted ? quoted : at == begin;
            continue;
        }
        if (strcmp(word, "python") == 0)
            return 0;
        is_found |= is_among(word, verbs) && asks_for_script(at);
    }

    return is_found;
}
