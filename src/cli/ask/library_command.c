/* snug library: snippets and documents that questions find. */
#include <stdlib.h>
#include <string.h>

#include <snug/library.h>

#include "base/error.h"
#include "base/file.h"
#include "base/jsontext.h"
#include "base/nearest.h"
#include "base/str.h"
#include "cli/display/code_lines.h"
#include "cli/program/command.h"
#include "cli/program/state_folder.h"
#include "cli/terminal/term.h"

enum { MOST_FILE_BYTES = 1 << 20, MOST_MATCHES = 10, MOST_TITLE_BYTES = 200 };

/* ---- what is printed ---- */

static void print_plain_text(const char *text)
{
    term_put(stdout, text, strlen(text));
}

static void print_member(const char *before, const char *text)
{
    str quoted = { 0 };
    if (jsontext_quote(&quoted, text, strlen(text)) == SNUG_OK)
        term_printf(stdout, "%s%s", before, quoted.data);
    str_free(&quoted);
}

typedef enum { LISTED, FOUND, SHOWN } reason;

static void print_match_json(const snug_library_match *m, reason why)
{
    print_member("{\"schema\":\"snug.match/1\",\"name\":", m->name);
    print_member(",\"kind\":", m->kind);
    print_member(",\"title\":", m->title);
    printf(",\"bytes\":%llu", (unsigned long long)m->bytes);
    if (why == FOUND)
        printf(",\"score\":%.6f", m->score);
    if (why != LISTED)
        print_member(",\"text\":", m->text);
    puts("}");
}

static void print_match(const snug_library_match *m, reason why)
{
    print_plain_text(m->name);
    printf("  (%s, %llu bytes)", m->kind, (unsigned long long)m->bytes);
    if (*m->title)
        fputs("  ", stdout);
    print_plain_text(m->title);
    putchar('\n');
    if (why == LISTED)
        return;

    /* An empty line ends a text. */
    size_t len = strlen(m->text);
    print_plain_text(m->text);
    if (len == 0 || m->text[len - 1] != '\n')
        putchar('\n');
    putchar('\n');
}

static void print_matches(const options *o, const snug_library_result *matches, reason why)
{
    const snug_library_match *m;
    for (size_t i = 0; (m = snug_library_result_match(matches, i)); i++) {
        if (o->is_json)
            print_match_json(m, why);
        else
            print_match(m, why);
    }
}

/* ---- what is done ---- */

static const char *document_kind(const options *o, const char *path)
{
    if (o->kind)
        return o->kind;

    const char *dot = strrchr(path, '.');
    return dot && strcmp(dot, ".py") == 0 ? "snippet" : "document";
}

/* The first line that has something, without the marks of a heading or a remark. */
static int first_line(str *out, const char *text)
{
    static const char mark[] = "\xef\xbb\xbf"; /* U+FEFF, before some texts */

    if (strncmp(text, mark, 3) == 0)
        text += 3;
    text += strspn(text, " \t\r\n#*=-\"'");
    size_t len = strcspn(text, "\r\n");
    while (len > MOST_TITLE_BYTES || (len > 0 && strchr(" \t\"'", text[len - 1])))
        len--;

    /* Not within a character. */
    while (len > 0 && len < strlen(text) && ((unsigned char)text[len] & 0xc0) == 0x80)
        len--;

    for (size_t i = 0; i < len; i++) {
        int is_control = (unsigned char)text[i] < ' ' || text[i] == 0x7f;
        if (str_append(out, is_control ? " " : text + i, 1))
            return SNUG_ENOMEM;
    }

    return SNUG_OK;
}

static int add_document(const options *o, snug_library *library, const char *path)
{
    const char *slash = strrchr(path, '/');
    str text = { 0 }, title = { 0 };
    int status = EXIT_FINE, error;

    if (file_read(&text, path, MOST_FILE_BYTES)) {
        status = command_fail(EXIT_USAGE, "%s", error_message());
        goto done;
    }

    if (o->title)
        error = str_add(&title, o->title);
    else
        error = first_line(&title, str_text(&text));

    if (error) {
        status = command_fail_memory();
        goto done;
    }

    const snug_library_document document = { .size = sizeof document,
                                             .name = slash && slash[1] ? slash + 1 : path,
                                             .kind = document_kind(o, path),
                                             .title = str_text(&title),
                                             .text = str_text(&text),
                                             .len = text.len };
    if (snug_library_add(library, &document))
        status = command_fail_host();

done:
    str_free(&text);
    str_free(&title);
    return status;
}

static int add_files(const options *o, snug_library *library)
{
    int status = EXIT_FINE;

    if (o->input_count < 2)
        return command_fail(EXIT_USAGE, "library add: no file is named");
    if (o->title && o->input_count > 2)
        return command_fail(EXIT_USAGE, "library add: --title is for one file");

    for (size_t i = 1; !status && i < o->input_count; i++)
        status = add_document(o, library, o->inputs[i].text);
    return status;
}

static int list_entries(const options *o, snug_library *library)
{
    snug_library_result *matches;
    if (snug_library_list(&matches, library))
        return command_fail_host();
    print_matches(o, matches, LISTED);
    snug_library_result_free(matches);
    return EXIT_FINE;
}

static int search_entries(const options *o, snug_library *library)
{
    snug_library_result *matches;
    str words = { 0 };
    int status = EXIT_FINE;

    for (size_t i = 1; i < o->input_count; i++)
        if (str_printf(&words, "%s%s", i > 1 ? " " : "", o->inputs[i].text)) {
            status = command_fail_memory();
            goto done;
        }

    if (words.len == 0) {
        status = command_fail(EXIT_USAGE, "library search: nothing to search for");
        goto done;
    }

    if (snug_library_search(&matches, library, words.data, MOST_MATCHES)) {
        status = command_fail_host();
        goto done;
    }

    print_matches(o, matches, FOUND);
    if (snug_library_result_match_count(matches) == 0)
        status = EXIT_FAILED;
    snug_library_result_free(matches);

done:
    str_free(&words);
    return status;
}

enum { MOST_NAMES = 1000 };

/* The message of a name that is not there, with the one that was probably meant. */
static int fail_name(snug_library *library, const char *given)
{
    const char *names[MOST_NAMES];
    snug_library_result *all = NULL;
    const snug_library_match *m;
    size_t count = 0;
    str message = { 0 };

    str_add(&message, error_message());
    if (snug_library_list(&all, library) == SNUG_OK)
        while (count < MOST_NAMES && (m = snug_library_result_match(all, count)))
            names[count++] = m->name;
    const char *near = nearest_name(given, names, count);
    int status = near ? command_fail(EXIT_USAGE, "%s; did you mean %s?", str_text(&message), near)
                      : command_fail(EXIT_USAGE, "%s; snug library list says what there is",
                                     str_text(&message));
    snug_library_result_free(all);
    str_free(&message);
    return status;
}

/* Text, as it was put there: on a terminal a program has colours. */
static void print_text(const options *o, const snug_library_match *m)
{
    const term colors = term_open((term_mode)o->color);
    const size_t len = strlen(m->text);
    const code_look look = { THEME_COLOURS, CODE_PYTHON, term_on(&colors, stdout, TERM_PLACE),
                             term_on(&colors, stdout, TERM_OFF) };

    if (colors.out && strcmp(m->kind, "snippet") == 0)
        code_lines_put(stdout, &look, m->text, len, 0, 1);
    else
        term_show(stdout, NULL, m->text, len, 0);
}

static int show_entries(const options *o, snug_library *library)
{
    if (o->input_count < 2)
        return command_fail(EXIT_USAGE, "library show: nothing is named; snug library list says "
                                        "what there is");

    for (size_t i = 1; i < o->input_count; i++) {
        snug_library_result *found;
        int error = snug_library_find(&found, library, o->inputs[i].text);
        if (error == SNUG_ENOTFOUND)
            return fail_name(library, o->inputs[i].text);
        if (error)
            return command_fail_host();
        if (o->is_json)
            print_match_json(snug_library_result_match(found, 0), SHOWN);
        else
            print_text(o, snug_library_result_match(found, 0));
        snug_library_result_free(found);
    }
    return EXIT_FINE;
}

static int remove_entries(const options *o, snug_library *library)
{
    int status = EXIT_FINE;
    if (o->input_count < 2)
        return command_fail(EXIT_USAGE, "library remove: nothing is named; snug library list "
                                        "says what there is");
    for (size_t i = 1; !status && i < o->input_count; i++)
        switch (snug_library_remove(library, o->inputs[i].text)) {
        case SNUG_OK:
            break;
        case SNUG_ENOTFOUND:
            status = fail_name(library, o->inputs[i].text);
            break;
        default:
            status = command_fail_host();
        }
    return status;
}

static const struct {
    const char *name;
    int (*run)(const options *o, snug_library *library);
    int makes;
} verbs[] = {
    { "add", add_files, 1 },         { "list", list_entries, 0 },     { "show", show_entries, 0 },
    { "search", search_entries, 0 }, { "remove", remove_entries, 0 },
};
enum { VERBS = sizeof verbs / sizeof verbs[0] };

static int run_verb(const options *o, size_t verb, const char *path, int is_default)
{
    snug_library *library;
    int error = snug_library_open(&library, path, verbs[verb].makes, o->agent.embedding_model);

    /* That of the state folder is empty then, and not made to say that. */
    if (error == SNUG_ENOTFOUND && is_default && verbs[verb].run == list_entries)
        return EXIT_FINE;

    if (error)
        return command_fail_host();
    int status = verbs[verb].run(o, library);
    if (*snug_library_fault(library))
        command_fail(EXIT_FINE, "%s; words are used", snug_library_fault(library));
    snug_library_close(library);
    return status;
}

static int fail_verb(const char *given)
{
    const char *names[VERBS];

    for (size_t i = 0; i < VERBS; i++)
        names[i] = verbs[i].name;

    const char *near = nearest_name(given, names, VERBS);
    if (near)
        return command_fail(
            EXIT_USAGE, "library: \"%s\" is not add, list, show, search or remove; did you mean %s",
            given, near);

    return command_fail(EXIT_USAGE, "library: \"%s\" is not add, list, show, search or remove",
                        given);
}

int command_library(const options *o)
{
    const char *given = o->input_count > 0 ? o->inputs[0].text : "";
    const char *file = o->agent.library_file;
    size_t verb = 0;

    while (verb < VERBS && strcmp(given, verbs[verb].name) != 0)
        verb++;
    if (verb == VERBS)
        return fail_verb(given);

    int status = state_check_library(file ? file : "");
    if (status)
        return status;
    if (file && strcmp(file, "default") != 0)
        return run_verb(o, verb, file, 0);

    str path = { 0 };
    status = state_path(&path, "library.db");
    if (!status)
        status = run_verb(o, verb, path.data, 1);
    str_free(&path);
    return status;
}
