#include "agent/text/language.h"

#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/text/programlanguage.h"
#include "base/str.h"

/* ---- languages ---- */

/* What a question may be in, by the name of its statistics in libexttextcat. A few words without an
 * accent resemble a rare language easily: they count for a common one only. */
static const struct row {
    language is;
    const char *model; /* NULL: it has none */
    int is_common;
    int has_han; /* written with Chinese characters */
} table[] = {
    { { "en", "English" }, "en", .is_common = 1 },
    { { "es", "Spanish" }, "es", .is_common = 1 },
    { { "de", "German" }, "de", .is_common = 1 },
    { { "fr", "French" }, "fr", .is_common = 1 },
    { { "it", "Italian" }, "it", .is_common = 1 },
    { { "pt", "Portuguese" }, "pt", .is_common = 1 },
    { { "nl", "Dutch" }, "nl", .is_common = 1 },
    { { "zh", "Chinese" }, "zh-Hans", .has_han = 1 },
    { { "zh-Hant", "Traditional Chinese" }, "zh-Hant", .has_han = 1 },
    { { "ja", "Japanese" }, "ja", .has_han = 1 },
    { { "ko", "Korean" }, "ko" },
    { { "ru", "Russian" }, "ru" },
    { { "uk", "Ukrainian" }, "uk" },
    { { "be", "Belarusian" }, "be" },
    { { "bg", "Bulgarian" }, "bg" },
    { { "sr", "Serbian" }, "sr-Cyrl" },
    { { "mk", "Macedonian" }, "mk" },
    { { "pl", "Polish" }, "pl" },
    { { "cs", "Czech" }, "cs" },
    { { "sk", "Slovak" }, "sk" },
    { { "sl", "Slovenian" }, "sl" },
    { { "hr", "Croatian" }, "hr" },
    { { "bs", "Bosnian" }, "bs" },
    { { "hu", "Hungarian" }, "hu" },
    { { "ro", "Romanian" }, "ro" },
    { { "sv", "Swedish" }, "sv" },
    { { "da", "Danish" }, "da" },
    { { "no", "Norwegian" }, "nb" },
    { { "nn", "Norwegian Nynorsk" }, "nn" },
    { { "fi", "Finnish" }, "fi" },
    { { "is", "Icelandic" }, "is" },
    { { "et", "Estonian" }, "et" },
    { { "lv", "Latvian" }, "lv" },
    { { "lt", "Lithuanian" }, "lt" },
    { { "el", "Greek" }, "el" },
    { { "tr", "Turkish" }, "tr" },
    { { "ar", "Arabic" }, "ar" },
    { { "fa", "Persian" }, "fa" },
    { { "ur", "Urdu" }, "ur" },
    { { "he", "Hebrew" }, "he" },
    { { "hi", "Hindi" }, "hi" },
    { { "bn", "Bengali" }, "bn" },
    { { "ta", "Tamil" }, "ta" },
    { { "te", "Telugu" }, NULL },
    { { "th", "Thai" }, "th" },
    { { "vi", "Vietnamese" }, "vi" },
    { { "id", "Indonesian" }, "id" },
    { { "ms", "Malay" }, "ms" },
    { { "ca", "Catalan" }, "ca" },
    { { "gl", "Galician" }, "gl" },
    { { "eu", "Basque" }, "eu" },
    { { "ka", "Georgian" }, "ka" },
    { { "hy", "Armenian" }, "hy" },
    { { "sw", "Swahili" }, "sw" },
};
enum { LANGUAGES = sizeof table / sizeof *table };

const language *language_named(const char *text)
{
    for (size_t i = 0; i < LANGUAGES; i++)
        if (strcasecmp(table[i].is.name, text) == 0 || strcasecmp(table[i].is.code, text) == 0)
            return &table[i].is;
    return NULL;
}

/* ---- libexttextcat ---- */

/* As in its textcat.h, of version 3.4: what is called here is the same under both numbers, of which
 * Debian 14 has the second. The lower a score, the nearer is the language. */
static const char *const TEXTCAT_FILES[] = { "libexttextcat-2.0.so.0", "libexttextcat-2.0.so.1" };
#define TEXTCAT_MODELS "/usr/share/libexttextcat/"

typedef struct candidate {
    int score;
    const char *name;
} candidate;

typedef void *open_fn(const char *list_path, const char *folder);
typedef candidate *candidates_fn(void *classifier);
typedef int classify_fn(void *classifier, const char *text, size_t len, candidate *out);
typedef void release_fn(void *classifier, candidate *out);

/* One of the few states outside an object: a library that is loaded belongs to the process, and
 * stays. Its header does not say that threads may share a classifier. */
static pthread_once_t is_loaded = PTHREAD_ONCE_INIT;
static pthread_mutex_t classifier_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    void *classifier; /* NULL: not installed */
    candidates_fn *make_candidates;
    classify_fn *classify;
    release_fn *free_candidates;
} textcat;

/* The library's own list has three times as many models, takes 15 ms to load where this takes 4,
 * and finds languages that a question is rarely in. */
static int write_models(int fd)
{
    for (size_t i = 0; i < LANGUAGES; i++)
        if (table[i].model && dprintf(fd, "%s.lm %s\n", table[i].model, table[i].is.code) < 0)
            return -1;
    return 0;
}

/* The library reads its list from a file. */
static void *open_classifier(open_fn *open_list)
{
    void *classifier = NULL;
    char path[32];
    int fd = memfd_create("languages", MFD_CLOEXEC);

    if (fd < 0)
        return NULL;

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (write_models(fd) == 0)
        classifier = open_list(path, TEXTCAT_MODELS);
    close(fd);
    return classifier;
}

static void *load_library(void)
{
    void *library = NULL;

    for (size_t i = 0; !library && i < sizeof TEXTCAT_FILES / sizeof *TEXTCAT_FILES; i++)
        library = dlopen(TEXTCAT_FILES[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

static void load_textcat(void)
{
    open_fn *open_list;
    void *library = load_library();
    if (!library)
        return;

    *(void **)&open_list = dlsym(library, "special_textcat_Init");
    *(void **)&textcat.make_candidates = dlsym(library, "textcat_GetClassifyFullOutput");
    *(void **)&textcat.classify = dlsym(library, "textcat_ClassifyFull");
    *(void **)&textcat.free_candidates = dlsym(library, "textcat_ReleaseClassifyFullOutput");
    if (!open_list || !textcat.make_candidates || !textcat.classify || !textcat.free_candidates)
        return;

    textcat.classifier = open_classifier(open_list);
}

static const struct row *row_of_candidate(const candidate *c)
{
    for (size_t i = 0; i < LANGUAGES; i++)
        if (strcmp(table[i].is.code, c->name) == 0)
            return &table[i];
    return NULL;
}

/* The library returns those whose scores are within 3 % of the nearest. Two of them are one too
 * many, but of a few Chinese characters Japanese is always near, and so is the other way to write
 * them. */
static const struct row *choose_candidate(const candidate *c, int count)
{
    const struct row *nearest = count > 0 ? row_of_candidate(&c[0]) : NULL;

    for (int i = 1; i < count; i++) {
        const struct row *other = row_of_candidate(&c[i]);
        if (!nearest || !nearest->has_han || !other || !other->has_han)
            return NULL;
    }

    return nearest;
}

static const struct row *classify_text(const char *text, size_t len)
{
    const struct row *found = NULL;

    pthread_mutex_lock(&classifier_lock);
    candidate *candidates = textcat.make_candidates(textcat.classifier);
    if (candidates) {
        int count = textcat.classify(textcat.classifier, text, len, candidates);
        found = choose_candidate(candidates, count);
        textcat.free_candidates(textcat.classifier, candidates);
    }

    pthread_mutex_unlock(&classifier_lock);
    return found;
}

/* Fewer bytes of letters decide nothing, unless most of them are beyond ASCII; ENOUGH_BYTES
 * decide for a language that is not common, too. */
enum { LEAST_BYTES = 14, LEAST_BEYOND = 6, ENOUGH_BYTES = 28 };

static int is_ascii(char c)
{
    return !((unsigned char)c & 0x80);
}

static const struct row *find_language(const char *text, size_t len)
{
    size_t letters = 0, beyond = 0;

    for (size_t i = 0; i < len; i++) {
        letters += !is_ascii(text[i]) || isalpha((unsigned char)text[i]);
        beyond += !is_ascii(text[i]);
    }

    size_t least = beyond * 2 > len ? LEAST_BEYOND : LEAST_BYTES;
    if (letters < least)
        return NULL;

    const struct row *found = classify_text(text, len);
    if (found && (found->is_common || beyond > 0 || letters >= ENOUGH_BYTES))
        return found;
    return NULL;
}

/* ---- the text ---- */

/* A run of ASCII that is a name of a file, a number or code. */
static int is_name_or_code(const char *run, size_t len)
{
    while (len > 0 && strchr(".,;:?!", run[len - 1]))
        len--;
    for (size_t i = 0; i < len; i++)
        if (strchr("._/\\=*+<>(){}[]|&%$#@0123456789", run[i]))
            return 1;
    return 0;
}

/* Bytes of ASCII up to a blank, a quote or a character beyond ASCII. */
static size_t ascii_run(const char *at)
{
    size_t len = 0;

    while (at[len] && is_ascii(at[len]) && !isspace((unsigned char)at[len])) {
        if (len > 0 && language_quoted_len(at + len) > 0)
            break;
        len++;
    }

    return len;
}

static int drop_code_and_quotes(str *out, const char *text)
{
    int error = 0;

    for (const char *at = text; *at && !error;) {
        size_t quoted = language_quoted_len(at);
        size_t run = ascii_run(at);

        if (quoted > 0) {
            error = str_add(out, " ");
            at += quoted;
        } else if (run > 0 && is_name_or_code(at, run)) {
            error = str_add(out, " ");
            at += run;
        } else {
            size_t len = run > 0 ? run : 1;
            error = str_append(out, at, len);
            at += len;
        }
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

/* Whether a sentence, or one half of the text, is surely in another language. */
static int is_mixed(const char *text, size_t len, const struct row *whole)
{
    size_t half = len / 2;

    for (const char *at = text; *at; at += sentence_len(at)) {
        const struct row *part = find_language(at, sentence_len(at));
        if (part && part != whole)
            return 1;
    }

    while (half < len && text[half] != ' ')
        half++;
    const struct row *first = find_language(text, half),
                     *second = find_language(text + half, len - half);
    return (first && first != whole) || (second && second != whole);
}

const language *language_of(const char *text)
{
    str words = { 0 };
    const struct row *found = NULL;

    pthread_once(&is_loaded, load_textcat);
    if (textcat.classifier && drop_code_and_quotes(&words, text) == 0)
        found = find_language(str_text(&words), words.len);
    if (found && is_mixed(words.data, words.len, found))
        found = NULL;
    str_free(&words);
    return found ? &found->is : NULL;
}
