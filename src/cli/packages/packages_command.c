/* snug packages: folders of packages for sessions, filled by pip outside of any. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "cli/packages/installed.h"
#include "cli/packages/pip.h"
#include "cli/packages/staging.h"
#include "cli/packages/usual.h"
#include "cli/program/command.h"
#include "cli/program/quantity.h"
#include "cli/terminal/term.h"
#include "wire/json.h"

static void print_plain(const char *text)
{
    term_put(stdout, text, strlen(text));
}

/* ---- install: what is shown and asked ---- */

static void print_package(const pip_package *item, const package *old)
{
    char amount[32];

    term_printf(stdout, "  %s %s", item->name, item->version);
    if (item->bytes)
        term_printf(stdout, ", %s", quantity_text(amount, sizeof amount, item->bytes, "bytes"));
    fputs(", from ", stdout);
    print_plain(item->source);
    if (item->is_source)
        fputs(", built here", stdout);
    if (old && strcmp(old->version, item->version) != 0)
        term_printf(stdout, ", replaces %s", old->version);
    puts(item->is_wanted ? "" : ", needed by another");
}

static int print_plan(const pip_plan *plan, const staging *s)
{
    installed there = { 0 };
    if (s->is_filled && installed_read(&there, s->folder.data))
        return command_fail_host();

    printf("%zu package%s for Python %s into ", plan->count, plan->count == 1 ? "" : "s",
           SNUG_PYTHON_NUMBER);
    print_plain(s->folder.data);
    puts(":");
    for (size_t i = 0; i < plan->count; i++)
        print_package(&plan->items[i], installed_find(&there, plan->items[i].name));
    fflush(stdout);
    installed_free(&there);
    return EXIT_FINE;
}

/* The first byte of a line of stdin; 0: its end, or a signal that asks to end. */
static char read_first_letter(signals *s)
{
    char first = 0, c = 0;
    struct pollfd waited[] = { { STDIN_FILENO, POLLIN, 0 }, { signals_fd(s), POLLIN, 0 } };

    while (!signals_taken(s)) {
        if (poll(waited, 2, -1) < 0 && errno != EINTR)
            return 0;
        while (signals_next(s))
            ;
        if (!waited[0].revents)
            continue;
        if (read(STDIN_FILENO, &c, 1) != 1 || c == '\n')
            return first;
        first = first ? first : c;
    }

    return 0;
}

static int ask_to_install(signals *s)
{
    fputs("Install? [y/N] ", stdout);
    fflush(stdout);

    char answer = read_first_letter(s);
    int taken = signals_taken(s);
    if (taken) {
        putchar('\n');
        return 128 + taken;
    }

    if (answer != 'y' && answer != 'Y')
        return command_fail(EXIT_FAILED, "nothing was installed");
    return EXIT_FINE;
}

/* ---- install: its steps ---- */

/* What is known of the packages that would be there. */
static int audit_folder(const options *o, const pip *p, const staging *s)
{
    char *program = pip_find_audit();
    size_t found = 0;

    if (!program) {
        command_fail(EXIT_FINE, "pip-audit is not on PATH: known vulnerabilities are not looked "
                                "for");
        return EXIT_FINE;
    }

    int status = pip_audit(&found, p, program, s->whole.data);
    free(program);
    if (status == EXIT_FAILED && !o->packages.is_strict)
        return EXIT_FINE;
    if (status)
        return status;

    printf("pip-audit: %zu known %s\n", found, found == 1 ? "vulnerability" : "vulnerabilities");
    if (found > 0 && o->packages.is_strict)
        return command_fail(EXIT_FAILED,
                            "nothing was installed, for pip-audit has found something");
    return EXIT_FINE;
}

static int fill_folder(const options *o, const pip *p, staging *s, const pip_plan *plan)
{
    int status = pip_install(p, plan, s->fresh.data);

    if (!status)
        status = staging_merge(s, SNUG_PYTHON_NUMBER);
    if (!status)
        status = audit_folder(o, p, s);
    if (!status && signals_taken(p->signals))
        status = 128 + signals_taken(p->signals);
    if (!status)
        status = staging_commit(s);
    if (status)
        return status;

    printf("%zu package%s installed into ", plan->count, plan->count == 1 ? "" : "s");
    print_plain(s->folder.data);
    putchar('\n');
    return EXIT_FINE;
}

static int plan_and_fill(const options *o, const pip *p, staging *s, const requirements *wanted)
{
    pip_plan plan;
    int status = pip_make_plan(&plan, p, wanted);
    if (status)
        goto done;

    if (plan.count == 0) {
        puts("There is nothing to install.");
        goto done;
    }

    status = print_plan(&plan, s);
    if (!status && !o->packages.is_agreed)
        status = ask_to_install(p->signals);
    if (!status)
        status = fill_folder(o, p, s, &plan);

done:
    pip_plan_free(&plan);
    return status;
}

static int install_wanted(const options *o, const requirements *wanted, const char *wheels)
{
    signals s;
    staging stage = { .lock_fd = -1 };
    int status;

    if (signals_start(&s))
        status = command_fail_host();
    else
        status = staging_open(&stage, o->packages.into, SNUG_PYTHON_NUMBER);

    const pip p = { .signals = &s,
                    .folder = str_text(&stage.scratch),
                    .wheels = wheels,
                    .builds = o->packages.builds,
                    .requires_hashes = o->packages.requires_hashes,
                    .is_verbose = o->is_verbose };
    if (!status)
        status = plan_and_fill(o, &p, &stage, wanted);
    staging_close(&stage);
    signals_stop(&s);
    return status;
}

static int read_wanted(requirements *wanted, const options *o)
{
    int status = EXIT_FINE;

    for (size_t i = 1; i < o->input_count && !status; i++)
        status = requirements_add(wanted, o->inputs[i].text);
    for (size_t i = 0; i < o->packages.files.count && !status; i++)
        status = requirements_add_file(wanted, o->packages.files.items[i]);
    if (!status && wanted->count == 0)
        status = command_fail(EXIT_USAGE, "packages install: no package is named");
    return status;
}

/* All that can be said before anything is done. */
static int check_install(const options *o)
{
    if (!o->packages.into)
        return command_fail(EXIT_USAGE, "packages install: --into DIR is missing");
    if (o->packages.in)
        return command_fail(EXIT_USAGE, "--in is not an option of packages install; --into is");
    if (!o->packages.is_agreed && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
        return command_fail(EXIT_USAGE, "packages install: there is no terminal to ask on; "
                                        "--yes installs without asking");

    char *program = o->packages.is_strict ? pip_find_audit() : NULL;
    free(program);
    if (o->packages.is_strict && !program)
        return command_fail(EXIT_USAGE, "--strict-audit needs pip-audit, which is not on PATH");
    return EXIT_FINE;
}

/* *out: the folder of --wheels as an absolute path; NULL where there is none. */
static int find_wheels(char **out, const options *o)
{
    const char *given = o->packages.wheels;
    struct stat facts;

    *out = NULL;
    if (!given)
        return EXIT_FINE;

    *out = realpath(given, NULL);
    if (!*out || stat(*out, &facts))
        return command_fail(EXIT_USAGE, "--wheels %s: %s", given, strerror(errno));
    if (!S_ISDIR(facts.st_mode))
        return command_fail(EXIT_USAGE, "--wheels %s: it is not a folder", given);
    return EXIT_FINE;
}

static int install_packages(const options *o)
{
    requirements wanted = { 0 };
    char *wheels = NULL;
    int status = check_install(o);

    if (!status)
        status = find_wheels(&wheels, o);
    if (!status)
        status = read_wanted(&wanted, o);
    if (!status)
        status = install_wanted(o, &wanted, wheels);
    requirements_free(&wanted);
    free(wheels);
    return status;
}

/* ---- list ---- */

static void list_text(const installed *there)
{
    for (size_t i = 0; i < there->count; i++) {
        const package *p = &there->items[i];

        term_printf(stdout, "%s", p->name);
        if (*p->version)
            term_printf(stdout, " %s", p->version);
        fputs(p->has_extensions ? "  (C extensions: --full)" : "  (Python only: --allow)", stdout);
        for (size_t j = 0; j < p->import_count; j++)
            term_printf(stdout, "%s%s", j ? ", " : "  import ", p->imports[j]);
        putchar('\n');
    }
}

static int add_package_json(cJSON *list, const package *p)
{
    cJSON *item = json_add_object(list, NULL);
    if (!item || json_add_text(item, "name", p->name) || json_add_text(item, "version", p->version))
        return SNUG_ENOMEM;

    cJSON *imports = json_add_array(item, "imports");
    for (size_t i = 0; imports && i < p->import_count; i++)
        if (json_add_text(imports, NULL, p->imports[i]))
            return SNUG_ENOMEM;
    return !imports || json_add_bool(item, "has_extensions", p->has_extensions);
}

static int list_json(const installed *there, const char *folder)
{
    cJSON *root = cJSON_CreateObject();
    char *path = strdup(folder);

    if (path)
        utf8_mend(path, strlen(path));

    int failed = json_add_text(root, "schema", "snug.packages/1");
    failed |= json_add_text(root, "folder", path);
    cJSON *list = json_add_array(root, "packages");
    failed |= !list;
    for (size_t i = 0; !failed && i < there->count; i++)
        failed = add_package_json(list, &there->items[i]);

    char *text = failed ? NULL : json_text(root);
    cJSON_Delete(root);
    free(path);
    if (!text)
        return command_fail_memory();

    term_printf(stdout, "%s\n", text);
    free(text);
    return EXIT_FINE;
}

/* The system's folder that sessions can import from, by the report of the host. */
static int find_system_folder(str *out, const options *o)
{
    snug_host *host;
    int status = command_open_host(&host, o, NULL);
    if (status)
        return status;

    char *folder = usual_folder(o, snug_host_report(host));
    if (!folder)
        status = command_fail(EXIT_USAGE, "this Python has no folder of packages; --in names one");
    else if (str_add(out, folder))
        status = command_fail_memory();

    free(folder);
    snug_host_close(host);
    return status;
}

static int list_packages(const options *o)
{
    str folder = { 0 };
    installed there = { 0 };
    int status = EXIT_FINE;

    if (o->input_count > 1)
        return command_fail(EXIT_USAGE, "packages list takes no argument, but \"%s\" was given",
                            o->inputs[1].text);

    if (!o->packages.in)
        status = find_system_folder(&folder, o);
    else if (str_add(&folder, o->packages.in))
        status = command_fail_memory();

    if (!status && installed_read(&there, folder.data))
        status = command_fail(EXIT_USAGE, "%s", error_message());
    if (!status && o->is_json)
        status = list_json(&there, folder.data);
    else if (!status)
        list_text(&there);

    installed_free(&there);
    str_free(&folder);
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
