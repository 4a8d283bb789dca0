#include "cli/ask/named_files.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <snug/snug.h>

#include "base/array.h"
#include "base/str.h"

enum { MOST_NAMED = 16, MOST_WORDS = 8 };

/* Part of the question. */
typedef struct span {
    const char *text;
    size_t len;
} span;

/* ---- the names of cells ---- */

static int is_name_taken(const named_files *files, const char *name)
{
    for (size_t i = 0; i < files->count; i++)
        if (files->items[i].name && strcmp(files->items[i].name, name) == 0)
            return 1;
    return 0;
}

/* The last part of a path, and with each call one more of those before it; NULL: there is none. */
static const char *longer_tail(const char *path, const char *tail)
{
    if (tail <= path + 1)
        return NULL;
    for (tail -= 2; tail > path && *tail != '/'; tail--)
        ;
    return tail + (*tail == '/');
}

static int leads_out(const char *path)
{
    return path[0] == '/' || strncmp(path, "../", 3) == 0 || strstr(path, "/../");
}

/* As the question has it, where that is in the current folder, so that a program opens it by the
 * same name; else by its last parts. NULL if memory ran out. */
static char *name_in_session(const named_files *files, const char *path)
{
    if (!leads_out(path)) {
        while (strncmp(path, "./", 2) == 0)
            path += 2;
        return strdup(path);
    }

    const char *slash = strrchr(path, '/');
    const char *tail = slash + 1;
    for (const char *longer = tail; longer && !strstr(longer, "../");
         longer = longer_tail(path, longer)) {
        tail = longer;
        if (!is_name_taken(files, tail) && *tail != '/')
            break;
    }

    /* Without a dot it would be a variable. */
    str name = { 0 };
    const int is_plain = !strchr(tail, '.') && !strchr(tail, '/');
    if (str_printf(&name, "%s%s", is_plain ? "files/" : "", tail)) {
        str_free(&name);
        return NULL;
    }
    return str_take(&name);
}

/* ---- the list ---- */

static int is_listed(const named_files *files, const char *path)
{
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->items[i].path, path) == 0)
            return 1;
    return 0;
}

static size_t count_taken(const named_files *files)
{
    size_t count = 0;
    for (size_t i = 0; i < files->count; i++)
        count += files->items[i].fact == NAMED_FILE;
    return count;
}

/* Takes path, malloc'ed. */
static int add_named(named_files *out, char *path, named_fact fact, uint64_t bytes)
{
    char *name = NULL;

    if (is_listed(out, path)) {
        free(path);
        return SNUG_OK;
    }

    if (fact == NAMED_FILE && count_taken(out) >= MOST_NAMED)
        fact = NAMED_TOO_MANY;
    if (fact == NAMED_FILE) {
        name = name_in_session(out, path);
        if (name && is_name_taken(out, name))
            fact = NAMED_TOO_MANY;
    }

    if ((fact == NAMED_FILE && !name) ||
        array_reserve(&out->items, &out->cap, out->count + 1, sizeof *out->items)) {
        free(path);
        free(name);
        return SNUG_ENOMEM;
    }

    out->items[out->count++] =
        (named_file){ .path = path, .name = name, .bytes = bytes, .fact = fact };
    return SNUG_OK;
}

char *named_files_path(const char *text, size_t len)
{
    const char *home = getenv("HOME");
    str path = { 0 };

    const int is_home = len > 1 && text[0] == '~' && text[1] == '/';
    if (is_home && home && *home) {
        if (str_add(&path, home) || str_append(&path, text + 1, len - 1))
            str_free(&path);
    } else if (str_append(&path, text, len)) {
        str_free(&path);
    }

    if (path.len >= PATH_MAX)
        str_free(&path);
    return path.len > 0 ? str_take(&path) : NULL;
}

/* ---- what is named like a file ---- */

/* Of data that people ask about: a word with another one is as likely a version, an address or a
 * name in a program. */
static const char *const endings[] = {
    "csv",  "tsv",     "txt",     "json", "jsonl", "ndjson",  "md",      "log", "xlsx",
    "xls",  "ods",     "parquet", "db",   "sql",   "sqlite",  "sqlite3", "xml", "html",
    "htm",  "yaml",    "yml",     "toml", "ini",   "cfg",     "conf",    "pdf", "png",
    "jpg",  "jpeg",    "gif",     "svg",  "webp",  "ipynb",   "py",      "sh",  "gz",
    "zip",  "tar",     "bz2",     "xz",   "zst",   "dat",     "bin",     "tex", "rst",
    "docx", "geojson", "npy",     "npz",  "pkl",   "feather",
};

static int has_file_ending(span word)
{
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t len = strlen(endings[i]);
        if (word.len > len + 1 && word.text[word.len - len - 1] == '.' &&
            strncasecmp(word.text + word.len - len, endings[i], len) == 0)
            return isalnum((unsigned char)word.text[word.len - len - 2]) ||
                   (word.text[word.len - len - 2] & 0x80) || word.text[word.len - len - 2] == ')';
    }
    return 0;
}

static int is_one_of(span word, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == word.len && strncasecmp(*words, word.text, word.len) == 0)
            return 1;
    return 0;
}

static int is_blank(char c)
{
    return strchr(" \t\r\n", c) != NULL;
}

/* No word that says what a name is for is longer, nor stands further away: a question without
 * blanks is read once and not once for each name in it. */
enum { MOST_WORD_BYTES = 32, MOST_WORDS_BACK = 16 };

/* The word before text, or its end; len 0: the sentence begins. */
static span word_before(const char *question, const char *text)
{
    const char *end = text;
    while (end > question && strchr(" \t\"'`(", end[-1]))
        end--;
    const char *begin = end;
    while (begin > question && end - begin < MOST_WORD_BYTES && !is_blank(begin[-1]) &&
           !strchr("\"'`(", begin[-1]))
        begin--;
    if (begin < end && strchr(".?!:;", end[-1]))
        begin = end;
    return (span){ begin, (size_t)(end - begin) };
}

/* The word behind text; len 0: the sentence ends. */
static span word_behind(const char *text)
{
    text += strspn(text, "\"'`)");
    if (!is_blank(*text) || !*text)
        return (span){ text, 0 };
    text += strspn(text, " \t\r\n\"'`(");
    return (span){ text, strcspn(text, " \t\r\n\"'`).,;:?!") };
}

/* "in photos", "the folder photos", "the photos folder": most words that are the name of a folder
 * as well mean something else. */
static int is_called_folder(const char *question, span word)
{
    static const char *const kinds[] = { "folder",  "directory",   "dir",
                                         "folders", "directories", NULL };
    static const char *const places[] = { "in", "inside", "within", "under", "below", NULL };
    const span before = word_before(question, word.text);

    return is_one_of(before, kinds) || is_one_of(before, places) ||
           is_one_of(word_behind(word.text + word.len), kinds);
}

/* "save it as total.csv", "write a report.txt", "export the rows to out.json", "rename it to
 * b.jpg": a file to be made. */
static int is_to_be_made(const char *question, const char *text)
{
    static const char *const articles[] = { "a", "an", "the", "file", "new", NULL };
    static const char *const makes[] = {
        "write",  "save",     "create",  "make",   "export", "draw", "as", "into",         "named",
        "called", "generate", "produce", "output", "store",  "->",   "=>", "\xe2\x86\x92", NULL,
    };
    /* Of what is named before "to" there is something already. */
    static const char *const changes[] = { "rename", "renamed",  "convert", "copy",
                                           "move",   "compress", NULL };
    span word = word_before(question, text);

    for (int i = 0; i < MOST_WORDS_BACK && is_one_of(word, articles); i++)
        word = word_before(question, word.text);
    if (is_one_of(word, makes))
        return 1;
    if (word.len != 2 || strncasecmp(word.text, "to", 2) != 0)
        return 0;

    for (int i = 0; i < MOST_WORDS_BACK && word.len > 0; i++) {
        word = word_before(question, word.text);
        if (is_one_of(word, makes) || is_one_of(word, changes))
            return 1;
    }
    return 0;
}

/* ---- candidates ---- */

typedef struct finder {
    const char *question;
    named_files *out;
} finder;

/* *taken: it is a file, or something to report. */
static int try_path(finder *f, span words, int *taken)
{
    uint64_t bytes = 0;
    char *path = named_files_path(words.text, words.len);

    *taken = 0;
    if (!path)
        return SNUG_OK;

    const named_fact fact = named_path_look(path, &bytes);
    const int has_slash = strchr(path, '/') != NULL;
    const int is_like_file = has_slash || memchr(path + 1, '.', strlen(path) - 1) != NULL;
    const int is_meant =
        fact == NAMED_FOLDER ? has_slash || is_called_folder(f->question, words) : is_like_file;
    if (fact == NAMED_MISSING || !is_meant) {
        free(path);
        return SNUG_OK;
    }

    *taken = 1;
    return add_named(f->out, path, fact, bytes);
}

/* Told where it ends like a file and is none that is to be made. */
static int tell_missing(finder *f, span word)
{
    if (!has_file_ending(word) || is_to_be_made(f->question, word.text))
        return SNUG_OK;
    char *path = named_files_path(word.text, word.len);
    if (!path)
        return SNUG_OK;
    return add_named(f->out, path, NAMED_MISSING, 0);
}

static span trimmed(span word)
{
    while (word.len > 0 && strchr("([{<\"'`*,;:", *word.text)) {
        word.text++;
        word.len--;
    }

    while (word.len > 0 && strchr(".,;:?!)]}>\"'`*", word.text[word.len - 1]))
        word.len--;
    if (word.len > 2 && strncmp(word.text + word.len - 2, "'s", 2) == 0)
        word.len -= 2;
    return word;
}

/* A name with blanks ends in this word; the longest that is there. */
static int try_with_words_before(finder *f, span word, int *taken)
{
    const char *begins[MOST_WORDS];
    size_t count = 0;
    int error = SNUG_OK;

    for (const char *at = word.text; count < MOST_WORDS && at > f->question && at[-1] == ' ';) {
        while (at > f->question && at[-1] == ' ')
            at--;
        while (at > f->question && !is_blank(at[-1]))
            at--;
        begins[count++] = at + strspn(at, "([{<\"'`*");
    }

    *taken = 0;
    while (count > 0 && !error && !*taken) {
        const char *begin = begins[--count];
        if (begin < word.text)
            error = try_path(f, (span){ begin, (size_t)(word.text + word.len - begin) }, taken);
    }

    return error;
}

/* Whether the character that ends before text, or begins at it, is one of a script whose words have
 * blanks between them: then it belongs to the name. */
static int is_letter_before(const char *begin, const char *text)
{
    while (text > begin && (text[-1] & 0xc0) == 0x80)
        text--;
    return text > begin && (unsigned char)text[-1] >= 0xc2 && (unsigned char)text[-1] < 0xe0;
}

static int is_letter_at(const char *text)
{
    return (unsigned char)*text >= 0xc2 && (unsigned char)*text < 0xe0;
}

/* Names within a word: "in=staff.csv", and in languages without blanks between words. */
static int try_names_within(finder *f, span word, int *taken)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/~+";
    const char *end = word.text + word.len;
    int error = SNUG_OK;

    *taken = 0;
    for (const char *at = word.text; at < end && !error;) {
        size_t len = strspn(at, letters);
        if (len > (size_t)(end - at))
            len = (size_t)(end - at);
        const span name = trimmed((span){ at, len });
        const int is_cut = is_letter_before(word.text, at) || is_letter_at(at + len);
        if (name.len > 0 && name.len < word.len && !is_cut) {
            int is_taken;
            error = try_path(f, name, &is_taken);
            *taken |= is_taken;
            if (!error && !is_taken && has_file_ending(name)) {
                *taken = 1;
                error = tell_missing(f, name);
            }
        }
        at += len ? len : 1;
    }

    return error;
}

static int try_word(finder *f, span whole)
{
    const span word = trimmed(whole);
    int taken = 0, error = SNUG_OK;

    if (word.len == 0 || memmem(word.text, word.len, "://", 3))
        return SNUG_OK;

    if (memchr(word.text, '.', word.len))
        error = try_with_words_before(f, word, &taken);
    if (!error && !taken)
        error = try_path(f, word, &taken);
    if (!error && !taken)
        error = try_names_within(f, word, &taken);
    if (!error && !taken)
        error = tell_missing(f, word);
    return error;
}

/* What stands in quotes at text, without them; len 0: nothing. *whole: with them. */
static span quoted_at(const char *question, const char *text, size_t *whole)
{
    static const struct {
        const char *begin, *end;
    } quotes[] = { { "\"", "\"" },
                   { "'", "'" },
                   { "`", "`" },
                   { "\xe2\x80\x9c", "\xe2\x80\x9d" },
                   { "\xe2\x80\x9e", "\xe2\x80\x9c" },
                   { "\xc2\xab", "\xc2\xbb" } };
    const int begins_word = text == question || is_blank(text[-1]) || text[-1] == '(';

    for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++) {
        const size_t len = strlen(quotes[i].begin);
        if (strncmp(text, quotes[i].begin, len) != 0 || (*text == '\'' && !begins_word))
            continue;
        const char *end = strstr(text + len, quotes[i].end);
        if (!end || memchr(text, '\n', (size_t)(end - text)))
            continue;
        *whole = (size_t)(end - text) + strlen(quotes[i].end);
        return (span){ text + len, (size_t)(end - text) - len };
    }

    return (span){ NULL, 0 };
}

/* The last word of what is quoted is a file: the quotes are around a sentence. */
static int ends_with_file(span inside)
{
    const char *blank = memrchr(inside.text, ' ', inside.len);
    uint64_t bytes;

    if (!blank)
        return 0;
    char *path = named_files_path(blank + 1, (size_t)(inside.text + inside.len - blank) - 1);
    const int is_file = path && named_path_look(path, &bytes) != NAMED_MISSING;
    free(path);
    return is_file;
}

static int is_missing_name(span inside)
{
    return has_file_ending(inside) && inside.len < NAME_MAX &&
           !memmem(inside.text, inside.len, "://", 3) && !ends_with_file(inside);
}

/* *len: what was dealt with at text, 0: nothing. */
static int try_quoted(finder *f, const char *text, size_t *len)
{
    size_t whole = 0;
    const span inside = quoted_at(f->question, text, &whole);
    int taken = 0;

    *len = 0;
    if (inside.len == 0)
        return SNUG_OK;
    int error = try_path(f, inside, &taken);
    if (!error && !taken && is_missing_name(inside)) {
        taken = 1;
        error = tell_missing(f, inside);
    }

    if (taken)
        *len = whole;
    return error;
}

int named_files_find(named_files *out, const char *question)
{
    finder f = { question, out };
    int error = SNUG_OK;

    *out = (named_files){ 0 };
    for (const char *at = question; *at && !error;) {
        size_t len;
        error = try_quoted(&f, at, &len);
        if (len > 0) {
            at += len;
            continue;
        }

        len = strcspn(at, " \t\r\n\"`");
        if (len > 0 && !error)
            error = try_word(&f, (span){ at, len });
        at += len ? len : 1;
    }

    return error;
}

const char *named_file_reason(const named_file *file)
{
    static const char *const reasons[] = {
        [NAMED_FILE] = "",
        [NAMED_MISSING] = "the question names it, and there is no such file",
        [NAMED_LINK] = "it is reached by a symbolic link, and only --input follows those",
        [NAMED_HIDDEN] = "it is hidden, and only --input gives such a file",
        [NAMED_FOLDER] = "it is a folder",
        [NAMED_UNREADABLE] = "it may not be read",
        [NAMED_TOO_MANY] = "a question has 16 files at most by itself; --input gives more",
    };
    return reasons[file->fact];
}

void named_files_free(named_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->items[i].path);
        free(files->items[i].name);
    }
    free(files->items);
    *files = (named_files){ 0 };
}
