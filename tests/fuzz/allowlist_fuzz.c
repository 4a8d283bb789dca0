/*
 * Three parts with a line "----" between: the profile a, the profile b that it
 * may include, and the name of a further module. A profile that opens says of
 * every module what its lines say, read one after the other.
 */
#include "fuzz.h"

#include <snug/snug.h>

#include "base/error.h"
#include "base/utf8.h"
#include "policy/allowlist.h"

#include <fcntl.h>
#include <unistd.h>

/* One process, one folder with two files, which stay open. */
static char folder[] = "/tmp/snug-fuzz-XXXXXX";
static char paths[2][sizeof folder + 8];
static int files[2];

static void remove_folder(void)
{
    unlink(paths[0]);
    unlink(paths[1]);
    rmdir(folder);
}

static void make_folder(void)
{
    if (paths[0][0])
        return;
    HOLDS(mkdtemp(folder));
    for (int i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%c.txt", folder, 'a' + i);
        files[i] = open(paths[i], O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
        HOLDS(files[i] >= 0);
    }
    HOLDS(atexit(remove_folder) == 0);
}

static void write_file(int file, input text)
{
    HOLDS(ftruncate(file, (off_t)text.left) == 0);
    HOLDS(pwrite(file, text.at, text.left, 0) == (ssize_t)text.left);
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static input strip(input line)
{
    while (line.left && is_blank(line.at[line.left - 1]))
        line.left--;
    while (line.left && is_blank(*line.at))
        line.at++, line.left--;
    return line;
}

/* What an editor may put before the text. */
static input without_mark(input text)
{
    size_t mark = text.left >= 3 && !memcmp(text.at, "\xef\xbb\xbf", 3) ? 3 : 0;
    return (input){ text.at + mark, text.left - mark };
}

/* The next line that is not empty and no comment: its name; rest is what follows. */
static input take_name(input *text, input *rest)
{
    while (text->left) {
        input line = strip(take_until(text, "\n")), name = { line.at, 0 };
        if (!line.left || *line.at == '#')
            continue;
        while (name.left < line.left && !is_blank(line.at[name.left]))
            name.left++;
        *rest = strip((input){ line.at + name.left, line.left - name.left });
        return name;
    }
    return (input){ NULL, 0 };
}

static int is_word(input name, const char *word)
{
    return name.left == strlen(word) && !memcmp(name.at, word, name.left);
}

/* What the lines of text say of exactly this name; -1: nothing. */
static int verdict_in(input text, input module)
{
    input rest;
    for (input name; (name = take_name(&text, &rest)).at;)
        if (!(is_word(name, "include") && rest.left) && name.left == module.left &&
            !memcmp(name.at, module.at, name.left))
            return *rest.at == '(' ? ALLOW_INTERNAL : ALLOW_PUBLIC;
    return -1;
}

static int includes(input text)
{
    input rest;
    for (input name; (name = take_name(&text, &rest)).at;)
        if (is_word(name, "include") && rest.left)
            return 1;
    return 0;
}

/* b counts where a includes it: there is nothing else to include. */
static allow_verdict model(input a, input b, input more, input module)
{
    int has_b = includes(a);
    while (module.left) {
        if (more.left == module.left && !memcmp(more.at, module.at, more.left))
            return ALLOW_PUBLIC;
        int verdict = verdict_in(a, module);
        if (verdict < 0 && has_b)
            verdict = verdict_in(b, module);
        if (verdict >= 0)
            return (allow_verdict)verdict;
        while (module.left && module.at[module.left - 1] != '.')
            module.left--;
        module.left -= module.left > 0;
    }
    return ALLOW_NEVER;
}

/* Asks about the name, a module within it, one that only begins like it, and what
 * it lies in. */
static void check_around(const allowlist *list, input a, input b, input more, input name)
{
    static const char *const ends[] = { "", ".x", "x", "." };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char module[300];
        int len = snprintf(module, sizeof module, "%.*s%s", (int)name.left, name.at, ends[i]);
        HOLDS(len >= 0 && (size_t)len < sizeof module);
        input asked = { module, (size_t)len };
        HOLDS(allowlist_verdict(list, module, asked.left) == model(a, b, more, asked));
        HOLDS(allowlist_verdict(list, module, asked.left + 1) == ALLOW_NEVER);
    }
    for (size_t len = 0; len < name.left; len++)
        HOLDS(allowlist_verdict(list, name.at, len) == model(a, b, more, (input){ name.at, len }));
}

static void check_names(const allowlist *list)
{
    size_t count = allowlist_count(list);
    for (size_t i = 0; i < count; i++) {
        const char *name = allowlist_name(list, i);
        HOLDS(allowlist_verdict(list, name, strlen(name)) == ALLOW_PUBLIC);
        HOLDS(!i || strcmp(allowlist_name(list, i - 1), name) < 0);
    }
    HOLDS(!allowlist_name(list, count));
}

static void check_explain(const allowlist *list, const char *module)
{
    static const size_t sizes[] = { 1, 2, 40, 90, 1000 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *text = malloc(sizes[i]);
        size_t at;
        HOLDS(text);
        allowlist_explain(list, module, i == 3, text, sizes[i]);
        HOLDS(strnlen(text, sizes[i]) < sizes[i]);
        HOLDS(utf8_check(text, strlen(text), &at) == UTF8_FINE);
        HOLDS(sizes[i] < 1000 || strstr(text, " in this session"));
        free(text);
    }
    allowlist_explain(list, module, 0, NULL, 0);
}

static void check_list(const allowlist *list, input a, input b, input more)
{
    input rest, text = a;
    HOLDS(!strcmp(allowlist_profile(list), "a"));
    check_names(list);
    for (input name; (name = take_name(&text, &rest)).at;)
        check_around(list, a, b, more, name);
    check_around(list, a, b, more, more);
    text = b;
    for (input name; includes(a) && (name = take_name(&text, &rest)).at;)
        check_around(list, a, b, more, name);
}

/* "profile PATH, line N: ...", N being a line of the file; or it has no line. */
static void check_refusal(int error, input a, input b, input more)
{
    size_t at;
    const char *message = error_message();
    if (utf8_check(more.at, more.left, &at) == UTF8_FINE)
        HOLDS(utf8_check(message, strlen(message), &at) == UTF8_FINE);
    if (error == SNUG_EINVAL) {
        HOLDS(more.left && strstr(message, "cannot be allowed"));
        return;
    }
    HOLDS(error == SNUG_EPOLICY);
    HOLDS(!strncmp(message, "profile ", 8));
    int of_b = !strncmp(message + 8, paths[1], strlen(paths[1]));
    HOLDS(of_b || !strncmp(message + 8, paths[0], strlen(paths[0])));
    const char *number = strstr(message, ", line ");
    HOLDS(number);
    input text = of_b ? b : a;
    unsigned long lines = 0, line = strtoul(number + 7, NULL, 10);
    for (; text.left; lines++)
        take_until(&text, "\n");
    HOLDS(line >= 1 && line <= lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = input_of(data, size);
    input a = take_until(&in, "\n----\n"), b = take_until(&in, "\n----\n");
    char *name = copy_of(in.at, strnlen(in.at, in.left));
    input more = { name, strlen(name) };
    const char *const names[] = { *name ? name : NULL, NULL };
    allowlist *list = NULL;
    make_folder();
    write_file(files[0], a);
    write_file(files[1], b);
    int error = allowlist_open(&list, paths[0], folder, names);
    if (error) {
        HOLDS(!list);
        check_refusal(error, a, b, more);
    } else {
        check_list(list, without_mark(a), without_mark(b), more);
        size_t at;
        if (utf8_check(name, more.left, &at) == UTF8_FINE)
            check_explain(list, name);
    }
    allowlist_close(list);
    free(name);
    return 0;
}
