/* snug packages: folders of packages for sessions, filled by pip outside of any. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/utf8.h"
#include "cli/packages/install.h"
#include "cli/packages/modules.h"
#include "cli/program/command.h"
#include "cli/terminal/term.h"
#include "wire/json.h"

static int install_packages(const options *o)
{
    const size_t count = o->input_count - 1;
    str folder = { 0 };

    if (o->packages.in)
        return command_fail(EXIT_USAGE, "--in is not an option of packages install; --into is");
    if (count + o->packages.files.count == 0)
        return command_fail(EXIT_USAGE, "packages install: no package is named");

    const char **names = calloc(count + 1, sizeof *names);
    if (!names)
        return command_fail_memory();
    for (size_t i = 0; i < count; i++)
        names[i] = o->inputs[i + 1].text;
    const int status = packages_install(&folder, o, names, count);
    if (!status)
        term_printf(stdout, "%s\n", folder.data);
    free(names);
    str_free(&folder);
    return status;
}

/* ---- list ---- */

/* The length of what is before an installer's ending; 0: the name has none. */
static size_t info_len(const char *name)
{
    const char *dot = strrchr(name, '.');

    if (!dot || (strcmp(dot, ".dist-info") != 0 && strcmp(dot, ".egg-info") != 0))
        return 0;
    return (size_t)(dot - name);
}

static int is_info(const struct dirent *entry)
{
    return info_len(entry->d_name) > 0;
}

/* Of "NAME-VERSION.dist-info" and "NAME-VERSION-py3.11.egg-info", changed. */
static const char *split_info(char *info)
{
    info[info_len(info)] = '\0';
    utf8_mend(info, strlen(info));
    char *version = strchr(info, '-');
    if (!version)
        return "";
    *version++ = '\0';
    version[strcspn(version, "-")] = '\0';
    return version;
}

static int print_json(struct dirent **entries, int count, char *folder)
{
    cJSON *root = cJSON_CreateObject();

    utf8_mend(folder, strlen(folder));
    int failed = json_add_text(root, "schema", "snug.packages/1");
    failed |= json_add_text(root, "folder", folder);
    cJSON *list = json_add_array(root, "packages");
    for (int i = 0; i < count; i++) {
        const char *version = split_info(entries[i]->d_name);
        cJSON *item = json_add_object(list, NULL);
        failed |= json_add_text(item, "name", entries[i]->d_name);
        failed |= json_add_text(item, "version", version);
    }

    char *text = failed ? NULL : json_text(root);
    cJSON_Delete(root);
    if (!text)
        return command_fail_memory();
    term_printf(stdout, "%s\n", text);
    free(text);
    return EXIT_FINE;
}

static void print_lines(struct dirent **entries, int count)
{
    for (int i = 0; i < count; i++) {
        const char *version = split_info(entries[i]->d_name);
        term_printf(stdout, "%s%s%s\n", entries[i]->d_name, *version ? " " : "", version);
    }
}

/* The system's folder that sessions can import from, by the report of the host. */
static int find_system_folder(char **out, const options *o)
{
    snug_host *host;
    int status = command_open_host(&host, o, NULL);
    if (status)
        return status;

    *out = packages_folder(o, snug_host_report(host));
    if (!*out)
        status = command_fail(EXIT_USAGE, "this Python has no folder of packages; --in names one");
    snug_host_close(host);
    return status;
}

static int list_packages(const options *o)
{
    struct dirent **entries = NULL;
    char *folder = o->packages.in ? strdup(o->packages.in) : NULL;
    int status = EXIT_FINE;

    if (o->input_count > 1)
        status = command_fail(EXIT_USAGE, "packages list takes no argument, but \"%s\" was given",
                              o->inputs[1].text);
    else if (!folder)
        status = find_system_folder(&folder, o);

    const int count = status ? 0 : scandir(folder, &entries, is_info, alphasort);
    if (count < 0)
        status = command_fail(EXIT_USAGE, "%s: %s", folder, strerror(errno));
    else if (!status && o->is_json)
        status = print_json(entries, count, folder);
    else if (!status)
        print_lines(entries, count);

    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    free(folder);
    return status;
}

/* ---- the command ---- */

static const struct {
    const char *name;
    int (*run)(const options *o);
} verbs[] = { { "install", install_packages }, { "list", list_packages } };
enum { VERBS = sizeof verbs / sizeof verbs[0] };

int command_packages(const options *o)
{
    const char *names[VERBS];
    const char *given = o->input_count > 0 ? o->inputs[0].text : "";

    for (size_t i = 0; i < VERBS; i++) {
        if (!strcmp(verbs[i].name, given))
            return verbs[i].run(o);
        names[i] = verbs[i].name;
    }

    const char *near = nearest_name(given, names, VERBS);
    if (near)
        return command_fail(EXIT_USAGE, "packages: \"%s\" is not install or list; did you mean %s",
                            given, near);
    return command_fail(EXIT_USAGE, "packages: \"%s\" is not install or list", given);
}
