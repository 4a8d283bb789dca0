#include "policy/allowlist.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/str.h"
#include "base/utf8.h"
#include "policy/files.h"
#include "policy/profile_text.h"

enum {
    MAX_PROFILES = 16, /* that one profile includes, itself counted */
    MAX_NAME_BYTES = 255
};

/* A profile's text; names of entries are terminated in place. */
typedef struct source {
    char *label; /* "core.txt", or its path */
    char *text;
    size_t len;
    int is_open; /* its lines are being read: including it again is a circle */
} source;

typedef struct entry {
    const char *name; /* in the text of a source, or in more */
    allow_verdict verdict;
    unsigned source; /* of two lines for a name, that of the lower source counts */
    unsigned line;
} entry;

struct allowlist {
    char *profile;
    char *dir;      /* NULL: built in */
    char *path_dir; /* where a profile given by path lies: searched first */
    char *more;     /* the names of the additions, one after the other */
    source sources[MAX_PROFILES];
    unsigned source_count;
    entry *entries; /* sorted by name */
    size_t count;
    size_t cap;
    const char **names; /* public ones, sorted */
    size_t name_count;
    _Atomic int other_users; /* but the first */
};

/* Identifiers joined by dots. Where a profile speaks, a '-' may stand inside too:
 * sysconfig's data module has the platform's name. */
static int is_module_name(const char *name, size_t len, int allow_dash)
{
    int begins = 1;

    if (len == 0 || len > MAX_NAME_BYTES)
        return 0;
    for (size_t i = 0; i < len; i++) {
        char c = name[i];
        if (c == '.' && !begins)
            begins = 1;
        else if (is_letter(c) || c == '_')
            begins = 0;
        else if (!begins && (is_digit(c) || (c == '-' && allow_dash)))
            continue;
        else
            return 0;
    }

    return !begins;
}

static int keep_entry(allowlist *list, entry e)
{
    if (array_reserve(&list->entries, &list->cap, list->count + 1, sizeof *list->entries))
        return error_no_memory();

    list->entries[list->count++] = e;
    return SNUG_OK;
}

/* Within a line; the carriage return of a file of Windows' ends it. */
static int is_gap(char c)
{
    return is_blank(c) || c == '\r';
}

static size_t skip_gap(const char *line, size_t len, size_t at)
{
    while (at < len && is_gap(line[at]))
        at++;
    return at;
}

static size_t skip_word(const char *line, size_t len, size_t at)
{
    while (at < len && !is_gap(line[at]))
        at++;
    return at;
}

__attribute__((format(printf, 3, 4))) static int refuse_line(const source *from, unsigned number,
                                                             const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return error_set(SNUG_EPOLICY, "profile %s, line %u: %s", from->label, number, text);
}

static int read_profile(allowlist *list, str *text, str *label);

static int read_include(allowlist *list, const source *from, unsigned number, const char *name,
                        size_t len)
{
    str text = { 0 };
    str label = { 0 };
    int error = SNUG_OK;

    if (!profile_is_name(name, len)) {
        error = refuse_line(from, number, "\"%.*s\" is not a profile's name",
                            profile_shown(name, len), name);
        goto done;
    }

    error = profile_find(&text, &label, list->path_dir, list->dir, name, len);
    if (error == SNUG_ENOTFOUND)
        error = refuse_line(from, number, "there is no profile \"%.*s\" to include",
                            profile_shown(name, len), name);

    if (error)
        goto done;

    for (unsigned i = 0; i < list->source_count; i++) {
        if (strcmp(list->sources[i].label, str_text(&label)) != 0)
            continue;
        if (list->sources[i].is_open)
            error = refuse_line(from, number, "including %.*s here makes a circle", (int)len, name);
        goto done;
    }

    if (list->source_count == MAX_PROFILES)
        error = refuse_line(from, number, "more than %d profiles in all", MAX_PROFILES);
    else
        error = read_profile(list, &text, &label);

done:
    str_free(&text);
    str_free(&label);
    return error;
}

/* line (len bytes, blanks at its ends taken off, not empty). */
static int read_profile_line(allowlist *list, unsigned index, unsigned number, char *line,
                             size_t len)
{
    const source *from = &list->sources[index];
    size_t name_len = skip_word(line, len, 0);
    size_t at = skip_gap(line, len, name_len);
    entry e = { line, ALLOW_PUBLIC, index, number };

    if (memchr(line, '\0', len))
        return refuse_line(from, number, "it has a NUL byte");

    if (name_len == 7 && memcmp(line, "include", 7) == 0 && at < len)
        return read_include(list, from, number, line + at, len - at);
    if (!is_module_name(line, name_len, 1))
        return refuse_line(from, number, "\"%.*s\" is not a module's name",
                           profile_shown(line, name_len), line);

    if (at < len && line[at] == '(') {
        const char *end = memchr(line + at, ')', len - at);
        if (!end)
            return refuse_line(from, number, "a parenthesis is not closed");
        size_t word = at + 1;
        size_t word_len = (size_t)(end - line) - word;
        if (word_len != 8 || memcmp(line + word, "internal", 8) != 0)
            return refuse_line(from, number, "unknown word \"%.*s\" in parentheses",
                               profile_shown(line + word, word_len), line + word);
        e.verdict = ALLOW_INTERNAL;
        at = skip_gap(line, len, (size_t)(end - line) + 1);
    }

    if (at == len)
        return refuse_line(from, number, "%.*s has no reason", (int)name_len, line);
    line[name_len] = '\0';
    return keep_entry(list, e);
}

/* Takes over text and label. */
static int read_profile(allowlist *list, str *text, str *label)
{
    unsigned index = list->source_count++;
    source *from = &list->sources[index];
    int error = SNUG_OK;
    unsigned number = 0;
    size_t fault = 0;

    from->len = text->len;
    from->text = str_take(text);
    from->label = str_take(label);
    if (!from->text || !from->label)
        return error_no_memory();

    from->is_open = 1;
    if (utf8_check(from->text, from->len, &fault) != UTF8_FINE) {
        for (size_t i = 0; i < fault; i++)
            number += from->text[i] == '\n';
        error = refuse_line(from, number + 1, "it is not UTF-8");
    }

    for (size_t at = 0; at < from->len && !error;) {
        char *line = from->text + at;
        const char *end = memchr(line, '\n', from->len - at);
        size_t len = end ? (size_t)(end - line) : from->len - at;
        at += len + 1;
        number++;
        while (len && is_gap(line[len - 1]))
            len--;
        size_t begin = skip_gap(line, len, 0);
        if (begin < len && line[begin] != '#')
            error = read_profile_line(list, index, number, line + begin, len - begin);
    }

    from->is_open = 0;
    return error;
}

/* Additions have a source before all others, so that they win. */
static int add_more(allowlist *list, const char *const *more)
{
    size_t bytes = 0;

    for (size_t i = 0; more && more[i]; i++) {
        size_t len = strlen(more[i]);
        if (!is_module_name(more[i], len, 0))
            return error_set(SNUG_EINVAL, "\"%.*s\" cannot be allowed: not a module's name",
                             profile_shown(more[i], len), more[i]);
        bytes += len + 1;
    }

    if (bytes == 0)
        return SNUG_OK;
    char *name = list->more = malloc(bytes);
    if (!name)
        return error_no_memory();

    for (size_t i = 0; more[i]; i++) {
        size_t size = strlen(more[i]) + 1;
        memcpy(name, more[i], size);
        int error = keep_entry(list, (entry){ name, ALLOW_PUBLIC, 0, 0 });
        if (error)
            return error;
        name += size;
    }

    return SNUG_OK;
}

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a;
    const entry *y = b;
    int order = strcmp(x->name, y->name);

    if (order == 0)
        order = (x->line != 0) - (y->line != 0); /* line 0: an addition */
    if (order == 0)
        order = (x->source > y->source) - (x->source < y->source);
    if (order == 0)
        order = (x->line > y->line) - (x->line < y->line);
    return order;
}

/* Of sorted entries: a name that stands twice in one file. */
static int check_repeated(const allowlist *list)
{
    for (size_t i = 1; i < list->count; i++) {
        const entry *e = &list->entries[i], *before = e - 1;
        if (e->line == 0 || before->line == 0 || before->source != e->source)
            continue;
        if (strcmp(before->name, e->name) == 0)
            return refuse_line(&list->sources[e->source], e->line, "%s stands on line %u already",
                               e->name, before->line);
    }

    return SNUG_OK;
}

/* Of sorted entries keeps the first of each name, which is the one that counts. */
static void drop_repeated(allowlist *list)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i++)
        if (kept == 0 || strcmp(list->entries[kept - 1].name, list->entries[i].name) != 0)
            list->entries[kept++] = list->entries[i];

    list->count = kept;
}

static int list_public_names(allowlist *list)
{
    list->names = calloc(list->count + 1, sizeof *list->names);
    if (!list->names)
        return error_no_memory();

    for (size_t i = 0; i < list->count; i++) {
        const char *name = list->entries[i].name;
        int is_private = name[0] == '_' && name[1] != '_';
        if (list->entries[i].verdict == ALLOW_PUBLIC && !is_private)
            list->names[list->name_count++] = name;
    }

    return SNUG_OK;
}

/* What was read, in the order in which it is looked up. */
static int settle_entries(allowlist *list)
{
    if (list->count > 0)
        qsort(list->entries, list->count, sizeof *list->entries, compare_entries);
    int error = check_repeated(list);
    if (error)
        return error;

    drop_repeated(list);
    return list_public_names(list);
}

/* profile is the path of a file. */
static int open_at_path(allowlist *list, str *text, str *label, const char *profile)
{
    const char *base = strrchr(profile, '/') + 1;
    size_t len = strlen(base);

    if (len > 4 && strcmp(base + len - 4, ".txt") == 0)
        len -= 4;
    list->profile = strndup(base, len);
    list->path_dir = strndup(profile, base == profile + 1 ? 1 : (size_t)(base - profile - 1));
    if (!list->profile || !list->path_dir || str_add(label, profile))
        return error_no_memory();
    return profile_read(text, profile);
}

static int open_name(allowlist *list, str *text, str *label, const char *profile)
{
    list->profile = strdup(profile);
    if (!list->profile)
        return error_no_memory();
    return profile_find(text, label, NULL, list->dir, profile, strlen(profile));
}

int allowlist_open(allowlist **out, const char *profile, const char *dir, const char *const *more)
{
    str text = { 0 };
    str label = { 0 };
    int error = SNUG_OK;
    allowlist *list = calloc(1, sizeof *list);

    if (!list)
        return error_no_memory();

    if (dir && !(list->dir = strdup(dir))) {
        error = error_no_memory();
        goto done;
    }

    if (strchr(profile, '/'))
        error = open_at_path(list, &text, &label, profile);
    else
        error = open_name(list, &text, &label, profile);

    if (!error)
        error = read_profile(list, &text, &label);
    if (!error)
        error = add_more(list, more);
    if (!error)
        error = settle_entries(list);

done:
    str_free(&text);
    str_free(&label);
    if (error)
        allowlist_close(list);
    else
        *out = list;

    return error;
}

allowlist *allowlist_share(allowlist *list)
{
    atomic_fetch_add(&list->other_users, 1);
    return list;
}

void allowlist_close(allowlist *list)
{
    if (!list || atomic_fetch_sub(&list->other_users, 1) > 0)
        return;
    for (unsigned i = 0; i < list->source_count; i++) {
        free(list->sources[i].text);
        free(list->sources[i].label);
    }

    free(list->profile);
    free(list->dir);
    free(list->path_dir);
    free(list->more);
    free(list->entries);
    free(list->names);
    free(list);
}

/* The length of the parent's name in the first len bytes of module; 0 if it has
 * none. */
static size_t parent_len(const char *module, size_t len)
{
    while (len && module[len - 1] != '.')
        len--;
    return len ? len - 1 : 0;
}

static const entry *find_entry(const allowlist *list, const char *name, size_t len)
{
    size_t low = 0;
    size_t high = list->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const entry *e = &list->entries[middle];
        int order = strncmp(name, e->name, len);
        if (order == 0 && !e->name[len])
            return e;
        if (order <= 0) /* 0: a longer name */
            high = middle;
        else
            low = middle + 1;
    }

    return NULL;
}

allow_verdict allowlist_verdict(const allowlist *list, const char *module, size_t len)
{
    /* A NUL inside would end the comparison early and let "os\0" pass for os. */
    if (memchr(module, '\0', len))
        return ALLOW_NEVER;
    for (; len; len = parent_len(module, len)) {
        const entry *e = find_entry(list, module, len);
        if (e)
            return e->verdict;
    }

    return ALLOW_NEVER;
}

const char *allowlist_profile(const allowlist *list)
{
    return list->profile;
}

const char *allowlist_file(const allowlist *list, size_t index)
{
    return index < list->source_count ? list->sources[index].label : NULL;
}

size_t allowlist_count(const allowlist *list)
{
    return list->name_count;
}

const char *allowlist_name(const allowlist *list, size_t index)
{
    return index < list->name_count ? list->names[index] : NULL;
}

/* The line of alternatives.txt for the module or the nearest of its parents, the
 * profile's own first; NULL if there is none. */
static const char *find_alternative(const char *profile, const char *module)
{
    for (size_t len = strlen(module); len; len = parent_len(module, len)) {
        const char *text = NULL;
        for (const policy_alternative *row = policy_alternatives; row->module; row++) {
            if (strncmp(row->module, module, len) != 0 || row->module[len])
                continue;
            if (row->profile && strcmp(row->profile, profile) == 0)
                return row->text;
            if (!row->profile)
                text = row->text;
        }
        if (text)
            return text;
    }
    return NULL;
}

/* The name of a profile other than list's in which cells may import the module, written to name
 * (size bytes), or NULL. */
static const char *find_other_profile(char *name, size_t size, const allowlist *list,
                                      const char *module)
{
    for (const policy_file *file = policy_files; file->name; file++) {
        allowlist *other = NULL;
        snprintf(name, size, "%.*s", (int)strcspn(file->name, "."), file->name);
        if (strcmp(name, list->profile) == 0)
            continue;

        (void)allowlist_open(&other, name, list->dir, NULL);
        if (!other)
            continue;

        int has = allowlist_verdict(other, module, strlen(module)) == ALLOW_PUBLIC;
        allowlist_close(other);
        if (has)
            return name;
    }
    return NULL;
}

/* The allowed module that was probably meant: of the whole name, else of its
 * first part. */
static const char *find_nearest_module(const allowlist *list, const char *module)
{
    char first[MAX_NAME_BYTES + 1];
    const char *name = nearest_name(module, list->names, list->name_count);

    if (name || !strchr(module, '.') || strcspn(module, ".") >= sizeof first)
        return name;
    snprintf(first, sizeof first, "%.*s", (int)strcspn(module, "."), module);
    return nearest_name(first, list->names, list->name_count);
}

/* That the module is refused, or that there is none of that name. */
static int add_denial(str *sentence, const allowlist *list, const char *module, int exists)
{
    size_t len = strlen(module);
    int shown = profile_shown(module, len);
    const char *dots = len > PROFILE_SHOWN_BYTES ? "..." : "";

    if (exists)
        return str_printf(sentence, "module '%.*s%s' is not allowed in this session (profile %s)",
                          shown, module, dots, list->profile);
    return str_printf(sentence, "%.*s%s is not available in this session", shown, module, dots);
}

/* What the cell can do instead. */
static int add_advice(str *sentence, const allowlist *list, const char *module, int exists)
{
    const char *instead = find_alternative(list->profile, module);
    if (instead)
        return str_printf(sentence, "%s %s", exists ? ":" : ";", instead);

    const char *near = find_nearest_module(list, module);
    if (near)
        return str_printf(sentence, "; did you mean %s?", near);
    if (exists)
        return SNUG_OK;
    return str_add(sentence, "; snug packages install adds packages, outside of sessions");
}

static int add_other_profile(str *sentence, const allowlist *list, const char *module)
{
    char name[MAX_NAME_BYTES + 1];
    const char *other = find_other_profile(name, sizeof name, list, module);
    return other ? str_printf(sentence, "; profile %s has it", other) : SNUG_OK;
}

/* Where memory runs out the sentence ends early. */
void allowlist_explain(const allowlist *list, const char *module, int exists, char *text,
                       size_t size)
{
    str sentence = { 0 };
    int error = add_denial(&sentence, list, module, exists);

    if (!error)
        error = add_advice(&sentence, list, module, exists);
    if (!error && exists)
        (void)add_other_profile(&sentence, list, module);

    if (size > 0) {
        const char *whole = str_text(&sentence);
        size_t room = sentence.len < size ? sentence.len : size - 1;
        size_t cut = utf8_floor(whole, sentence.len, room);
        memcpy(text, whole, cut);
        text[cut] = '\0';
    }

    str_free(&sentence);
}

/* Of Python 3.11 to 3.13, and what sessions have besides. A tool of that name would get what a cell
 * prints, sums up or reads. Not from the session's own namespace, which is the cells' to change. */
static int is_builtin(const char *name)
{
    static const char names[] =
        " ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup"
        " BlockingIOError BrokenPipeError BufferError BytesWarning ChildProcessError"
        " ConnectionAbortedError ConnectionError ConnectionRefusedError"
        " ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning"
        " EnvironmentError Exception ExceptionGroup FileExistsError FileNotFoundError"
        " FloatingPointError FutureWarning GeneratorExit IOError ImportError"
        " ImportWarning IndentationError IndexError InterruptedError IsADirectoryError"
        " KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError"
        " NameError NotADirectoryError NotImplemented NotImplementedError OSError"
        " OverflowError PendingDeprecationWarning PermissionError ProcessLookupError"
        " PythonFinalizationError RecursionError ReferenceError ResourceWarning"
        " RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError"
        " SyntaxWarning SystemError SystemExit TabError TimeoutError ToolError"
        " ToolRefused ToolTimeout TypeError UnboundLocalError UnicodeDecodeError"
        " UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning"
        " UserWarning ValueError Warning ZeroDivisionError abs aiter all anext any ascii"
        " bin bool breakpoint bytearray bytes callable chr classmethod compile complex"
        " copyright credits delattr dict dir display divmod enumerate eval exec exit"
        " filter float format frozenset get_ipython getattr globals hasattr hash help hex"
        " id input int isinstance issubclass iter len license list locals map max"
        " memoryview min next object oct open ord pow print property quit range repr"
        " reversed round set setattr slice sorted staticmethod str sum super tuple type"
        " vars zip ";
    const size_t len = strlen(name);

    for (const char *at = names; len > 0 && (at = strstr(at + 1, name));)
        if (at[-1] == ' ' && at[len] == ' ')
            return 1;
    return 0;
}

const char *toolnames_fault(const char *name, const allowlist *modules)
{
    if (is_builtin(name))
        return "the name is a built-in one of Python";
    if (modules && allowlist_verdict(modules, name, strlen(name)) == ALLOW_PUBLIC)
        return "the name is that of a module that cells may import";
    return NULL;
}
