#include "cli/program/options.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/program/command.h"
#include "cli/program/quantity.h"
#include "cli/program/settings.h"

typedef enum kind {
    KIND_FLAG,   /* int */
    KIND_TEXT,   /* const char * */
    KIND_LIMIT,  /* uint64_t, in the unit that snug_limit_info says */
    KIND_BUDGET, /* the same, of snug_agent_limit_info */
    KIND_NUMBER, /* double, from 0 to 2 */
    KIND_CHOICE, /* int, one of choices */
    KIND_ALLOW,
    KIND_MOUNT,
    KIND_TOOL,  /* text_list of NAME=VALUE */
    KIND_LIST,  /* text_list */
    KIND_TIME,  /* uint64_t, in ms */
    KIND_COUNT, /* uint64_t */
    KIND_CODE
} kind;

typedef struct choice {
    const char *word;
    int value;
} choice;

typedef struct option_row {
    const char *name;  /* for limits as in snug_limit_info */
    const char *value; /* what help calls its value; NULL: it takes none */
    kind kind;
    unsigned commands;
    size_t field; /* in options */
    const choice *choices;
    const char *about; /* NULL: the limit's own */
    uint64_t least;    /* of a limit, as the library has it */
} option_row;

static const choice colors[] = {
    { "auto", TERM_AUTO }, { "always", TERM_ALWAYS }, { "never", TERM_NEVER }, { NULL, 0 }
};
static const choice isolations[] = { { "local", IN_PROCESS },
                                     { "worker", IN_WORKER },
                                     { "full", AS_FULL },
                                     { "bash", AS_BASH },
                                     { NULL, 0 } };

static const choice modes[] = { { "solve", SNUG_AGENT_MODE_SOLVE },
                                { "chain", SNUG_AGENT_MODE_CHAIN },
                                { "act", SNUG_AGENT_MODE_ACT },
                                { "plan", SNUG_AGENT_MODE_PLAN },
                                { NULL, 0 } };
static const choice focuses[] = { { "fix_errors", SNUG_AGENT_FOCUS_FIX_ERRORS },
                                  { "optimize", SNUG_AGENT_FOCUS_OPTIMIZE },
                                  { "robustness", SNUG_AGENT_FOCUS_ROBUSTNESS },
                                  { NULL, 0 } };
static const choice callings[] = { { "auto", SNUG_AGENT_CALLING_AUTO },
                                   { "fence", SNUG_AGENT_CALLING_FENCE },
                                   { "tool", SNUG_AGENT_CALLING_TOOL },
                                   { NULL, 0 } };
static const choice answers[] = { { "sentence", SNUG_AGENT_ANSWER_SENTENCE },
                                  { "result", SNUG_AGENT_ANSWER_RESULT },
                                  { NULL, 0 } };
static const choice languages[] = {
    { "auto", BY_QUESTION }, { "python", IN_PYTHON }, { "bash", IN_BASH }, { NULL, 0 }
};
static const choice formats[] = { { "plain", SNUG_REPLY_PLAIN },
                                  { "markdown", SNUG_REPLY_MARKDOWN },
                                  { "json", SNUG_REPLY_JSON },
                                  { NULL, 0 } };

#define LIMIT(field)       offsetof(options, limits.field)
#define AGENT(field)       offsetof(options, agent.field)
#define BUDGET(field)      offsetof(options, budget.field)
#define OF_PACKAGES(field) offsetof(options, packages.field)

static const option_row table[] = {
    { "-c", "CODE", KIND_CODE, FOR_RUN | FOR_CHECK, 0, NULL, "a cell given here" },
    { "--timeout", "TIME", KIND_LIMIT, FOR_SESSIONS | FOR_CHECK, LIMIT(wall_ms), NULL, NULL },
    { "--cpu", "TIME", KIND_LIMIT, FOR_SESSIONS, LIMIT(cpu_ms), NULL, NULL },
    { "--memory", "SIZE", KIND_LIMIT, FOR_SESSIONS, LIMIT(memory_bytes), NULL, NULL, 16 << 20 },
    { "--output", "SIZE", KIND_LIMIT, FOR_SESSIONS, LIMIT(output_bytes), NULL, NULL },
    { "--value", "SIZE", KIND_LIMIT, FOR_SESSIONS, LIMIT(value_bytes), NULL, NULL },
    { "--displays", "SIZE", KIND_LIMIT, FOR_SESSIONS, LIMIT(display_bytes), NULL, NULL },
    { "--lists", "SIZE", KIND_LIMIT, FOR_SESSIONS, LIMIT(list_bytes), NULL, NULL },
    { "--disk", "SIZE", KIND_LIMIT, FOR_SESSIONS, LIMIT(disk_bytes), NULL, NULL },
    { "--disk-files", "N", KIND_LIMIT, FOR_SESSIONS, LIMIT(disk_files), NULL, NULL },
    { "--source", "SIZE", KIND_LIMIT, FOR_SESSIONS | FOR_CHECK, LIMIT(source_bytes), NULL, NULL },
    { "--threads", "NUMBER", KIND_LIMIT, FOR_SESSIONS, LIMIT(threads), NULL, NULL },
    { "--tool-calls", "NUMBER", KIND_LIMIT, FOR_SESSIONS, LIMIT(tool_calls), NULL, NULL },
    { "--workdir", "DIR", KIND_TEXT, FOR_SESSIONS, offsetof(options, workdir), NULL,
      "directory for the cells' files, kept; else a private one" },
    { "--mount", "PATH:NAME[:ro|rw]", KIND_MOUNT, FOR_SESSIONS, offsetof(options, mounts), NULL,
      "file or folder under a name in the work directory (default ro); may be repeated" },
    { "--tool", "NAME=COMMAND", KIND_TOOL, FOR_SESSIONS, offsetof(options, tools), NULL,
      "function that starts COMMAND: JSON on its stdin and stdout; may be repeated" },
    { "--mcp", "COMMAND", KIND_LIST, FOR_SESSIONS, offsetof(options, servers), NULL,
      "MCP server whose tools become functions; may be repeated" },
    { "--tool-timeout", "TIME", KIND_TIME, FOR_SESSIONS, offsetof(options, tool_timeout_ms), NULL,
      "time of a call of these (default none: that of its cell)" },
    { "--allow", "MODULE", KIND_ALLOW, FOR_SESSIONS | FOR_CHECK, offsetof(options, allow), NULL,
      "allow a further module; may be repeated" },
    { "--allowlist", "FILE", KIND_TEXT, FOR_SESSIONS | FOR_CHECK, offsetof(options, allowlist),
      NULL, "import allowlist from a file" },
    { "--profile", "NAME", KIND_TEXT, FOR_SESSIONS | FOR_CHECK, offsetof(options, profile), NULL,
      "import allowlist that comes with snug (default core)" },
    { "--isolation", "local|worker|full|bash", KIND_CHOICE, FOR_SESSIONS,
      offsetof(options, isolation), isolations,
      "where sessions live: in this process (the default), or in one of their own" },
    { "--full", NULL, KIND_FLAG, FOR_SESSIONS, offsetof(options, is_full), NULL,
      "packages with C extensions too, in a process of the session's own: --isolation full" },
    { "--packages", "DIR", KIND_TEXT, FOR_SESSIONS, offsetof(options, package_folder), NULL,
      "where packages are looked for, as snug packages fills it; else the system's" },
    { "--worker-command", "CMD", KIND_TEXT, FOR_SESSIONS, offsetof(options, worker_command), NULL,
      "starts a worker elsewhere: a snug-worker behind its standard input and output" },
    { "--local-fallback", NULL, KIND_FLAG, FOR_SESSIONS, offsetof(options, falls_back), NULL,
      "where no worker starts, sessions live in this process, and it is said" },
    { "--pool", "NUMBER", KIND_COUNT, FOR_CELLS, offsetof(options, pool), NULL,
      "sessions that are kept ready to be opened (default none)" },
    { "--restore", "FILE", KIND_TEXT, FOR_PROMPT | FOR_RUN, offsetof(options, restore_path), NULL,
      "begin with a session that was saved" },
    { "--save", "FILE", KIND_TEXT, FOR_PROMPT | FOR_RUN, offsetof(options, save_path), NULL,
      "save the session at the end" },
    { "--export", "FILE", KIND_TEXT, FOR_PROMPT | FOR_RUN, offsetof(options, export_path), NULL,
      "write the cells to FILE.ipynb, with outputs, or FILE.py" },
    { "--keep-going", NULL, KIND_FLAG, FOR_RUN, offsetof(options, goes_on), NULL,
      "run the next cells when one fails" },
    { "--model", "PROVIDER:MODEL", KIND_TEXT, FOR_ASK, AGENT(model), NULL,
      "model that writes the code (default: the variable SNUG_MODEL)" },
    { "--evaluation-model", "P:M", KIND_TEXT, FOR_ASK, AGENT(evaluation_model), NULL,
      "model that judges and words the answer (default: the same)" },
    { "--repair-model", "P:M", KIND_TEXT, FOR_ASK, AGENT(repair_model), NULL,
      "model that repairs (default: the same)" },
    { "--base-url", "URL", KIND_TEXT, FOR_ASK, AGENT(base_url), NULL,
      "where the model is served, as http://localhost:8000/v1" },
    { "--key-file", "FILE", KIND_TEXT, FOR_ASK, AGENT(key_file), NULL,
      "file whose first line is the key (default: the provider's variable)" },
    { "--mode", "solve|chain|act|plan", KIND_CHOICE, FOR_ASK, AGENT(mode), modes,
      "one program with repairs, one without, cell by cell, or by a plan (default solve)" },
    { "--input", "NAME=FILE", KIND_TOOL, FOR_QUESTIONS, offsetof(options, data), NULL,
      "data for the cells: a variable, or a file where NAME has a dot; may be repeated" },
    { "--no-auto-input", NULL, KIND_FLAG, FOR_QUESTIONS, offsetof(options, has_no_data), NULL,
      "files of this folder that the question names stay out" },
    { "--code", "FILE", KIND_TEXT, FOR_QUESTIONS, offsetof(options, code_path), NULL,
      "program that the first question is about: repaired, or made better by --focus" },
    { "--explain", NULL, KIND_FLAG, FOR_QUESTIONS, offsetof(options, is_explained), NULL,
      "explain the program, after the answer" },
    { "--context", "FILE", KIND_TEXT, FOR_ASK, offsetof(options, context_path), NULL,
      "text with material for the prompt" },
    { "--check", "CODE", KIND_LIST, FOR_ASK, offsetof(options, checks), NULL,
      "code that must run without an exception after the program; may be repeated" },
    { "--expect", "PATTERN", KIND_TEXT, FOR_ASK, offsetof(options, expect), NULL,
      "regular expression that what the program gave must match" },
    { "--answer-language", "LANGUAGE", KIND_TEXT, FOR_ASK, offsetof(options, language), NULL,
      "language of the answer (default: that of the question)" },
    { "--focus", "fix_errors|optimize|robustness", KIND_CHOICE, FOR_ASK, AGENT(focus), focuses,
      "what repairs aim at, and what a program of --code is made (default fix_errors)" },
    { "--calling", "auto|fence|tool", KIND_CHOICE, FOR_ASK, AGENT(calling), callings,
      "how the model hands over its code" },
    { "--answer", "sentence|result", KIND_CHOICE, FOR_ASK, AGENT(answer), answers,
      "in words, or as the program gave it (default sentence)" },
    { "--temperature", "NUMBER", KIND_NUMBER, FOR_ASK, AGENT(temperature), NULL,
      "of the models (default 0.7)" },
    { "--no-evaluation", NULL, KIND_FLAG, FOR_ASK, AGENT(has_no_evaluation), NULL,
      "no model judges what ran" },
    { "--no-stream", NULL, KIND_FLAG, FOR_ASK, AGENT(is_not_streaming), NULL,
      "replies of models come whole" },
    { "--rollback", NULL, KIND_FLAG, FOR_ASK, AGENT(has_rollback), NULL,
      "a repair begins with the names as they were before the first attempt" },
    { "--prompts", "DIR", KIND_TEXT, FOR_ASK, AGENT(prompts_dir), NULL,
      "NAME.txt there takes the place of the prompt NAME" },
    { "--prices", "FILE", KIND_TEXT, FOR_ASK, AGENT(prices_file), NULL,
      "JSON with the price of each model's tokens" },
    { "--max-attempts", "NUMBER", KIND_BUDGET, FOR_ASK, BUDGET(attempts), NULL, NULL },
    { "--max-steps", "NUMBER", KIND_BUDGET, FOR_ASK, BUDGET(steps), NULL, NULL },
    { "--max-tokens", "NUMBER", KIND_BUDGET, FOR_ASK, BUDGET(tokens), NULL, NULL },
    { "--max-cost", "DOLLARS", KIND_BUDGET, FOR_ASK, BUDGET(cost_microusd), NULL, NULL },
    { "--max-seconds", "TIME", KIND_BUDGET, FOR_ASK, BUDGET(wall_ms), NULL, NULL },
    { "--max-code-lines", "NUMBER", KIND_BUDGET, FOR_ASK, BUDGET(code_lines), NULL, NULL },
    { "--max-question", "SIZE", KIND_BUDGET, FOR_ASK, BUDGET(question_bytes), NULL, NULL },
    { "--reply-tokens", "NUMBER", KIND_BUDGET, FOR_ASK, BUDGET(reply_tokens), NULL, NULL },
    { "--reply-size", "SIZE", KIND_BUDGET, FOR_ASK, BUDGET(reply_bytes), NULL, NULL },
    { "--connect-timeout", "TIME", KIND_BUDGET, FOR_ASK, BUDGET(connect_ms), NULL, NULL },
    { "--first-token-timeout", "TIME", KIND_BUDGET, FOR_ASK, BUDGET(first_token_ms), NULL, NULL },
    { "--idle-timeout", "TIME", KIND_BUDGET, FOR_ASK, BUDGET(idle_ms), NULL, NULL },
    { "--request-timeout", "TIME", KIND_BUDGET, FOR_ASK, BUDGET(request_ms), NULL, NULL },
    { "--session", "NAME", KIND_TEXT, FOR_QUESTIONS, offsetof(options, conversation), NULL,
      "conversation that is kept under that name, or in a file where it has a slash" },
    { "--forget", NULL, KIND_FLAG, FOR_QUESTIONS, offsetof(options, forgets), NULL,
      "remove the conversation of --session first" },
    { "--history-tokens", "NUMBER", KIND_BUDGET, FOR_ASK, BUDGET(history_tokens), NULL, NULL },
    { "--library", "FILE", KIND_TEXT, FOR_ASK | FOR_LIBRARY, AGENT(library_file), NULL,
      "library of snippets and documents; \"default\" is that of the state folder" },
    { "--retrieved", "NUMBER", KIND_BUDGET, FOR_ASK, BUDGET(retrieved), NULL, NULL },
    { "--embedding-model", "P:M", KIND_TEXT, FOR_ASK | FOR_LIBRARY, AGENT(embedding_model), NULL,
      "model by which the library is searched for meaning too" },
    { "--keep-snippets", NULL, KIND_FLAG, FOR_ASK, AGENT(keeps_snippets), NULL,
      "programs that passed are put into the library" },
    { "--title", "TEXT", KIND_TEXT, FOR_LIBRARY, offsetof(options, title), NULL,
      "of what is added (default: its first line)" },
    { "--kind", "snippet|document", KIND_TEXT, FOR_LIBRARY, offsetof(options, kind), NULL,
      "of what is added (default: snippet for .py, else document)" },
    { "--cache", NULL, KIND_FLAG, FOR_ASK, offsetof(options, has_cache), NULL,
      "replies of models are kept in the state folder, and used again" },
    { "--cache-file", "FILE", KIND_TEXT, FOR_ASK, AGENT(cache_file), NULL, "the same in a file" },
    { "--no-cache", NULL, KIND_FLAG, FOR_ASK, offsetof(options, has_no_cache), NULL,
      "no cache, whatever else says so" },
    { "--cache-age", "TIME", KIND_BUDGET, FOR_ASK, BUDGET(cache_age_ms), NULL, NULL },
    { "--cache-size", "SIZE", KIND_BUDGET, FOR_ASK, BUDGET(cache_bytes), NULL, NULL },
    { "--cache-results", NULL, KIND_FLAG, FOR_ASK, AGENT(caches_results), NULL,
      "programs that depend on nothing but their data are not run again" },
    { "--retries", "NUMBER", KIND_BUDGET, FOR_ASK, BUDGET(retries), NULL, NULL },
    { "--language", "auto|python|bash", KIND_CHOICE, FOR_ASK, offsetof(options, program_language),
      languages, "of the programs (default auto: by the question); bash needs a worker" },
    { "--no-improvement", NULL, KIND_FLAG, FOR_ASK, offsetof(options, is_unimproved), NULL,
      "a program that failed is not repaired" },
    { "--trace-file", "FILE", KIND_TEXT, FOR_ASK, AGENT(trace_file), NULL,
      "a line of OTLP in JSON for each question" },
    { "--trace-url", "URL", KIND_TEXT, FOR_ASK, AGENT(trace_url), NULL,
      "OTLP/HTTP receiver, as http://localhost:4318" },
    { "--trace-content", NULL, KIND_FLAG, FOR_ASK, AGENT(traces_content), NULL,
      "traces have questions, programs and answers" },
    { "--no-history", NULL, KIND_FLAG, FOR_ASK, AGENT(has_no_history), NULL,
      "the markdown report is without the improvement history" },
    { "--no-metrics", NULL, KIND_FLAG, FOR_ASK, AGENT(has_no_metrics), NULL,
      "the same, without the performance" },
    { "--debug-info", NULL, KIND_FLAG, FOR_ASK, AGENT(has_debug_info), NULL,
      "the same, with models, times and tokens" },
    { "--debug", NULL, KIND_FLAG, FOR_ASK, offsetof(options, is_debugging), NULL,
      "prompts, routes and budgets on stderr, as -v" },
    { "--config", "FILE", KIND_TEXT, FOR_ASK, offsetof(options, config_path), NULL,
      "configuration in YAML; none: no file (default SNUG_CONFIG, or ~/.config/snug/config.yaml)" },
    { "--set", "KEY=VALUE", KIND_TOOL, FOR_ASK, offsetof(options, overrides), NULL,
      "a key of the configuration, also without --set: improvement.max_attempts=5" },
    { "--format", "plain|markdown|json", KIND_CHOICE, FOR_QUESTIONS, offsetof(options, format),
      formats, "of the reply on stdout (default plain)" },
    { "-j", "NUMBER", KIND_COUNT, FOR_BATCH, offsetof(options, jobs), NULL,
      "tasks at a time, each in a session of its own (default 1, at most 64)" },
    { "--out", "FILE", KIND_TEXT, FOR_BATCH, offsetof(options, out_path), NULL,
      "where results go, a line each (default TASKS.results.jsonl)" },
    { "--quiet", NULL, KIND_FLAG, FOR_ASK, offsetof(options, is_quiet), NULL,
      "no steps on stderr" },
    { "--into", "DIR", KIND_TEXT, FOR_PACKAGES, OF_PACKAGES(into), NULL,
      "folder that install fills; it is changed as a whole or not at all" },
    { "-r", "FILE", KIND_LIST, FOR_PACKAGES, OF_PACKAGES(files), NULL,
      "requirements file of pip's; may be repeated" },
    { "--wheels", "DIR", KIND_TEXT, FOR_PACKAGES, OF_PACKAGES(wheels), NULL,
      "install from this folder, and nothing from the network" },
    { "--require-hashes", NULL, KIND_FLAG, FOR_PACKAGES, OF_PACKAGES(requires_hashes), NULL,
      "only packages whose hashes the requirements have" },
    { "--build", NULL, KIND_FLAG, FOR_PACKAGES, OF_PACKAGES(builds), NULL,
      "build what has no wheel, which runs the package's own code, before anything is asked" },
    { "--yes", NULL, KIND_FLAG, FOR_PACKAGES, OF_PACKAGES(is_agreed), NULL,
      "install without asking" },
    { "--strict-audit", NULL, KIND_FLAG, FOR_PACKAGES, OF_PACKAGES(is_strict), NULL,
      "install nothing when pip-audit finds something, or is not there" },
    { "--in", "DIR", KIND_TEXT, FOR_PACKAGES, OF_PACKAGES(in), NULL,
      "folder that list looks into (default: the system's that sessions have)" },
    { "--json", NULL, KIND_FLAG,
      FOR_RUN | FOR_CHECK | FOR_DOCTOR | FOR_ASK | FOR_LIBRARY | FOR_PACKAGES,
      offsetof(options, is_json), NULL, "print JSON, an object a line" },
    { "--color", "auto|always|never", KIND_CHOICE, FOR_PROMPT | FOR_RUN | FOR_CHECK | FOR_QUESTIONS,
      offsetof(options, color), colors, "colours (default auto; NO_COLOR is honoured)" },
    { "-v", NULL, KIND_FLAG, FOR_ALL, offsetof(options, is_verbose), NULL, "say more, on stderr" },
    { "--help", NULL, KIND_FLAG, FOR_ALL, offsetof(options, is_help), NULL, "this text" },
    { "-h", NULL, KIND_FLAG, FOR_ALL, offsetof(options, is_help), NULL, NULL },
};
enum { TABLE_ROWS = sizeof table / sizeof table[0] };

/* By its field, because messages may call it otherwise than the library does. */
static const snug_limit_description *limit_info_of(const option_row *option)
{
    const snug_limit_description *info = NULL;
    for (size_t i = 0; option->kind == KIND_LIMIT && (info = snug_limit_info(i)); i++)
        if (offsetof(options, limits) + info->offset == option->field)
            break;
    return info;
}

static const snug_limit_description *budget_of(const option_row *option)
{
    const snug_limit_description *info = NULL;
    for (size_t i = 0; option->kind == KIND_BUDGET && (info = snug_agent_limit_info(i)); i++)
        if (offsetof(options, budget) + info->offset == option->field)
            break;
    return info;
}

static int is_option_of(const option_row *option, unsigned command)
{
    return (option->commands & command) != 0;
}

/* ---- values ---- */

static int set_limit(uint64_t *out, const option_row *option, const char *value)
{
    static const struct {
        const char *unit, *expected;
        int (*parse)(uint64_t *, const char *);
    } units[] = {
        { "ms", "a time such as 2, 0.5, 30s, 200ms or 2m", quantity_ms },
        { "bytes", "a size such as 1000, 64KiB or 256M", quantity_bytes },
        { "", "a whole number", quantity_count },
    };
    const snug_limit_description *limit = limit_info_of(option);
    size_t i = 0;
    while (*units[i].unit && strcmp(units[i].unit, limit->unit) != 0)
        i++;
    char least[32];
    if (units[i].parse(out, value) && *out >= option->least)
        return EXIT_FINE;
    if (units[i].parse(out, value))
        return command_fail(EXIT_USAGE, "%s \"%s\": expected %s or more", option->name, value,
                            quantity_text(least, sizeof least, option->least, limit->unit));

    return command_fail(EXIT_USAGE, "%s \"%s\": expected %s, more than 0, or none", option->name,
                        value, units[i].expected);
}

/* Dollars are kept in millionths. */
static int parse_dollars(uint64_t *out, const char *text)
{
    double dollars;
    if (!quantity_number(&dollars, text) || dollars > 1e9)
        return 0;
    *out = (uint64_t)(dollars * 1e6 + 0.5);
    return *out > 0;
}

static int set_budget(uint64_t *out, const option_row *option, const char *value)
{
    static const struct {
        const char *unit, *expected;
        int (*parse)(uint64_t *, const char *);
    } units[] = {
        { "ms", "a time such as 2, 0.5, 30s, 200ms or 2m", quantity_ms },
        { "bytes", "a size such as 1000, 64KiB or 256M", quantity_bytes },
        { "microdollars", "dollars such as 0.10", parse_dollars },
        { "", "a whole number", quantity_count },
    };
    const snug_limit_description *limit = budget_of(option);
    size_t i = 0;
    while (*units[i].unit && strcmp(units[i].unit, limit->unit) != 0)
        i++;
    if (units[i].parse(out, value))
        return EXIT_FINE;
    return command_fail(EXIT_USAGE, "%s \"%s\": expected %s, more than 0", option->name, value,
                        units[i].expected);
}

static int set_number(double *out, const option_row *option, const char *value)
{
    if (quantity_number(out, value) && *out <= 2)
        return EXIT_FINE;
    return command_fail(EXIT_USAGE, "%s \"%s\": expected a number from 0 to 2", option->name,
                        value);
}

static int set_choice(int *out, const option_row *option, const char *value)
{
    for (const choice *c = option->choices; c->word; c++) {
        if (strcmp(c->word, value) != 0)
            continue;
        *out = c->value;
        return EXIT_FINE;
    }
    return command_fail(EXIT_USAGE, "%s \"%s\": expected %s", option->name, value, option->value);
}

/* What may hold a secret is not said again, and not shown by snug config. */
static int check_url(const option_row *option, const char *value)
{
    const char *colon = strstr(value, "://"), *host = colon ? colon + 3 : value;
    if (memchr(host, '@', strcspn(host, "/?#")))
        return command_fail(EXIT_USAGE,
                            "%s: the address has a user name in it; a key is given by its "
                            "variable or a file",
                            option->name);

    if (strchr(value, '?'))
        return command_fail(EXIT_USAGE, "%s: the address has a \"?\" in it", option->name);
    return EXIT_FINE;
}

static int set_text(const char **out, const option_row *option, const char *value)
{
    if (!*value)
        return command_fail(EXIT_USAGE, "%s \"\": expected %s", option->name, option->value);
    *out = value;
    return EXIT_FINE;
}

static int add_input(options *o, int is_code, const char *text)
{
    input *inputs = realloc(o->inputs, (o->input_count + 1) * sizeof *inputs);
    if (!inputs)
        return command_fail(EXIT_USAGE, "out of memory");
    o->inputs = inputs;
    inputs[o->input_count++] = (input){ is_code, text };
    return EXIT_FINE;
}

static int add_allow(options *o, const option_row *option, const char *value)
{
    const char **allow = realloc(o->allow, (o->allow_count + 2) * sizeof *allow);
    if (!allow)
        return command_fail(EXIT_USAGE, "out of memory");
    o->allow = allow;
    allow[o->allow_count + 1] = NULL;
    return set_text(&allow[o->allow_count++], option, value);
}

static int add_list_value(text_list *list, const option_row *option, const char *value)
{
    const char **items = realloc(list->items, (list->count + 2) * sizeof *items);
    if (!items)
        return command_fail(EXIT_USAGE, "out of memory");
    list->items = items;
    items[list->count + 1] = NULL;
    return set_text(&items[list->count++], option, value);
}

static int add_pair_value(text_list *list, const option_row *option, const char *value)
{
    const char *sign = strchr(value, '=');
    if (!sign || sign == value || !sign[1])
        return command_fail(EXIT_USAGE, "%s wants %s, and \"%s\" is not that", option->name,
                            option->value, value);
    return add_list_value(list, option, value);
}

static int set_time(uint64_t *out, const option_row *option, const char *value)
{
    if (!quantity_ms(out, value))
        return command_fail(EXIT_USAGE,
                            "%s \"%s\": expected a time such as 2, 0.5, 30s, 200ms or 2m, more "
                            "than 0, or none",
                            option->name, value);
    return EXIT_FINE;
}

static int set_count(uint64_t *out, const option_row *option, const char *value)
{
    if (quantity_count(out, value) && *out != UINT64_MAX)
        return EXIT_FINE;
    return command_fail(EXIT_USAGE, "%s \"%s\": expected a whole number, more than 0", option->name,
                        value);
}

/* The path may have colons: the last parts are read first. */
static int add_mount_value(options *o, const option_row *option, const char *value)
{
    snug_mount *mounts = realloc(o->mounts, (o->mount_count + 1) * sizeof *mounts);
    char *text = strdup(value);

    if (mounts)
        o->mounts = mounts;
    if (!mounts || !text) {
        free(text);
        return command_fail(EXIT_USAGE, "out of memory");
    }

    char *last = strrchr(text, ':');
    int is_writable = last && !strcmp(last, ":rw");
    if (last && (is_writable || !strcmp(last, ":ro"))) {
        *last = '\0';
        last = strrchr(text, ':');
    }

    if (!last || last == text || !last[1]) {
        free(text);
        return command_fail(EXIT_USAGE, "%s wants %s, and \"%s\" is not that", option->name,
                            option->value, value);
    }

    *last = '\0';
    mounts[o->mount_count++] = (snug_mount){ text, last + 1, is_writable };
    return EXIT_FINE;
}

static int set_option(options *o, const option_row *option, const char *value)
{
    void *field = (char *)o + option->field;

    switch (option->kind) {
    case KIND_TEXT:
        return !strcmp(option->value, "URL") && check_url(option, value)
                   ? EXIT_USAGE
                   : set_text(field, option, value);
    case KIND_FLAG:
        *(int *)field = 1;
        return EXIT_FINE;
    case KIND_LIMIT:
        return set_limit(field, option, value);
    case KIND_BUDGET:
        return set_budget(field, option, value);
    case KIND_NUMBER:
        return set_number(field, option, value);
    case KIND_CHOICE:
        return set_choice(field, option, value);
    case KIND_ALLOW:
        return add_allow(o, option, value);
    case KIND_MOUNT:
        return add_mount_value(o, option, value);
    case KIND_TOOL:
        return add_pair_value(field, option, value);
    case KIND_LIST:
        return add_list_value(field, option, value);
    case KIND_TIME:
        return set_time(field, option, value);
    case KIND_COUNT:
        return set_count(field, option, value);
    case KIND_CODE:
        return add_input(o, 1, value);
    }

    return command_fail(EXIT_USAGE, "%s is of no kind", option->name);
}

/* ---- arguments ---- */

static const option_row *find_option(const char *name, size_t len)
{
    for (size_t i = 0; i < TABLE_ROWS; i++)
        if (strlen(table[i].name) == len && !strncmp(table[i].name, name, len))
            return &table[i];
    return NULL;
}

static int fail_unknown_option(const char *name, unsigned command, const char *word, size_t len)
{
    const char *names[TABLE_ROWS];
    size_t count = 0;

    for (size_t i = 0; i < TABLE_ROWS; i++)
        if (is_option_of(&table[i], command))
            names[count++] = table[i].name;

    char given[64];
    snprintf(given, sizeof given, "%.*s", (int)len, word);
    const char *near = nearest_name(given, names, count);
    if (near)
        return command_fail(EXIT_USAGE, "%s: unknown option \"%s\"; did you mean %s?", name, given,
                            near);

    return command_fail(EXIT_USAGE, "%s: unknown option \"%s\"; %s --help lists those there are",
                        name, given, name);
}

/* One option at argv[*at]; takes its value with it. */
static int parse_one(options *o, const char *name, unsigned command, int argc, char **argv, int *at)
{
    const char *word = argv[(*at)++];
    size_t len = strcspn(word, "=");
    const char *value = word[len] ? word + len + 1 : NULL;
    const option_row *option = find_option(word, len);
    if (!option)
        return fail_unknown_option(name, command, word, len);

    if (!(option->commands & command))
        return command_fail(EXIT_USAGE, "%s is not an option of %s", option->name, name);
    if (!option->value && value)
        return command_fail(EXIT_USAGE, "%s takes no value, but \"%s\" was given", option->name,
                            value);

    if (option->value && !value && *at < argc)
        value = argv[(*at)++];
    if (option->value && !value)
        return command_fail(EXIT_USAGE, "%s needs a value: %s", option->name, option->value);

    int status = set_option(o, option, value);
    return status || !o->given
               ? status
               : add_list_value(&o->given[option - table], option, value ? value : "true");
}

int options_set(options *o, const char *option, const char *said, const char *text)
{
    const option_row *row = find_option(option, strlen(option));
    option_row named = *row;
    named.name = said;
    return set_option(o, &named, text);
}

const text_list *options_given(const options *o, const char *option)
{
    const option_row *row = find_option(option, strlen(option));
    return o->given && row && o->given[row - table].count ? &o->given[row - table] : NULL;
}

const char *options_default(char *buffer, size_t size, const char *option)
{
    const option_row *row = find_option(option, strlen(option));
    const snug_limit_description *limit = row ? limit_info_of(row) : NULL;
    const snug_limit_description *budget = row ? budget_of(row) : NULL;
    if (limit)
        return quantity_text(buffer, size, limit->default_value, limit->unit);
    return budget ? quantity_text(buffer, size, budget->default_value, budget->unit) : NULL;
}

/* An argument that is not an option. */
static int add_argument(options *o, unsigned command, const char *text)
{
    const option_row *row = find_option("--set", strlen("--set"));
    if (is_option_of(row, command) && settings_is_override(text))
        return add_list_value(&o->overrides, row, text);
    return add_input(o, 0, text);
}

/* snug config check FILE looks at FILE in the place of the one in force. */
static int configure(options *o, unsigned command)
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
    const char *dot = path ? strrchr(path, '.') : NULL;
    if (!path || (dot && (!strcmp(dot, ".ipynb") || !strcmp(dot, ".py"))))
        return EXIT_FINE;
    return command_fail(EXIT_USAGE, "--export \"%s\": expected a name that ends in .ipynb or .py",
                        path);
}

/* What the library wants: one profile, a path with a slash if it is a file. */
static int finish_options(options *o)
{
    /* The one that was given as an option wins over the other in the configuration. */
    if (o->allowlist && o->profile && !options_given(o, "--profile") &&
        options_given(o, "--allowlist"))
        o->profile = NULL;

    if (o->allowlist && o->profile && options_given(o, "--profile") &&
        !options_given(o, "--allowlist"))
        o->allowlist = NULL;

    if (o->allowlist && o->profile)
        return command_fail(EXIT_USAGE, "--allowlist and --profile exclude each other");
    if (o->allowlist) {
        size_t size = strlen(o->allowlist) + sizeof "./";
        if (!(o->allowlist_path = malloc(size)))
            return command_fail(EXIT_USAGE, "out of memory");
        snprintf(o->allowlist_path, size, "%s%s", strchr(o->allowlist, '/') ? "" : "./",
                 o->allowlist);
    }

    if (o->is_unimproved && !options_given(o, "--max-attempts"))
        o->budget.attempts = 1;
    if (o->program_language == IN_BASH)
        o->isolation = AS_BASH;
    o->session.profile = o->allowlist ? o->allowlist_path : o->profile;
    o->session.allow = o->allow;
    o->session.workdir = o->workdir;
    o->session.kind = o->isolation == AS_BASH                 ? SNUG_KIND_BASH
                      : o->is_full || o->isolation == AS_FULL ? SNUG_KIND_FULL
                                                              : SNUG_KIND_RESTRICTED;
    o->session.packages = o->package_folder;
    o->session.mounts = o->mounts;
    o->session.mount_count = o->mount_count;
    return check_export(o->export_path);
}

int options_parse(options *out, const char *name, unsigned command, int argc, char **argv)
{
    *out = (options){ .session = SNUG_SESSION_OPTIONS_INIT,
                      .limits = SNUG_LIMITS_INIT,
                      .agent = SNUG_AGENT_OPTIONS_INIT,
                      .budget = SNUG_AGENT_LIMITS_INIT };
    out->session.limits = &out->limits;
    out->agent.limits = &out->budget;
    int is_options = 1;
    int status = EXIT_FINE;
    if (!(out->given = calloc(TABLE_ROWS, sizeof *out->given)))
        return command_fail(EXIT_USAGE, "out of memory");

    for (int at = 0; at < argc && !status && !out->is_help;) {
        if (is_options && !strcmp(argv[at], "--")) {
            is_options = 0;
            at++;
        } else if (is_options && argv[at][0] == '-' && argv[at][1]) {
            status = parse_one(out, name, command, argc, argv, &at);
        } else if (is_options) {
            status = add_argument(out, command, argv[at++]);
        } else {
            status = add_input(out, 0, argv[at++]);
        }
    }

    if (!status)
        status = configure(out, command);
    return status ? status : finish_options(out);
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
    free(o->servers.items);
    free(o->allow);
    free(o->allowlist_path);
    free(o->overrides.items);
    free(o->packages.files.items);
    for (size_t i = 0; o->given && i < TABLE_ROWS; i++)
        free(o->given[i].items);
    free(o->given);
    settings_free(o->settings);
    *o = (options){ 0 };
}

void options_print(FILE *stream, unsigned command)
{
    for (size_t i = 0; i < TABLE_ROWS; i++) {
        const option_row *option = &table[i];
        if (!is_option_of(option, command) ||
            (!option->about && option->kind != KIND_LIMIT && option->kind != KIND_BUDGET))
            continue;
        char left[64];
        snprintf(left, sizeof left, "%s%s%s", option->name, option->value ? " " : "",
                 option->value ? option->value : "");
        if (option->about) {
            fprintf(stream, "  %-26s %s\n", left, option->about);
            continue;
        }
        char amount[32];
        const snug_limit_description *budget = budget_of(option);
        if (option->kind == KIND_BUDGET) {
            const int is_money = strcmp(budget->unit, "microdollars") == 0;
            fprintf(stream, "  %-26s limit: %s (default %s)\n", left, budget->about,
                    quantity_text(amount, sizeof amount, budget->default_value,
                                  is_money ? "" : budget->unit));
            continue;
        }
        const snug_limit_description *limit = limit_info_of(option);
        fprintf(stream, "  %-26s limit: %s (default %s)\n", left, limit->about,
                quantity_text(amount, sizeof amount, limit->default_value, limit->unit));
    }
}
