#include "cli/program/options.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/shellword.h"
#include "base/str.h"
#include "cli/program/command.h"
#include "cli/program/fixed_options.h"
#include "cli/program/key_names.h"
#include "cli/program/option_table.h"
#include "cli/program/option_value.h"
#include "cli/program/quantity.h"
#include "cli/program/removed.h"
#include "cli/program/settings.h"

/* ---- rules of tools ---- */

static const struct {
    const char *word;
    snug_tool_decision decision;
    int only_read_only;
} decisions[] = {
    { "allow", SNUG_TOOL_DECISION_ALLOW, 0 },
    { "allow-reads", SNUG_TOOL_DECISION_ALLOW, 1 },
    { "ask", SNUG_TOOL_DECISION_ASK, 0 },
    { "deny", SNUG_TOOL_DECISION_DENY, 0 },
};

static int read_rule(snug_tool_rule *out, const char *text)
{
    const char *word = strrchr(text, '=');

    if (!word || word == text)
        return command_fail(EXIT_USAGE, "--tool-rule %s is not PATTERN=DECISION", text);
    for (size_t i = 0; i < sizeof decisions / sizeof *decisions; i++) {
        if (strcmp(decisions[i].word, word + 1) != 0)
            continue;
        out->pattern = strndup(text, (size_t)(word - text));
        out->decision = decisions[i].decision;
        out->only_read_only = decisions[i].only_read_only;
        return out->pattern ? EXIT_FINE : command_fail_memory();
    }
    return command_fail(
        EXIT_USAGE, "--tool-rule %s: there are allow, allow-reads, ask and deny, and not \"%s\"",
        text, word + 1);
}

static void tool_rules_forget(options *o)
{
    for (size_t i = 0; i < o->rule_count; i++)
        free((void *)(uintptr_t)o->rules[i].pattern);
    free(o->rules);
    o->rules = NULL;
    o->rule_count = 0;
    o->session.tool_rules = NULL;
    o->session.tool_rule_count = 0;
}

/* Reads those of the options into o->session, in their order. EXIT_FINE, or EXIT_USAGE after one
 * sentence. */
static int tool_rules_read(options *o)
{
    const size_t count = o->tool_rules.count;
    int status = EXIT_FINE;

    tool_rules_forget(o);
    if (count == 0)
        return EXIT_FINE;
    o->rules = calloc(count, sizeof *o->rules);
    if (!o->rules)
        return command_fail_memory();
    for (size_t i = 0; i < count && !status; i++) {
        status = read_rule(&o->rules[i], o->tool_rules.items[i]);
        o->rule_count = i + 1;
    }
    o->session.tool_rules = o->rules;
    o->session.tool_rule_count = o->rule_count;
    return status;
}

/* ---- containers ---- */

/* Behind it stand --user, the volumes and the image. */
static const char run[] = " run -i --rm --init --network none --cap-drop ALL"
                          " --security-opt no-new-privileges --pids-limit 512 --read-only"
                          " --tmpfs /tmp";

/* Podman takes the same arguments. */
static const char *const engines[] = { "docker", "podman" };

static int is_in_folder(const char *folder, size_t len, const char *name)
{
    char path[PATH_MAX];
    int written = snprintf(path, sizeof path, "%.*s/%s", (int)len, folder, name);
    return written > 0 && (size_t)written < sizeof path && access(path, X_OK) == 0;
}

static int is_on_path(const char *name)
{
    const char *folder = getenv("PATH");

    while (folder && *folder) {
        size_t len = strcspn(folder, ":");
        if (is_in_folder(folder, len, name))
            return 1;
        folder += len + (folder[len] == ':');
    }
    return 0;
}

static const char *find_engine(void)
{
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        if (is_on_path(engines[i]))
            return engines[i];
    return NULL;
}

/* The absolute path, also of a folder that is yet to be made. 0, or -1. */
static int find_path(char *out, const char *path)
{
    char folder[PATH_MAX / 2];
    if (realpath(path, out))
        return 0;

    int is_relative = *path != '/';
    if (is_relative && !getcwd(folder, sizeof folder))
        return -1;
    int written =
        snprintf(out, PATH_MAX, "%s%s%s", is_relative ? folder : "", is_relative ? "/" : "", path);
    return written > 0 && written < PATH_MAX ? 0 : -1;
}

/* A file or folder, which has the same name in the container. */
static int add_volume(str *out, const char *path, int is_writable)
{
    char real[PATH_MAX];
    str volume = { 0 };

    if (find_path(real, path))
        return command_fail(EXIT_USAGE, "--docker: the path is too long: %s", path);
    if (strchr(real, ':'))
        return command_fail(EXIT_USAGE,
                            "--docker: a path with a colon cannot be in a container: %s", real);

    int failed = str_printf(&volume, "%s:%s:%s", real, real, is_writable ? "rw" : "ro") ||
                 str_add(out, " --volume ") ||
                 shellword_append(out, volume.data, strlen(volume.data));
    str_free(&volume);
    return failed ? command_fail_memory() : 0;
}

/* Names are found from the same folder as here. */
static int add_folder(str *out)
{
    char folder[PATH_MAX];
    if (!getcwd(folder, sizeof folder))
        return command_fail(EXIT_USAGE, "--docker: the current folder has no name");
    return str_add(out, " --workdir ") || shellword_append(out, folder, strlen(folder))
               ? command_fail_memory()
               : 0;
}

static int add_volumes(str *out, const options *o)
{
    if (o->workdir && add_volume(out, o->workdir, 1))
        return -1;
    return o->package_folder && add_volume(out, o->package_folder, 0) ? -1 : 0;
}

static int write_command(str *out, const char *engine, const options *o)
{
    if (str_add(out, engine) || str_add(out, run) ||
        str_printf(out, " --user %u:%u", (unsigned)getuid(), (unsigned)getgid()))
        return command_fail_memory();

    if (add_folder(out) || add_volumes(out, o))
        return -1;
    if (str_add(out, " ") || shellword_append(out, o->docker_image, strlen(o->docker_image)) ||
        str_add(out, " snug-worker"))
        return command_fail_memory();
    return 0;
}

/* Where an image is given: sets o->worker_command, which options_free() frees. EXIT_FINE, or
 * EXIT_USAGE after one sentence on stderr. */
static int docker_prepare(options *o)
{
    if (!o->docker_image)
        return EXIT_FINE;
    if (o->worker_command)
        return command_fail(EXIT_USAGE, "--docker and --worker-command exclude each other");
    if (o->isolation == AS_BASH)
        return command_fail(EXIT_USAGE, "--docker runs Python; bash has a sandbox of its own, "
                                        "--isolation bash without --docker");
    /* A worker makes the link of a mount when it opens the session, and is sealed by then: landlock
     * has no symbolic links. */
    if (o->mount_count > 0)
        return command_fail(EXIT_USAGE, "--docker has no --mount: give the folder as --workdir");
    if (!*o->docker_image || *o->docker_image == '-')
        return command_fail(EXIT_USAGE, "--docker: \"%s\" is not the name of an image",
                            o->docker_image);

    const char *engine = find_engine();
    if (!engine)
        return command_fail(EXIT_USAGE, "--docker: there is neither docker nor podman on PATH");

    str command = { 0 };
    if (write_command(&command, engine, o)) {
        str_free(&command);
        return EXIT_USAGE;
    }
    o->worker_command = o->docker_command = command.data;
    return EXIT_FINE;
}

static int is_option_of(const option_row *row, unsigned command)
{
    return (row->commands & command) != 0;
}

/* ---- arguments ---- */

static int fail_unknown_option(const char *name, unsigned command, const char *word, size_t len)
{
    const char *names[MOST_OPTIONS];
    size_t count = 0;

    for (size_t i = 0; i < option_count; i++)
        if (is_option_of(&option_rows[i], command) && option_rows[i].name)
            names[count++] = option_rows[i].name;

    char given[64];
    snprintf(given, sizeof given, "%.*s", (int)len, word);
    const char *near = nearest_typed(given, names, count);
    if (near)
        return command_fail(EXIT_USAGE, "%s: unknown option \"%s\"; did you mean %s?", name, given,
                            near);

    return command_fail(EXIT_USAGE, "%s: unknown option \"%s\"; %s --help lists all options", name,
                        given, name);
}

/* Sets an option, and keeps what was given for it. */
static int take_option(options *o, const option_row *row, const char *value)
{
    if (row->kind == KIND_SHORT) {
        value = row->with;
        row = option_find(row->stands_for, strlen(row->stands_for));
    }

    int status = option_set(o, row, value);
    if (status)
        return status;
    return option_append(&o->given[row - option_rows], row, value ? value : "true");
}

/* One option at argv[*at]; takes its value with it. */
static int parse_one(options *o, const char *name, unsigned command, int argc, char **argv, int *at)
{
    const char *word = argv[(*at)++];
    size_t len = strcspn(word, "=");
    const char *value = word[len] ? word + len + 1 : NULL;

    /* First, as the name may also abbreviate an option that is still there. */
    const char *advice = removed_advice(word, len);
    if (advice)
        return command_fail(EXIT_USAGE, "%s: option %.*s was removed; %s", name, (int)len, word,
                            advice);

    const option_row *row = option_find_of(word, len, command);
    if (!row)
        return fail_unknown_option(name, command, word, len);

    if (!is_option_of(row, command))
        return command_fail(EXIT_USAGE, "%s is not an option of %s", row->name, name);

    if (!row->value && value)
        return command_fail(EXIT_USAGE, "%s takes no value, but \"%s\" was given", row->name,
                            value);

    if (row->value && !value && *at < argc)
        value = argv[(*at)++];
    if (row->value && !value)
        return command_fail(EXIT_USAGE, "%s needs a value: %s", row->name, row->value);

    return take_option(o, row, value);
}

/* snug config takes the arguments of snug ask, and asks nothing. */
static int add_question(options *o, unsigned command, const char *text)
{
    if (command & FOR_CONFIG)
        return EXIT_FINE;
    return option_add_input(o, 0, text);
}

/* An argument that is not an option. */
static int add_argument(options *o, unsigned command, const char *text)
{
    static const char question[] = "question=";
    const option_row *row = option_find("--set", strlen("--set"));

    if ((command & FOR_QUESTIONS) && !strncmp(text, question, sizeof question - 1))
        return add_question(o, command, text + sizeof question - 1);
    if (is_option_of(row, command) && keys_is_override(text))
        return option_append(&o->overrides, row, text);
    return option_add_input(o, 0, text);
}

/* As python3 does it: what stands behind FILE.py is for the script. */
static int is_script(const options *o, unsigned command)
{
    if (!(command & FOR_RUN) || o->input_count != 1 || o->inputs[0].is_code || o->is_cells ||
        o->goes_on || o->is_json || o->export_path)
        return 0;
    const char *end = strrchr(o->inputs[0].text, '.');
    return end && !strcmp(end, ".py");
}

static int parse_all(options *o, const char *name, unsigned command, int argc, char **argv)
{
    int takes_options = 1, status = EXIT_FINE;

    for (int at = 0; at < argc && !status && !o->is_help;) {
        const char *word = argv[at];

        if (!takes_options) {
            status = option_add_input(o, 0, argv[at++]);
        } else if (!strcmp(word, "--")) {
            takes_options = 0;
            at++;
        } else if (word[0] == '-' && word[1]) {
            status = parse_one(o, name, command, argc, argv, &at);
        } else {
            status = add_argument(o, command, argv[at++]);
        }

        if (is_script(o, command)) {
            o->arguments = argv + at;
            o->argument_count = (size_t)(argc - at);
            break;
        }
    }

    return status;
}

/* ---- what follows from them ---- */

/* snug config check FILE looks at FILE in the place of the one in force. */
static int read_settings(options *o, unsigned command)
{
    if (!(command & FOR_ASK) || o->is_help)
        return EXIT_FINE;
    if ((command & FOR_CONFIG) && o->input_count > 1 && !strcmp(o->inputs[0].text, "check"))
        o->config_path = o->inputs[1].text;
    return settings_apply(&o->settings, o);
}

/* Found before any cell has run. */
static int check_export(const char *path)
{
    if (!path)
        return EXIT_FINE;

    const char *dot = strrchr(path, '.');
    if (dot && (!strcmp(dot, ".ipynb") || !strcmp(dot, ".py")))
        return EXIT_FINE;
    return command_fail(EXIT_USAGE, "--export \"%s\": expected a name that ends in .ipynb or .py",
                        path);
}

/* One of --allowlist and --profile; a path has a slash in it, as the library wants files. */
static int choose_imports(options *o)
{
    /* The one that was given as an option wins over the other in the configuration. */
    if (o->allowlist && o->profile) {
        int is_profile_given = options_given(o, "--profile") != NULL;
        int is_allowlist_given = options_given(o, "--allowlist") != NULL;
        if (is_profile_given == is_allowlist_given)
            return command_fail(EXIT_USAGE, "--allowlist and --profile exclude each other");
        if (is_profile_given)
            o->allowlist = NULL;
    }

    o->session.profile = o->profile;
    if (!o->allowlist)
        return EXIT_FINE;

    const char *folder = strchr(o->allowlist, '/') ? "" : "./";
    size_t size = strlen(folder) + strlen(o->allowlist) + 1;
    o->allowlist_path = malloc(size);
    if (!o->allowlist_path)
        return command_fail_memory();

    snprintf(o->allowlist_path, size, "%s%s", folder, o->allowlist);
    o->session.profile = o->allowlist_path;
    return EXIT_FINE;
}

static snug_kind kind_of_sessions(const options *o)
{
    switch ((isolation_choice)o->isolation) {
    case AS_BASH:
        return SNUG_KIND_BASH;
    case AS_FULL:
        return SNUG_KIND_FULL;
    case BY_COMMAND:
    case IN_PROCESS:
    case IN_WORKER:
        break;
    }
    return SNUG_KIND_RESTRICTED;
}

static int fail_disabled(const options *o)
{
    char place[600];
    settings_place(place, sizeof place, o->settings, "enabled");
    return command_fail(EXIT_USAGE,
                        "%s has enabled: false, so that nothing is asked; enabled=true in front of "
                        "the question goes before it",
                        place);
}

static int choose_isolation(options *o, unsigned command)
{
    if (o->is_data && options_given(o, "--isolation") && o->isolation != AS_FULL)
        return command_fail(EXIT_USAGE, "--data is a full session, and --isolation says another");
    if (o->is_data)
        o->isolation = AS_FULL;
    if (o->isolation == BY_COMMAND)
        o->isolation = command & FOR_STRANGERS ? IN_WORKER : IN_PROCESS;
    return EXIT_FINE;
}

static int finish_options(options *o, unsigned command)
{
    int status = choose_isolation(o, command);
    if (!status)
        status = choose_imports(o);
    if (status)
        return status;

    if (o->is_disabled && !o->is_help && !(command & FOR_CONFIG))
        return fail_disabled(o);

    if (o->is_unimproved && !options_given(o, "--max-attempts"))
        o->budget.attempts = 1;
    if (o->program_language == IN_BASH)
        o->isolation = AS_BASH;
    status = o->is_help ? EXIT_FINE : docker_prepare(o);
    if (status)
        return status;

    o->agent.request_fields = o->request_fields.items;
    o->agent.headers = o->headers.items;
    o->session.allow = o->allow.items;
    o->agent.style = (snug_agent_style)o->program_style;
    o->agent.forbid = o->forbid.items;
    o->session.workdir = o->workdir;
    o->session.kind = kind_of_sessions(o);
    o->session.packages = o->package_folder;
    o->session.mounts = o->mounts;
    o->session.mount_count = o->mount_count;
    status = tool_rules_read(o);
    if (!status && !o->is_help)
        status = fixed_options_read(o);
    return status ? status : check_export(o->export_path);
}

int options_parse(options *out, const char *name, unsigned command, int argc, char **argv)
{
    *out = (options){ .session = SNUG_SESSION_OPTIONS_INIT,
                      .limits = SNUG_LIMITS_INIT,
                      .agent = SNUG_AGENT_OPTIONS_INIT,
                      .budget = SNUG_AGENT_LIMITS_INIT };
    out->session.limits = &out->limits;
    out->agent.limits = &out->budget;
    out->given = calloc(option_count, sizeof *out->given);
    if (!out->given)
        return command_fail_memory();

    int status = parse_all(out, name, command, argc, argv);
    if (!status)
        status = read_settings(out, command);
    if (!status)
        status = finish_options(out, command);
    return status;
}

void options_free(options *o)
{
    for (size_t i = 0; i < o->mount_count; i++)
        free((void *)(uintptr_t)o->mounts[i].path);
    free(o->mounts);
    free(o->inputs);
    free(o->tools.items);
    free(o->data.items);
    free(o->checks.items);
    free(o->images.items);
    free(o->request_fields.items);
    free(o->headers.items);
    free(o->servers.items);
    tool_rules_forget(o);
    free(o->tool_rules.items);
    free(o->upstreams.items);
    free(o->upstream_files.items);
    free(o->fetch_hosts.items);
    free(o->fetch_secrets.items);
    free(o->allow.items);
    free(o->forbid.items);
    free(o->allowlist_path);
    free(o->docker_command);
    free(o->overrides.items);
    free(o->packages.files.items);
    free(o->mcp.origins.items);

    for (size_t i = 0; o->given && i < option_count; i++)
        free(o->given[i].items);
    free(o->given);
    settings_free(o->settings);
    *o = (options){ 0 };
}

const text_list *options_given(const options *o, const char *option)
{
    return options_given_row(o, option_find(option, strlen(option)));
}

const text_list *options_given_row(const options *o, const struct option_row *row)
{
    const text_list *given = o->given ? &o->given[row - option_rows] : NULL;
    return given && given->count > 0 ? given : NULL;
}

/* ---- help ---- */

static void print_limit(FILE *stream, const char *left, const snug_limit_description *limit)
{
    /* "DOLLARS" says it in front. */
    const char *unit = strcmp(limit->unit, "microdollars") == 0 ? "" : limit->unit;
    char amount[32];
    fprintf(stream, "  %-26s limit: %s (default %s)\n", left, limit->about,
            quantity_text(amount, sizeof amount, limit->default_value, unit));
}

/* Of a question not those that are listed elsewhere: of sessions by snug help run, limits by snug
 * doctor. */
static int is_listed(const option_row *row, unsigned command, int only_common)
{
    const int is_of_sessions =
        (row->commands & FOR_RUN) && (row->commands & FOR_CELLS) && !(row->commands & FOR_DOCTOR);

    if (!row->name || !is_option_of(row, command) || (!row->about && !option_limit(row)))
        return 0;
    if (row->is_common || only_common || !(command & FOR_ASK))
        return row->is_common || !only_common;
    return !is_of_sessions && row->kind != KIND_BUDGET;
}

void options_print(FILE *stream, unsigned command, int only_common)
{
    for (size_t i = 0; i < option_count; i++) {
        const option_row *row = &option_rows[i];
        const snug_limit_description *limit = option_limit(row);
        if (!is_listed(row, command, only_common))
            continue;

        char left[64];
        if (row->value)
            snprintf(left, sizeof left, "%s %s", row->name, row->value);
        else
            snprintf(left, sizeof left, "%s", row->name);
        if (row->about)
            fprintf(stream, "  %-26s %s\n", left, row->about);
        else
            print_limit(stream, left, limit);
    }
}

/* ---- bash ---- */

int options_may_be_bash(const options *o)
{
    return o->session.kind != SNUG_KIND_BASH && o->program_language == BY_QUESTION &&
           !o->worker_command;
}

options options_in_bash(const options *o)
{
    options how = *o;

    how.isolation = AS_BASH;
    how.session.kind = SNUG_KIND_BASH;
    return how;
}
