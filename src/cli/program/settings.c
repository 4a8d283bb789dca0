#include "cli/program/settings.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/str.h"
#include "cli/program/command.h"
#include "cli/program/key_names.h"
#include "cli/program/presets.h"

typedef enum key_kind {
    KEY_VALUE, /* the option takes it */
    KEY_LIST,  /* each of it */
    KEY_PAIRS, /* the same, NAME=VALUE, or a mapping of names and values */
    KEY_YES,   /* true: as if the option, a flag, were given */
    KEY_NO,    /* false: the same */
    KEY_ONLY   /* fallback is the only value; otherwise says why */
} key_kind;

typedef struct key_row {
    const char *name;
    key_kind kind;
    const char *option;
    const char *fallback;  /* NULL: the default of the option's limit, or none */
    const char *otherwise; /* of KEY_ONLY */
    const char *variable;  /* of the environment; NULL: none */
    const char *about;
} key_row;

static const key_row table[] = {
    { "enabled", KEY_NO, "--disabled", "true", NULL, NULL, "questions are answered by programs" },

    { "generation.model", KEY_VALUE, "--model", NULL, NULL, "SNUG_MODEL",
      "model that writes the code, provider:model" },
    { "generation.base_url", KEY_VALUE, "--base-url", NULL, NULL, NULL,
      "where the model is served" },
    { "generation.key_file", KEY_VALUE, "--key-file", NULL, NULL, NULL,
      "file whose first line is the key" },
    { "generation.fallback", KEY_VALUE, "--fallback-model", NULL, NULL, NULL,
      "model that is asked where another one is not available" },
    { "generation.request", KEY_PAIRS, "--request-field", NULL, NULL, NULL,
      "further fields of requests: NAME=VALUE, or a mapping of names and values" },
    { "generation.headers", KEY_LIST, "--header", NULL, NULL, NULL,
      "NAME: VALUE, further headers of requests; their values are not shown" },
    { "generation.temperature", KEY_VALUE, "--temperature", "0.7", NULL, NULL, "of the models" },
    { "generation.max_tokens", KEY_VALUE, "--reply-tokens", NULL, NULL, NULL,
      "that the model may write in one reply" },
    { "generation.longest_reply", KEY_VALUE, "--longest-reply-tokens", NULL, NULL, NULL,
      "tokens to which a reply that was cut is doubled" },
    { "generation.timeout", KEY_VALUE, "--request-timeout", NULL, NULL, NULL,
      "time of a request in all; without it what flows is never cut" },
    { "generation.connect_timeout", KEY_VALUE, "--connect-timeout", NULL, NULL, NULL,
      "time until a request is connected" },
    { "generation.first_token_timeout", KEY_VALUE, "--first-token-timeout", NULL, NULL, NULL,
      "time until the first token of an answer; 5 min in a local network" },
    { "generation.idle_timeout", KEY_VALUE, "--idle-timeout", NULL, NULL, NULL,
      "time between two pieces of an answer" },
    { "generation.retries", KEY_VALUE, "--retries", NULL, NULL, NULL,
      "of a request after 429, 5xx and broken connections" },
    { "generation.max_reply_size", KEY_VALUE, "--reply-size", NULL, NULL, NULL,
      "size of one reply as it travels" },
    { "generation.stream", KEY_NO, "--no-stream", "true", NULL, NULL,
      "replies come as they are written" },
    { "generation.mode", KEY_VALUE, "--mode", "solve", NULL, NULL, "solve, chain, act or plan" },
    { "generation.calling", KEY_VALUE, "--calling", "auto", NULL, NULL,
      "how the model hands over its code: auto, fence or tool" },
    { "generation.language", KEY_VALUE, "--language", "auto", NULL, NULL,
      "of the programs: python, bash or auto" },
    { "generation.style", KEY_VALUE, "--style", "plain", NULL, NULL,
      "plain, or documented: programs of functions with documentation and handled errors" },
    { "generation.prompts", KEY_VALUE, "--prompts", NULL, NULL, NULL,
      "folder whose NAME.txt takes the place of the prompt NAME" },

    { "execution.environment", KEY_VALUE, "--isolation", "local", NULL, NULL,
      "where sessions live: local, worker, full or bash" },
    { "execution.timeout", KEY_VALUE, "--timeout", NULL, NULL, NULL, "elapsed time of a cell" },
    { "execution.cpu_limit", KEY_VALUE, "--cpu", NULL, NULL, NULL, "processor time of a cell" },
    { "execution.memory_limit", KEY_VALUE, "--memory", NULL, NULL, NULL, "memory of the session" },
    { "execution.output_limit", KEY_VALUE, "--output", NULL, NULL, NULL,
      "kept of each stream of a cell" },
    { "execution.disk_limit", KEY_VALUE, "--disk", NULL, NULL, NULL,
      "sizes of the files that the session has made" },
    { "execution.threads", KEY_VALUE, "--threads", NULL, NULL, NULL,
      "threads that a cell may have besides its own" },
    { "execution.network", KEY_ONLY, NULL, "false", "is not in this version: cells have no network",
      NULL, "cells have none" },
    { "execution.max_retries", KEY_VALUE, "--reruns", "3", NULL, NULL,
      "runs again after a fault of the worker; the local form has none" },
    { "execution.local_fallback", KEY_YES, "--local-fallback", "false", NULL, NULL,
      "where no worker starts, sessions live in this process, with a message" },
    { "execution.worker_command", KEY_VALUE, "--worker-command", NULL, NULL, NULL,
      "starts a worker elsewhere" },
    { "execution.use_docker", KEY_YES, "--use-docker", "false", NULL, NULL,
      "in containers of the image snug-worker" },
    { "execution.use_jupyter", KEY_ONLY, NULL, "false",
      "is not in this version: snug keeps sessions itself, and execution.environment says where "
      "they live",
      NULL, "sessions are snug's own" },
    { "execution.docker_image", KEY_VALUE, "--docker", NULL, NULL, NULL,
      "in containers of this image" },
    { "execution.packages", KEY_VALUE, "--packages", NULL, NULL, NULL,
      "where packages are looked for; else the system's" },
    { "execution.install", KEY_VALUE, "--install", "no", NULL, NULL,
      "packages that a program wants: no, ask or yes" },
    { "execution.clock", KEY_VALUE, "--clock", NULL, NULL, NULL,
      "fixed, or the time at which the clock of cells begins" },
    { "execution.seed", KEY_VALUE, "--seed", NULL, NULL, NULL,
      "of all random numbers of cells, and of the order of sets" },
    { "execution.zone", KEY_VALUE, "--zone", NULL, NULL, NULL, "time zone of cells" },
    { "execution.work_dir", KEY_VALUE, "--workdir", NULL, NULL, NULL,
      "folder for the cells' files, kept; else a private one" },
    { "execution.profile", KEY_VALUE, "--profile", "core", NULL, NULL,
      "import allowlist that comes with snug" },
    { "execution.allowlist", KEY_VALUE, "--allowlist", NULL, NULL, NULL,
      "import allowlist from a file" },
    { "execution.allow", KEY_LIST, "--allow", NULL, NULL, NULL, "further modules" },
    { "execution.forbid", KEY_LIST, "--forbid", NULL, NULL, NULL,
      "names and /REGEX/ that no program may have" },
    { "execution.review", KEY_YES, "--review", "false", NULL, NULL,
      "a model reviews each program for harm before it runs" },
    { "execution.mounts", KEY_LIST, "--mount", NULL, NULL, NULL,
      "PATH:NAME, PATH:NAME:rw: files and folders under a name in the work directory" },
    { "execution.tools", KEY_LIST, "--tool", NULL, NULL, NULL,
      "NAME=COMMAND, functions that start a command" },
    { "execution.mcp", KEY_LIST, "--mcp", NULL, NULL, NULL,
      "commands of MCP servers whose tools become functions" },
    { "execution.tool_rules", KEY_LIST, "--tool-rule", NULL, NULL, NULL,
      "PATTERN=allow, allow-reads, ask or deny: which tools programs may call" },
    { "execution.approval_timeout", KEY_VALUE, "--approval-timeout", "4 h", NULL, NULL,
      "time for which a call that is asked about waits for an answer" },
    { "execution.journal", KEY_VALUE, "--journal", NULL, NULL, NULL,
      "file that calls of tools are appended to" },
    { "execution.replay", KEY_VALUE, "--replay", NULL, NULL, NULL,
      "journal that calls of tools are answered from" },
    { "execution.journal_size", KEY_VALUE, "--journal-size", "1GiB", NULL, NULL,
      "largest file of these two" },
    { "execution.upstreams", KEY_LIST, "--upstream", NULL, NULL, NULL,
      "NAME=COMMAND or NAME=URL, MCP servers whose tools are called as NAME.tool(...)" },
    { "execution.upstream_config", KEY_LIST, "--upstream-config", NULL, NULL, NULL,
      "files of other programs with mcpServers" },
    { "execution.fetch", KEY_LIST, "--fetch", NULL, NULL, NULL,
      "[http://]HOST[:PORT], servers that programs may ask by fetch(url)" },
    { "execution.fetch_methods", KEY_VALUE, "--fetch-methods", "GET,HEAD", NULL, NULL,
      "methods of fetch" },
    { "execution.fetch_secrets", KEY_LIST, "--fetch-secret", NULL, NULL, NULL,
      "NAME=HOST:VARIABLE, what {{NAME}} stands for in a request to HOST" },
    { "execution.fetch_size", KEY_VALUE, "--fetch-size", "4MiB", NULL, NULL,
      "largest reply of fetch" },
    { "execution.fetch_timeout", KEY_VALUE, "--fetch-timeout", "30 s", NULL, NULL,
      "time of a call of fetch" },
    { "execution.fetch_calls", KEY_VALUE, "--fetch-calls", "10,000", NULL, NULL,
      "calls of fetch by all sessions" },
    { "execution.tool_timeout", KEY_VALUE, "--tool-timeout", NULL, NULL, NULL,
      "time of a call of these" },
    { "execution.tool_calls", KEY_VALUE, "--tool-calls", NULL, NULL, NULL,
      "calls of host tools in a cell" },
    { "execution.ask_model", KEY_YES, "--ask-model", "false", NULL, NULL,
      "programs have ask_model(prompt, system=None), which asks a model" },
    { "execution.ask_model_with", KEY_VALUE, "--ask-model-with", NULL, NULL, NULL,
      "model that ask_model asks; else that of generation" },
    { "execution.model_calls", KEY_VALUE, "--most-model-calls", NULL, NULL, NULL,
      "of ask_model, by the programs of a question" },

    { "improvement.enabled", KEY_NO, "--no-improvement", "true", NULL, NULL,
      "a program that failed is repaired" },
    { "improvement.max_attempts", KEY_VALUE, "--max-attempts", NULL, NULL, NULL,
      "programs for a question, or for a step of a plan" },
    { "improvement.model", KEY_VALUE, "--repair-model", NULL, NULL, NULL,
      "model that repairs; else that of generation" },
    { "improvement.focus", KEY_VALUE, "--focus", "fix_errors", NULL, NULL,
      "fix_errors, optimize, robustness or style" },
    { "improvement.rollback", KEY_YES, "--rollback", "false", NULL, NULL,
      "a repair begins with the names as they were before the first attempt" },
    { "improvement.debug", KEY_YES, "-v", "false", NULL, NULL,
      "prompts, routes and budgets on stderr" },

    { "evaluation.enabled", KEY_NO, "--no-evaluation", "true", NULL, NULL,
      "a model judges what ran" },
    { "evaluation.model", KEY_VALUE, "--evaluation-model", NULL, NULL, NULL,
      "model that judges and words the answer; else that of generation" },
    { "evaluation.checks", KEY_LIST, "--check", NULL, NULL, NULL,
      "code that must run without an exception after the program; an expression must not be "
      "`False`" },
    { "evaluation.expect", KEY_VALUE, "--expect", NULL, NULL, NULL,
      "regular expression that what the program gave must match" },

    { "input.max_size", KEY_VALUE, "--input-size", "256 MiB", NULL, NULL,
      "of a file that is copied into a session, larger ones are mounted, and of stdin" },
    { "input.stdin_wait", KEY_VALUE, "--stdin-wait", "10 s", NULL, NULL,
      "time that piped data may say nothing" },
    { "input.automatic", KEY_NO, "--no-auto-input", "true", NULL, NULL,
      "files that a question names, and what is piped in, are data for it" },

    { "response.format", KEY_VALUE, "--format", "plain", NULL, NULL, "plain, markdown or json" },
    { "response.out", KEY_VALUE, "--out", NULL, NULL, NULL,
      "folder for files and figures of programs, or none; else a new one for the question" },
    { "response.out_files", KEY_VALUE, "--out-files", "1,000", NULL, NULL,
      "files that a question hands over" },
    { "response.out_size", KEY_VALUE, "--out-size", "256 MiB", NULL, NULL, "their sizes in all" },
    { "response.answer", KEY_VALUE, "--answer", "sentence", NULL, NULL,
      "sentence, or result: as the program gave it" },
    { "response.language", KEY_VALUE, "--answer-language", NULL, NULL, NULL,
      "of the answer; else that of the question" },
    { "response.include_messages", KEY_YES, "--messages", "false", NULL, NULL,
      "all messages between snug and the model, in JSON" },
    { "response.include_improvement_history", KEY_NO, "--no-history", "true", NULL, NULL,
      "a heading of the markdown report" },
    { "response.show_performance_metrics", KEY_NO, "--no-metrics", "true", NULL, NULL,
      "a heading of the markdown report" },
    { "response.show_debug_info", KEY_YES, "--debug-info", "false", NULL, NULL,
      "a heading of the markdown report: models, times, tokens" },

    { "limits.max_cost", KEY_VALUE, "--max-cost", NULL, NULL, NULL,
      "US dollars of a question, by the price table" },
    { "limits.prices", KEY_VALUE, "--prices", NULL, NULL, NULL,
      "JSON file with the price of each model's tokens" },
    { "limits.max_code_lines", KEY_VALUE, "--max-code-lines", NULL, NULL, NULL, "of a program" },
    { "limits.max_steps", KEY_VALUE, "--max-steps", NULL, NULL, NULL,
      "cells in act mode, steps of a plan" },
    { "limits.max_tokens", KEY_VALUE, "--max-tokens", NULL, NULL, NULL,
      "of all requests of a question, in and out" },
    { "limits.max_seconds", KEY_VALUE, "--max-seconds", NULL, NULL, NULL,
      "time of a question, cells included" },
    { "limits.max_question", KEY_VALUE, "--max-question", NULL, NULL, NULL, "size of a question" },

    { "memory.session", KEY_VALUE, "--session", NULL, NULL, NULL,
      "conversation that is kept under that name, or in a file where it has a slash" },
    { "memory.history_tokens", KEY_VALUE, "--history-tokens", NULL, NULL, NULL,
      "of the conversation in a prompt; what is older is summarised" },
    { "library.file", KEY_VALUE, "--library", NULL, NULL, NULL, "snippets and documents" },
    { "library.embedding_model", KEY_VALUE, "--embedding-model", NULL, NULL, NULL,
      "provider:model; else they are found by words only" },
    { "library.retrieved", KEY_VALUE, "--retrieved", NULL, NULL, NULL,
      "snippets and documents in a prompt" },
    { "library.command", KEY_VALUE, "--retrieve-command", NULL, NULL, NULL,
      "finds material elsewhere: the question on its stdin, JSON lines on its stdout" },
    { "library.command_timeout", KEY_VALUE, "--retrieve-timeout", NULL, NULL, NULL,
      "time of that command" },
    { "library.keep_snippets", KEY_YES, "--keep-snippets", "false", NULL, NULL,
      "programs that passed are put into it" },
    { "cache.enabled", KEY_YES, "--cache", "false", NULL, NULL,
      "replies of models are kept in the state folder, and used again" },
    { "cache.file", KEY_VALUE, "--cache-file", NULL, NULL, NULL, "the same in a file" },
    { "cache.max_size", KEY_VALUE, "--cache-size", NULL, NULL, NULL,
      "size of the cache; the oldest replies go" },
    { "cache.max_age", KEY_VALUE, "--cache-age", NULL, NULL, NULL,
      "time after which a reply in it is not used" },
    { "cache.results", KEY_YES, "--cache-results", "false", NULL, NULL, "results of programs too" },

    { "trace.file", KEY_VALUE, "--trace-file", NULL, NULL, NULL,
      "a line of OTLP in JSON for each question" },
    { "trace.url", KEY_VALUE, "--trace-url", NULL, NULL, "OTEL_EXPORTER_OTLP_ENDPOINT",
      "base of an OTLP/HTTP receiver" },
    { "trace.content", KEY_YES, "--trace-content", "false", NULL, NULL,
      "with questions, programs and answers" },
};
enum { KEYS = sizeof table / sizeof table[0], MOST_PRESETS = 32 };

struct settings {
    char *path; /* NULL: none */
    config_entries file, overrides;
};

/* ---- names ---- */

static const key_row *find_key_row(const char *name)
{
    for (size_t i = 0; i < KEYS; i++)
        if (!strcmp(table[i].name, name))
            return &table[i];
    return NULL;
}

const char *settings_key(size_t index)
{
    return index < KEYS ? table[index].name : NULL;
}

int settings_has_key(const char *name)
{
    return find_key_row(name) != NULL;
}

/* ---- values ---- */

static int read_bool(int *out, const char *text)
{
    static const struct {
        const char *word;
        int value;
    } words[] = { { "true", 1 }, { "false", 0 }, { "yes", 1 },
                  { "no", 0 },   { "on", 1 },    { "off", 0 } };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcasecmp(words[i].word, text)) {
            *out = words[i].value;
            return 1;
        }

    return 0;
}

static int set_flag(options *o, const key_row *row, const char *said, const char *text)
{
    int value;
    if (!read_bool(&value, text))
        return command_fail(EXIT_USAGE, "%s \"%s\": expected true or false", said, text);
    if (value != (row->kind == KEY_YES))
        return EXIT_FINE;
    return options_set(o, row->option, said, NULL);
}

static int check_only(const key_row *row, const char *said, const char *text)
{
    int value;
    if (row->fallback && read_bool(&value, text) && !value)
        return EXIT_FINE;
    return command_fail(EXIT_USAGE, "%s \"%s\": expected %s; another value %s", said, text,
                        row->fallback ? row->fallback : "null", row->otherwise);
}

static int set_value(options *o, const key_row *row, const char *said, const char *text)
{
    switch (row->kind) {
    case KEY_VALUE:
    case KEY_LIST:
    case KEY_PAIRS:
        return options_set(o, row->option, said, text);
    case KEY_YES:
    case KEY_NO:
        return set_flag(o, row, said, text);
    case KEY_ONLY:
        return check_only(row, said, text);
    }
    return EXIT_FINE;
}

static int takes_list(const key_row *row)
{
    return row->kind == KEY_LIST || row->kind == KEY_PAIRS;
}

static int set_entry(options *o, const key_row *row, const char *said, const config_entry *entry)
{
    int status = EXIT_FINE;

    if (entry->is_null)
        return EXIT_FINE;
    if (entry->is_mapping && row->kind != KEY_PAIRS)
        return command_fail(EXIT_USAGE, "%s is one value or a list, not a mapping", said);
    if (entry->is_list && !takes_list(row))
        return command_fail(EXIT_USAGE, "%s: expected one value, and a list of %zu was given", said,
                            entry->count);

    for (size_t i = 0; i < entry->count && !status; i++)
        status = set_value(o, row, said, entry->items[i]);
    return status;
}

/* ---- applying ---- */

/* What messages call a key: its place, where it has one, and its name. */
static void name_entry(char *out, size_t size, const char *file, const config_entry *entry)
{
    if (entry->line)
        snprintf(out, size, "%s, line %zu: %s", file, entry->line, entry->key);
    else
        snprintf(out, size, "%s", entry->key);
}

static const config_entry *last_entry(const config_entries *entries, const char *key)
{
    for (size_t i = entries->count; i > 0; i--)
        if (!strcmp(entries->items[i - 1].key, key))
            return &entries->items[i - 1];
    return NULL;
}

/* Of several overrides of a key the last one counts, also of a list. */
static int is_last_override(const settings *s, const config_entry *entry)
{
    const config_entry *override = last_entry(&s->overrides, entry->key);
    return !override || override == entry;
}

/* The row of an entry. EXIT_FINE with NULL: it is a section. */
static int find_row(const key_row **out, const char *said, const config_entry *entry)
{
    *out = find_key_row(entry->key);
    if (*out || (entry->is_null && keys_is_section(entry->key)))
        return EXIT_FINE;
    return keys_fail_unknown(said, entry->key);
}

int settings_try(options *o, const char *name, const config_entries *entries)
{
    int status = EXIT_FINE;

    for (size_t i = 0; i < entries->count && !status; i++) {
        const config_entry *entry = &entries->items[i];
        const key_row *row;
        char said[600];

        name_entry(said, sizeof said, name, entry);
        status = find_row(&row, said, entry);
        if (!status && row)
            status = set_entry(o, row, said, entry);
    }

    return status;
}

/* After settings_try: a value is looked at also where something else takes its place. */
static int apply_entries(options *o, const settings *s, const config_entries *entries)
{
    int status = EXIT_FINE;

    for (size_t i = 0; i < entries->count && !status; i++) {
        const config_entry *entry = &entries->items[i];
        const key_row *row = find_key_row(entry->key);
        const int is_given = row && row->option && options_given(o, row->option);
        if (row && !is_given && is_last_override(s, entry))
            status = set_entry(o, row, entry->key, entry);
    }

    return status;
}

static int add_override(settings *s, const char *text)
{
    size_t len = strcspn(text, "=");
    char key[128];

    if (len >= sizeof key)
        return command_fail(EXIT_USAGE, "--set \"%.60s...\": unknown key", text);
    snprintf(key, sizeof key, "%.*s", (int)len, text);
    if (configfile_parse_value(&s->overrides, keys_unwrap(key), text + len + 1))
        return command_fail(EXIT_USAGE, "%s", error_message());
    return EXIT_FINE;
}

/* In the configuration folder; empty: there is none. */
static int find_in_folder(str *out, const char *name)
{
    const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

    if (base && *base == '/')
        return str_printf(out, "%s/snug/%s.yaml", base, name);
    if (home && *home)
        return str_printf(out, "%s/.config/snug/%s.yaml", home, name);
    return SNUG_OK;
}

/* NULL: there is none, which is not an error. */
static char *existing_path(const char *name)
{
    str path = { 0 };

    if (find_in_folder(&path, name) || path.len == 0 || access(path.data, F_OK)) {
        str_free(&path);
        return NULL;
    }
    return str_take(&path);
}

static int parse_file(settings *s)
{
    str text = { 0 };
    int error = file_read(&text, s->path, CONFIG_FILE_BYTES);
    if (!error)
        error = configfile_parse(&s->file, s->path, str_text(&text), text.len);
    str_free(&text);
    if (error)
        return command_fail(EXIT_USAGE, "%s", error_message());
    return EXIT_FINE;
}

static int fail_unknown_preset(const char *name)
{
    const char *names[MOST_PRESETS];
    size_t count = 0;
    str list = { 0 };

    for (const preset *p = presets_built_in; p->name && count < MOST_PRESETS; p++) {
        str_printf(&list, "%s%s", count ? ", " : "", p->name);
        names[count++] = p->name;
    }

    const char *near = nearest_name(name, names, count);
    int status;
    if (near)
        status = command_fail(EXIT_USAGE,
                              "--config-name \"%s\": there is no such preset; did you mean %s?",
                              name, near);
    else
        status =
            command_fail(EXIT_USAGE,
                         "--config-name \"%s\": there is no such preset, nor a file of that name "
                         "in the configuration folder; presets are %s",
                         name, str_text(&list));
    str_free(&list);
    return status;
}

/* A file of the user's, else one that comes with snug. */
static int read_named(settings *s, const char *name)
{
    str said = { 0 };

    if (strchr(name, '/'))
        return command_fail(EXIT_USAGE,
                            "--config-name \"%s\": expected a name; --config takes a path", name);

    s->path = existing_path(name);
    if (s->path)
        return parse_file(s);

    const preset *p = presets_built_in;
    while (p->name && strcmp(p->name, name) != 0)
        p++;
    if (!p->name)
        return fail_unknown_preset(name);

    if (str_printf(&said, "the preset %s", name))
        return command_fail_memory();
    s->path = str_take(&said);
    if (configfile_parse(&s->file, s->path, p->text, strlen(p->text)))
        return command_fail(EXIT_USAGE, "%s", error_message());
    return EXIT_FINE;
}

static int read_config_file(settings *s, const options *o)
{
    if (o->config_name && o->config_path)
        return command_fail(EXIT_USAGE, "--config and --config-name exclude each other");
    if (o->config_name)
        return read_named(s, o->config_name);

    const char *named = o->config_path ? o->config_path : getenv("SNUG_CONFIG");
    if (named && !strcmp(named, "none"))
        return EXIT_FINE;

    if (named && *named) {
        s->path = strdup(named);
        if (!s->path)
            return command_fail_memory();
    } else {
        s->path = existing_path("config");
        if (!s->path)
            return EXIT_FINE;
    }

    return parse_file(s);
}

/* The variables of OpenTelemetry; that of traces alone is the whole address. */
static void take_trace_variables(options *o)
{
    const char *whole = getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
    const char *base = getenv("OTEL_EXPORTER_OTLP_ENDPOINT");

    if (o->agent.trace_url)
        return;

    if (whole && *whole) {
        o->agent.trace_url = whole;
        o->agent.has_whole_trace_url = 1;
    } else if (base && *base) {
        o->agent.trace_url = base;
    }
}

int settings_apply(settings **out, options *o)
{
    options trial = { 0 };
    settings *s = *out = calloc(1, sizeof *s);
    if (!s)
        return command_fail_memory();

    int status = read_config_file(s, o);
    for (size_t i = 0; i < o->overrides.count && !status; i++)
        status = add_override(s, o->overrides.items[i]);

    /* All of it is looked at first, on options that nobody uses. */
    if (!status)
        status = settings_try(&trial, s->path, &s->file);
    if (!status)
        status = settings_try(&trial, s->path, &s->overrides);
    if (!status)
        status = apply_entries(o, s, &s->file);
    if (!status)
        status = apply_entries(o, s, &s->overrides);
    if (!status)
        take_trace_variables(o);
    options_free(&trial);
    return status;
}

void settings_free(settings *s)
{
    if (!s)
        return;
    configfile_free(&s->file);
    configfile_free(&s->overrides);
    free(s->path);
    free(s);
}

/* ---- showing ---- */

const char *settings_file(const settings *s)
{
    return s->path;
}

void settings_place(char *out, size_t size, const settings *s, const char *key)
{
    const config_entry *entry = last_entry(&s->file, key);
    if (entry && !last_entry(&s->overrides, key))
        snprintf(out, size, "%s, line %zu,", s->path, entry->line);
    else
        snprintf(out, size, "the command line");
}

/* The variable that a key has its value from; NULL: none of them is set. */
static const char *variable_of(const key_row *row)
{
    static const char of_traces[] = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

    if (!row->variable)
        return NULL;
    if (!strcmp(row->name, "trace.url") && getenv(of_traces) && *getenv(of_traces))
        return of_traces;
    return getenv(row->variable) && *getenv(row->variable) ? row->variable : NULL;
}

static void take_entry(setting *out, const config_entry *entry, setting_source source)
{
    if (entry->is_null)
        return;
    out->source = source;
    out->line = entry->line;
    out->items = (const char *const *)entry->items;
    out->count = entry->count;
}

/* A flag that was given says yes to one key and no to another. */
static void take_given(setting *out, const key_row *row, const text_list *given)
{
    static const char *const yes[] = { "true" }, *const no[] = { "false" };

    out->source = FROM_OPTION;
    if (row->kind == KEY_YES || row->kind == KEY_NO) {
        out->items = row->kind == KEY_YES ? yes : no;
        out->count = 1;
        return;
    }

    out->items = given->items;
    out->count = given->count;
}

int settings_get(setting *out, char *buffer, size_t size, const settings *s, const options *o,
                 size_t index)
{
    if (index >= KEYS)
        return 0;

    const key_row *row = &table[index];
    *out = (setting){ .key = row->name,
                      .option = row->option,
                      .fallback = row->fallback,
                      .about = row->about,
                      .is_list = takes_list(row),
                      .is_secret = row->option && strcmp(row->option, "--header") == 0 };
    if (!out->fallback && row->option)
        out->fallback = options_default(buffer, size, row->option);

    const text_list *given = row->option ? options_given(o, row->option) : NULL;
    if (given) {
        take_given(out, row, given);
        return 1;
    }

    const config_entry *file = last_entry(&s->file, row->name);
    const config_entry *override = last_entry(&s->overrides, row->name);
    if (override) {
        take_entry(out, override, FROM_OVERRIDE);
    } else if (file) {
        take_entry(out, file, FROM_FILE);
        out->place = s->path;
    }

    if (out->source == FROM_DEFAULT) {
        out->place = variable_of(row);
        if (out->place)
            out->source = FROM_VARIABLE;
    }

    return 1;
}
