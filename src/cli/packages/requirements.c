#include "cli/packages/requirements.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/file.h"
#include "cli/program/command.h"

enum { MOST_FILE_BYTES = 1 << 20, MOST_BYTES = 4 << 20, MOST_LEVELS = 8, SHOWN_BYTES = 80 };

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
static const char name_bytes[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
static const char version_bytes[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+!*";
/* No "$", because pip puts variables of the environment in. */
static const char marker_bytes[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+!*<>=~'\"(), ";
static const char blank[] = " \t";

/* ---- pieces of a requirement ---- */

size_t requirements_name(const char *text)
{
    size_t len = strspn(text, name_bytes);
    while (len > 0 && !strchr(letters, text[len - 1]))
        len--;
    return len > 0 && strchr(letters, text[0]) ? len : 0;
}

int requirements_is_version(const char *text)
{
    return *text && strchr(letters, *text) && !text[strspn(text, version_bytes)];
}

static int is_joint(char c)
{
    return c == '-' || c == '_' || c == '.';
}

int requirements_is_same(const char *a, const char *b)
{
    while (*a && *b) {
        if (is_joint(*a) != is_joint(*b) || (!is_joint(*a) && strncasecmp(a, b, 1) != 0))
            return 0;
        size_t run = is_joint(*a) ? strspn(a, "-_.") : 1;
        b += is_joint(*b) ? strspn(b, "-_.") : 1;
        a += run;
    }
    return *a == *b;
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, blank);
}

/* "[a, b]"; NULL: it is not right. */
static const char *read_extras(const char *at)
{
    do {
        at = skip_blanks(at + 1);
        size_t len = requirements_name(at);
        if (len == 0)
            return NULL;
        at = skip_blanks(at + len);
    } while (*at == ',');

    if (*at != ']')
        return NULL;
    return skip_blanks(at + 1);
}

static size_t comparison_len(const char *at)
{
    static const char *const operators[] = { "===", "==", "!=", "<=", ">=", "~=", "<", ">" };
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (!strncmp(at, operators[i], strlen(operators[i])))
            return strlen(operators[i]);
    return 0;
}

/* ">=1, <2"; NULL: it is not right. */
static const char *read_versions(const char *at)
{
    for (;;) {
        size_t len = comparison_len(at);
        at = skip_blanks(at + len);
        if (len == 0 || !*at || !strchr(letters, *at))
            return NULL;
        at = skip_blanks(at + strspn(at, version_bytes));
        if (*at != ',')
            return at;
        at = skip_blanks(at + 1);
    }
}

/* pip takes what ends so for a file, if it is one. */
static int is_archive(const char *text)
{
    static const char *const ends[] = { ".whl",    ".zip", ".tar",    ".tgz",
                                        ".tar.gz", ".tbz", ".txz",    ".tar.bz2",
                                        ".tar.xz", ".tlz", ".tar.lz", ".tar.lzma" };
    size_t len = strlen(text);

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (len >= strlen(ends[i]) && !strcasecmp(text + len - strlen(ends[i]), ends[i]))
            return 1;
    return 0;
}

/* NULL: it is a requirement. Else what is wrong with it. */
static const char *find_fault(const char *text, int takes_marker)
{
    if (*text == '-')
        return "the name of a package does not begin with \"-\"";
    if (strpbrk(text, "/@:") || *text == '.' || is_archive(text))
        return "packages go by their names, not by paths, files or addresses";

    size_t len = requirements_name(text);
    if (len == 0)
        return "a package is named as in NAME or NAME==VERSION";

    const char *at = skip_blanks(text + len);
    if (*at == '[') {
        at = read_extras(at);
        if (!at)
            return "extras are names, as in NAME[ONE,TWO]";
    }

    if (*at && *at != ';') {
        at = read_versions(at);
        if (!at)
            return "the name is followed by versions, as in NAME==1.2 or NAME>=1,<2";
    }

    if (!*at)
        return NULL;
    if (*at != ';' || !takes_marker)
        return "nothing may follow the version";
    if (at[1 + strspn(at + 1, marker_bytes)])
        return "the marker has a character that markers do not have";
    return NULL;
}

static int put_text_part(str *to, const char *text, size_t len)
{
    if (to->len + len > MOST_BYTES)
        return command_fail(EXIT_USAGE, "the requirements have more than 4 MiB");
    if (str_append(to, text, len))
        return command_fail_memory();
    return EXIT_FINE;
}

/* How much of a text is shown: up to the first byte that cannot be printed. */
static int printable_len(const char *text)
{
    int len = 0;
    while (len < SHOWN_BYTES && (unsigned char)text[len] >= ' ' && text[len] != 0x7f)
        len++;
    return len;
}

int requirements_add(requirements *r, const char *text)
{
    const char *fault = find_fault(text, 0);
    if (fault)
        return command_fail(EXIT_USAGE, "packages: \"%.*s\": %s", printable_len(text), text, fault);

    int status = put_text_part(&r->lines, text, strlen(text));
    if (!status)
        status = put_text_part(&r->lines, "\n", 1);
    r->count++;
    return status;
}

/* ---- files ---- */

typedef struct file {
    const char *path;
    unsigned line, level;
    int is_constraint;
} file;

static int add_requirements_file(requirements *r, const file *f);

static int fail_line_part(const file *f, const char *text, const char *fault)
{
    return command_fail(EXIT_USAGE, "%s, line %u: \"%.*s\": %s", f->path, f->line, SHOWN_BYTES,
                        text, fault);
}

/* "sha256:" and its digits in hexadecimal. */
static int is_hash(const char *text)
{
    static const struct {
        const char *name;
        size_t digits;
    } kinds[] = { { "sha256:", 64 }, { "sha384:", 96 }, { "sha512:", 128 } };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t len = strlen(kinds[i].name);
        if (!strncmp(text, kinds[i].name, len))
            return strlen(text + len) == kinds[i].digits &&
                   strspn(text + len, "0123456789abcdefABCDEF") == kinds[i].digits;
    }

    return 0;
}

/* What stands behind a requirement: --hash=sha256:... or --hash sha256:..., any number of them. */
static int add_hashes(requirements *r, const file *f, str *to, char *at)
{
    for (char *word; (word = strtok_r(NULL, blank, &at));) {
        char *equals = strchr(word, '=');
        const char *hash = equals ? equals + 1 : strtok_r(NULL, blank, &at);
        if (equals)
            *equals = '\0';
        if (strcmp(word, "--hash") != 0)
            return fail_line_part(f, word, "the only option of a requirement is --hash");
        if (!hash || !is_hash(hash))
            return fail_line_part(f, hash ? hash : word, "a hash is as in --hash=sha256:DIGITS");
        r->has_hashes = 1;
        int status = put_text_part(to, " --hash=", strlen(" --hash="));
        if (status || (status = put_text_part(to, hash, strlen(hash))))
            return status;
    }
    return EXIT_FINE;
}

/* Where the options of a line begin: " -" or a tab and "-"; NULL: it has none. */
static char *find_options(char *text)
{
    char *space = strstr(text, " -"), *tab = strstr(text, "\t-");
    if (!space || (tab && tab < space))
        return tab;
    return space;
}

static int add_requirement_line(requirements *r, const file *f, char *text)
{
    str *to = f->is_constraint ? &r->constraints : &r->lines;
    char *hashes = find_options(text);

    if (hashes)
        *hashes++ = '\0';
    for (size_t len = strlen(text); len > 0 && strchr(blank, text[len - 1]);)
        text[--len] = '\0';

    const char *fault = find_fault(text, 1);
    if (fault)
        return fail_line_part(f, text, fault);

    int status = put_text_part(to, text, strlen(text));
    if (!status && hashes)
        status = add_hashes(r, f, to, hashes);
    if (!status)
        status = put_text_part(to, "\n", 1);
    r->count += !f->is_constraint;
    return status;
}

/* Another file, named beside this one. */
static int add_other(requirements *r, const file *f, const char *name, int is_constraint)
{
    const char *slash = strrchr(f->path, '/');
    str path = { 0 };
    int failed = 0, status;

    if (f->level == MOST_LEVELS)
        return fail_line_part(f, name, "8 files that name each other are the most");

    if (*name != '/' && slash)
        failed = str_append(&path, f->path, (size_t)(slash + 1 - f->path));
    if (!failed)
        failed = str_add(&path, name);

    if (failed) {
        status = command_fail_memory();
    } else {
        const file other = { .path = path.data,
                             .level = f->level + 1,
                             .is_constraint = f->is_constraint || is_constraint };
        status = add_requirements_file(r, &other);
    }

    str_free(&path);
    return status;
}

static int add_option(requirements *r, const file *f, char *text)
{
    char *value = text + strcspn(text, " \t=");
    const char *option = text;

    if (*value) {
        *value++ = '\0';
        value += strspn(value, blank);
    }

    const int is_file = !strcmp(option, "-r") || !strcmp(option, "--requirement");
    const int is_constraint = !strcmp(option, "-c") || !strcmp(option, "--constraint");
    if ((is_file || is_constraint) && *value)
        return add_other(r, f, value, is_constraint);
    if (strcmp(option, "--require-hashes") != 0 || *value)
        return fail_line_part(f, option,
                              "the options of a file are -r FILE, -c FILE and --require-hashes");

    r->has_hashes = 1;
    return EXIT_FINE;
}

/* A line without its remark and the blanks around it. */
static int read_file_line(requirements *r, const file *f, char *line)
{
    for (char *mark = strchr(line, '#'); mark; mark = strchr(mark + 1, '#'))
        if (mark == line || strchr(blank, mark[-1])) {
            *mark = '\0';
            break;
        }

    line += strspn(line, blank);
    for (size_t len = strlen(line); len > 0 && strchr(blank, line[len - 1]);)
        line[--len] = '\0';
    if (!*line)
        return EXIT_FINE;
    if (*line == '-')
        return add_option(r, f, line);
    return add_requirement_line(r, f, line);
}

/* The end of a line, and whether it goes on in the next. */
static char *end_of(char *line, char **next)
{
    char *end = line + strcspn(line, "\n");
    *next = *end ? end + 1 : end;
    *end = '\0';
    if (end > line && end[-1] == '\r')
        *--end = '\0';
    return end;
}

static int read_file_lines(requirements *r, const file *of, char *text)
{
    file f = *of;
    int status = EXIT_FINE;
    unsigned lines = 0;

    for (char *line = text, *next; *line && !status; line = next) {
        char *end = end_of(line, &next);
        f.line = ++lines;
        /* Joined by moving what follows to where the backslash stands. */
        while (end > line && end[-1] == '\\' && line[strspn(line, blank)] != '#' && *next) {
            char *more = next, *more_end = end_of(more, &next);
            size_t len = (size_t)(more_end - more);
            memmove(end - 1, more, len + 1);
            end = end - 1 + len;
            lines++;
        }
        status = read_file_line(r, &f, line);
    }

    return status;
}

static int add_requirements_file(requirements *r, const file *f)
{
    static const char mark[] = "\xef\xbb\xbf";
    str text = { 0 };
    int status = EXIT_FINE;

    if (file_read(&text, f->path, MOST_FILE_BYTES))
        status = command_fail(EXIT_USAGE, "%s", error_message());
    else if (text.len > 0 && strlen(text.data) != text.len)
        status = command_fail(EXIT_USAGE, "%s: it has a NUL byte", f->path);
    else if (text.len > 0)
        status = read_file_lines(r, f, text.data + (!strncmp(text.data, mark, 3) ? 3 : 0));

    str_free(&text);
    return status;
}

int requirements_add_file(requirements *r, const char *path)
{
    const file f = { .path = path, .level = 1 };
    return add_requirements_file(r, &f);
}

int requirements_add_text(requirements *r, const char *path, char *text)
{
    const file f = { .path = path, .level = 1 };
    return read_file_lines(r, &f, text);
}

void requirements_free(requirements *r)
{
    str_free(&r->lines);
    str_free(&r->constraints);
    *r = (requirements){ 0 };
}
