#include "cli/program/option_table.h"

#include <stddef.h>
#include <string.h>

#include "cli/program/key_names.h"

static const option_choice colors[] = {
    { "auto", TERM_AUTO }, { "always", TERM_ALWAYS }, { "never", TERM_NEVER }, { NULL, 0 }
};
/* The words are those of pictures.h, which stands above. */
static const option_choice pictures[] = { { "auto", 0 },  { "kitty", 1 }, { "iterm", 2 },
                                          { "saved", 3 }, { "none", 4 },  { NULL, 0 } };
static const option_choice isolations[] = {
    { "local", IN_PROCESS },
    { "worker", IN_WORKER },
    { "full", AS_FULL },
    { "bash", AS_BASH },
    { "docker", 0,
      "execution.docker_image names the image of containers (--docker IMAGE), and "
      "execution.use_docker takes snug-worker" },
    { "host", 0, KEYS_NO_SANDBOX },
    { "none", 0, KEYS_NO_SANDBOX },
    { NULL, 0 },
};

static const option_choice modes[] = { { "solve", SNUG_AGENT_MODE_SOLVE },
                                       { "chain", SNUG_AGENT_MODE_CHAIN },
                                       { "act", SNUG_AGENT_MODE_ACT },
                                       { "plan", SNUG_AGENT_MODE_PLAN },
                                       { NULL, 0 } };
static const option_choice focuses[] = { { "fix_errors", SNUG_AGENT_FOCUS_FIX_ERRORS },
                                         { "optimize", SNUG_AGENT_FOCUS_OPTIMIZE },
                                         { "robustness", SNUG_AGENT_FOCUS_ROBUSTNESS },
                                         { "style", SNUG_AGENT_FOCUS_STYLE },
                                         { NULL, 0 } };
static const option_choice styles[] = { { "plain", SNUG_AGENT_STYLE_PLAIN },
                                        { "documented", SNUG_AGENT_STYLE_DOCUMENTED },
                                        { NULL, 0 } };
static const option_choice callings[] = { { "auto", SNUG_AGENT_CALLING_AUTO },
                                          { "fence", SNUG_AGENT_CALLING_FENCE },
                                          { "tool", SNUG_AGENT_CALLING_TOOL },
                                          { NULL, 0 } };
static const option_choice answers[] = { { "sentence", SNUG_AGENT_ANSWER_SENTENCE },
                                         { "result", SNUG_AGENT_ANSWER_RESULT },
                                         { NULL, 0 } };
static const option_choice languages[] = {
    { "auto", BY_QUESTION }, { "python", IN_PYTHON }, { "bash", IN_BASH }, { NULL, 0 }
};
static const option_choice structures[] = { { "brief", STRUCTURED_BRIEF },
                                            { "full", STRUCTURED_FULL },
                                            { "none", STRUCTURED_NONE },
                                            { NULL, 0 } };
static const option_choice installs[] = {
    { "no", INSTALL_NOTHING }, { "ask", INSTALL_ASKED }, { "yes", INSTALL_YES }, { NULL, 0 }
};
static const option_choice formats[] = { { "plain", SNUG_REPLY_PLAIN },
                                         { "markdown", SNUG_REPLY_MARKDOWN },
                                         { "json", SNUG_REPLY_JSON },
                                         { NULL, 0 } };

#define LIMIT(field)       offsetof(options, limits.field)
#define AGENT(field)       offsetof(options, agent.field)
#define BUDGET(field)      offsetof(options, budget.field)
#define OF_PACKAGES(field) offsetof(options, packages.field)
#define OF_KERNEL(field)   offsetof(options, kernel.field)
#define OF_MCP(field)      offsetof(options, mcp.field)

/* The keys of a section of the configuration stand together. */
const option_row option_rows[] = {
    { "-c", "CODE", KIND_CODE, FOR_RUN | FOR_CHECK, 0, NULL, "a cell given here" },
    { NULL, NULL, KIND_FLAG, FOR_ASK, offsetof(options, is_disabled), NULL,
      "questions are answered by programs", .key = "enabled", .is_off = 1 },
    { "--model", "PROVIDER:MODEL", KIND_TEXT, FOR_ASK | FOR_DOCTOR, AGENT(model), NULL,
      "model that writes the code (default: the variable SNUG_MODEL)", .key = "generation.model",
      .variable = "SNUG_MODEL", .is_common = 1 },
    { "--base-url", "URL", KIND_URL, FOR_ASK | FOR_DOCTOR, AGENT(base_url), NULL,
      "where the model is served, as http://localhost:8000/v1", .key = "generation.base_url" },
    { "--key-file", "FILE", KIND_TEXT, FOR_ASK | FOR_DOCTOR, AGENT(key_file), NULL,
      "file whose first line is the key (default: the provider's variable)",
      .key = "generation.key_file" },
    { NULL, "P:M", KIND_TEXT, FOR_ASK, AGENT(fallback_model), NULL,
      "model that is asked where another one is not available", .key = "generation.fallback" },
    { "--request-field", "NAME=VALUE", KIND_PAIR, FOR_ASK | FOR_DOCTOR,
      offsetof(options, request_fields), NULL,
      "further field of requests, as reasoning_effort=low or seed=7; may be repeated",
      .key = "generation.request" },
    { "--header", "NAME: VALUE", KIND_LIST, FOR_ASK | FOR_DOCTOR, offsetof(options, headers), NULL,
      "further header of requests, a secret; $VARIABLE is its value; may be repeated",
      .key = "generation.headers" },
    { "--temperature", "NUMBER", KIND_NUMBER, FOR_ASK, AGENT(temperature), NULL,
      "of the models (default 0.7)", .key = "generation.temperature", .fallback = "0.7" },
    { "--reply-tokens", "NUMBER", KIND_BUDGET, FOR_ASK, BUDGET(reply_tokens), NULL, NULL,
      .key = "generation.max_tokens" },
    { "--longest-reply-tokens", "NUMBER", KIND_BUDGET, FOR_ASK, BUDGET(longest_reply_tokens), NULL,
      NULL, .key = "generation.longest_reply" },
    { "--request-timeout", "TIME", KIND_BUDGET, FOR_ASK, BUDGET(request_ms), NULL, NULL,
      .key = "generation.timeout" },
    { "--connect-timeout", "TIME", KIND_BUDGET, FOR_ASK, BUDGET(connect_ms), NULL, NULL,
      .key = "generation.connect_timeout" },
    { "--first-token-timeout", "TIME", KIND_BUDGET, FOR_ASK, BUDGET(first_token_ms), NULL, NULL,
      .key = "generation.first_token_timeout" },
    { "--idle-timeout", "TIME", KIND_BUDGET, FOR_ASK, BUDGET(idle_ms), NULL, NULL,
      .key = "generation.idle_timeout" },
    { "--retries", "NUMBER", KIND_BUDGET, FOR_ASK, BUDGET(retries), NULL, NULL,
      .key = "generation.retries", .zero = SNUG_AGENT_NO_RETRIES },
    { "--ask", NULL, KIND_FLAG, FOR_QUESTIONS, offsetof(options, asks_first), NULL,
      "each program is shown, and runs if you say so", .is_common = 1 },
    { "--reply-size", "SIZE", KIND_BUDGET, FOR_ASK, BUDGET(reply_bytes), NULL, NULL,
      .key = "generation.max_reply_size" },
    { "--no-stream", NULL, KIND_FLAG, FOR_ASK, AGENT(is_not_streaming), NULL,
      "replies of models come whole", .key = "generation.stream", .is_off = 1,
      .key_about = "replies come as they are written" },
    { "--mode", "solve|chain|act|plan", KIND_CHOICE, FOR_ASK, AGENT(mode), modes,
      "one program with repairs, one without, cell by cell, or by a plan (default solve)",
      .key = "generation.mode", .fallback = "solve", .is_common = 1 },
    { "--input", "NAME=FILE", KIND_PAIR, FOR_QUESTIONS, offsetof(options, data), NULL,
      "data for the cells: a variable, or a file where NAME has a dot; - is stdin; may be "
      "repeated",
      .is_common = 1 },
    { "--image", "FILE", KIND_LIST, FOR_QUESTIONS, offsetof(options, images), NULL,
      "picture that comes with the first question: PNG, JPEG, GIF or WebP; may be repeated" },
    { "--calling", "auto|fence|tool", KIND_CHOICE, FOR_ASK, AGENT(calling), callings,
      "how the model hands over its code", .key = "generation.calling", .fallback = "auto" },
    { "--language", "auto|python|bash", KIND_CHOICE, FOR_ASK | FOR_CHECK,
      offsetof(options, program_language), languages,
      "of the programs (default auto: by the question, or the file); bash needs a worker",
      .key = "generation.language", .fallback = "auto" },
    { NULL, "plain|documented", KIND_CHOICE, FOR_ASK, offsetof(options, program_style), styles,
      "programs as they come, or of functions with documentation and handled errors",
      .key = "generation.style", .fallback = "plain" },
    { "--prompts", "DIR", KIND_TEXT, FOR_ASK, AGENT(prompts_dir), NULL,
      "NAME.txt there takes the place of the prompt NAME", .key = "generation.prompts" },
    { "--isolation", "local|worker|full|bash", KIND_CHOICE, FOR_SESSIONS,
      offsetof(options, isolation), isolations,
      "where sessions live: in this process (local), in a worker, or in a process of their own "
      "(default worker, where a model or a front end sends programs; else local)",
      .key = "execution.environment", .fallback = "worker" },
    { "--full", NULL, KIND_SHORT, FOR_SESSIONS, 0, NULL,
      "--isolation full: packages with C extensions too, in a process of the session's own",
      .stands_for = "--isolation", .with = "full" },
    { "--data", NULL, KIND_FLAG, FOR_PROMPT | FOR_RUN | FOR_ASK, offsetof(options, is_data), NULL,
      "a full session with numpy, pandas, matplotlib and their like, as far as they are here",
      .is_common = 1 },
    { "--timeout", "TIME", KIND_LIMIT, FOR_SESSIONS | FOR_CHECK, LIMIT(wall_ms), NULL, NULL,
      .key = "execution.timeout", .is_common = 1 },
    { "--cpu", "TIME", KIND_LIMIT, FOR_SESSIONS, LIMIT(cpu_ms), NULL, NULL,
      .key = "execution.cpu_limit" },
    { "--memory", "SIZE", KIND_LIMIT, FOR_SESSIONS, LIMIT(memory_bytes), NULL, NULL, 16 << 20,
      .key = "execution.memory_limit" },
    { "--output", "SIZE", KIND_LIMIT, FOR_SESSIONS, LIMIT(output_bytes), NULL, NULL,
      .key = "execution.output_limit" },
    { "--value", "SIZE", KIND_LIMIT, FOR_SESSIONS, LIMIT(value_bytes), NULL, NULL },
    { "--displays", "SIZE", KIND_LIMIT, FOR_SESSIONS, LIMIT(display_bytes), NULL, NULL },
    { "--lists", "SIZE", KIND_LIMIT, FOR_SESSIONS, LIMIT(list_bytes), NULL, NULL },
    { "--disk", "SIZE", KIND_LIMIT, FOR_SESSIONS, LIMIT(disk_bytes), NULL, NULL,
      .key = "execution.disk_limit" },
    { "--disk-files", "N", KIND_LIMIT, FOR_SESSIONS, LIMIT(disk_files), NULL, NULL },
    { "--source", "SIZE", KIND_LIMIT, FOR_SESSIONS | FOR_CHECK, LIMIT(source_bytes), NULL, NULL },
    { "--threads", "NUMBER", KIND_LIMIT, FOR_SESSIONS, LIMIT(threads), NULL, NULL,
      .key = "execution.threads" },
    { NULL, "false", KIND_REFUSED, FOR_ASK, 0, NULL, "cells have none", .key = "execution.network",
      .with = "is not in this version: cells have no network" },
    { "--reruns", "NUMBER", KIND_WHOLE, FOR_ASK, AGENT(reruns), NULL,
      "runs of a program again, in a new worker, after a fault of the worker (default 3)",
      .key = "execution.max_retries", .fallback = "3" },
    { "--local-fallback", NULL, KIND_FLAG, FOR_SESSIONS, offsetof(options, falls_back), NULL,
      "where no worker starts, sessions live in this process, with a message",
      .key = "execution.local_fallback" },
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
    { "--cells", NULL, KIND_FLAG, FOR_RUN, offsetof(options, is_cells), NULL,
      "show .py files as cells, with their source and values" },
    { "--worker-command", "CMD", KIND_TEXT, FOR_SESSIONS, offsetof(options, worker_command), NULL,
      "starts a worker elsewhere: a snug-worker on its standard input and output",
      .key = "execution.worker_command" },
    { NULL, NULL, KIND_SHORT, FOR_SESSIONS, 0, NULL, "in containers of the image snug-worker",
      .key = "execution.use_docker", .stands_for = "--docker", .with = "snug-worker" },
    { NULL, "false", KIND_REFUSED, FOR_ASK, 0, NULL, "sessions are snug's own",
      .key = "execution.use_jupyter",
      .with = "is not in this version: snug keeps sessions itself, and execution.environment says "
              "where "
              "they live" },
    { "--docker", "IMAGE", KIND_TEXT, FOR_SESSIONS, offsetof(options, docker_image), NULL,
      "starts workers in containers of this image, which has a snug-worker (docker or podman)",
      .key = "execution.docker_image" },
    { "--packages", "DIR", KIND_TEXT, FOR_SESSIONS, offsetof(options, package_folder), NULL,
      "where packages are looked for, as snug packages fills it; else the system's",
      .key = "execution.packages" },
    { "--install", "no|ask|yes", KIND_CHOICE, FOR_QUESTIONS, offsetof(options, install), installs,
      "packages that a program wants, which a model has named: never (default), asked, or always",
      .key = "execution.install", .fallback = "no", .is_common = 1 },
    { "--code", "FILE", KIND_TEXT, FOR_QUESTIONS, offsetof(options, code_path), NULL,
      "program that the first question is about: repaired, or made better by --focus" },
    { "--explain", NULL, KIND_FLAG, FOR_QUESTIONS, offsetof(options, is_explained), NULL,
      "explain the program, after the answer" },
    { "--context", "FILE", KIND_TEXT, FOR_ASK, offsetof(options, context_path), NULL,
      "text with material for the prompt" },
    { "--clock", "fixed|TIME", KIND_TEXT, FOR_SESSIONS, offsetof(options, clock), NULL,
      "cells have a clock of their own that begins at TIME, 2026-03-01T09:30:00Z, and goes on only "
      "when it is read or slept by; fixed: at one that is always the same",
      .key = "execution.clock" },
    { "--seed", "N", KIND_TEXT, FOR_SESSIONS, offsetof(options, seed), NULL,
      "random, secrets, uuid and the order of sets follow from N, and reprs show no addresses",
      .key = "execution.seed" },
    { "--zone", "NAME", KIND_TEXT, FOR_SESSIONS, offsetof(options, zone), NULL,
      "time zone of cells, Europe/Madrid", .key = "execution.zone" },
    { "--workdir", "DIR", KIND_TEXT, FOR_SESSIONS, offsetof(options, workdir), NULL,
      "directory for the cells' files, kept; else a private one", .key = "execution.work_dir" },
    { "--profile", "NAME", KIND_TEXT, FOR_CALLERS | FOR_CHECK, offsetof(options, profile), NULL,
      "import allowlist that comes with snug (default core, in full sessions data)",
      .key = "execution.profile", .fallback = "core" },
    { "--allowlist", "FILE", KIND_TEXT, FOR_CALLERS | FOR_CHECK, offsetof(options, allowlist), NULL,
      "import allowlist from a file", .key = "execution.allowlist" },
    { "--allow", "MODULE", KIND_LIST, FOR_CALLERS | FOR_CHECK, offsetof(options, allow), NULL,
      "allow a further module; may be repeated", .key = "execution.allow" },
    { "--forbid", "PATTERN", KIND_LIST, FOR_ASK | FOR_CHECK, offsetof(options, forbid), NULL,
      "refuse programs that use a name, os.remove, or have a line with /REGEX/; may be repeated",
      .key = "execution.forbid" },
    { "--review", NULL, KIND_FLAG, FOR_ASK, AGENT(reviews_programs), NULL,
      "a model reviews each program for harm before it runs", .key = "execution.review" },
    { "--mount", "PATH:NAME[:ro|rw]", KIND_MOUNT, FOR_SESSIONS, offsetof(options, mounts), NULL,
      "file or folder under a name in the work directory (default ro); may be repeated",
      .key = "execution.mounts" },
    { "--tool", "NAME=COMMAND", KIND_PAIR, FOR_CALLERS | FOR_CHECK, offsetof(options, tools), NULL,
      "function that starts COMMAND: JSON on its stdin and stdout; may be repeated",
      .key = "execution.tools" },
    { "--mcp", "COMMAND|URL", KIND_LIST, FOR_CALLERS | FOR_CHECK, offsetof(options, servers), NULL,
      "MCP server whose tools become functions; may be repeated", .key = "execution.mcp" },
    { "--tool-rule", "PATTERN=DECISION", KIND_LIST, FOR_CALLERS, offsetof(options, tool_rules),
      NULL,
      "which tools cells may call, files.* for one: allow, allow-reads, ask or deny; the first "
      "rule that fits holds; may be repeated",
      .key = "execution.tool_rules" },
    { "--approval-timeout", "TIME", KIND_TIME, FOR_SESSIONS, offsetof(options, session.approval_ms),
      NULL,
      "for which a call that --tool-rule asks about waits for an answer; then it is refused "
      "(default 4 h)",
      .key = "execution.approval_timeout", .fallback = "4 h" },
    { "--journal", "FILE", KIND_TEXT, FOR_SESSIONS, offsetof(options, journal_path), NULL,
      "calls of tools are appended to FILE, with arguments and answers",
      .key = "execution.journal" },
    { "--replay", "FILE", KIND_TEXT, FOR_SESSIONS & ~FOR_MCP, offsetof(options, replay_path), NULL,
      "calls of tools are answered as the last run in this journal was, and no tool is started",
      .key = "execution.replay" },
    { "--journal-size", "SIZE", KIND_SIZE, FOR_SESSIONS, offsetof(options, journal_bytes), NULL,
      "largest file of --journal and --replay (default 1 GiB)", .key = "execution.journal_size",
      .fallback = "1GiB" },
    { "--upstream", "NAME=COMMAND|URL", KIND_PAIR, FOR_CALLERS | FOR_CHECK,
      offsetof(options, upstreams), NULL,
      "MCP server whose tools are called as NAME.tool(...); may be repeated",
      .key = "execution.upstreams" },
    { "--upstream-config", "FILE", KIND_LIST, FOR_CALLERS | FOR_CHECK,
      offsetof(options, upstream_files), NULL,
      "the same for the mcpServers of another program's configuration; may be repeated",
      .key = "execution.upstream_config" },
    { "--search", "WORDS", KIND_TEXT, FOR_TOOLS, offsetof(options, tools_search), NULL,
      "only the tools that fit these words best" },
    { "--fetch", "HOST", KIND_LIST, FOR_CALLERS | FOR_CHECK, offsetof(options, fetch_hosts), NULL,
      "cells have fetch(url), for this server: [http://]HOST[:PORT], *.NAME below a name, HOST=IP "
      "for one in a private network; may be repeated",
      .key = "execution.fetch" },
    { "--fetch-methods", "LIST", KIND_TEXT, FOR_CALLERS, offsetof(options, fetch_methods), NULL,
      "methods of fetch (default GET,HEAD)", .key = "execution.fetch_methods",
      .fallback = "GET,HEAD" },
    { "--fetch-secret", "NAME=HOST:VARIABLE", KIND_PAIR, FOR_SESSIONS,
      offsetof(options, fetch_secrets), NULL,
      "{{NAME}} in a request to HOST is the variable's value, which cells never see; may be "
      "repeated",
      .key = "execution.fetch_secrets" },
    { "--fetch-size", "SIZE", KIND_SIZE, FOR_SESSIONS, offsetof(options, fetch_bytes), NULL,
      "largest reply of fetch (default 4 MiB)", .key = "execution.fetch_size", .fallback = "4MiB" },
    { "--fetch-timeout", "TIME", KIND_TIME, FOR_SESSIONS, offsetof(options, fetch_ms), NULL,
      "time limit of a call of fetch, with redirects (default 30 s)",
      .key = "execution.fetch_timeout", .fallback = "30 s" },
    { "--fetch-calls", "NUMBER", KIND_COUNT, FOR_SESSIONS, offsetof(options, fetch_calls), NULL,
      "calls of fetch by all sessions together (default 10,000)", .key = "execution.fetch_calls",
      .fallback = "10,000" },
    { "--tool-timeout", "TIME", KIND_TIME, FOR_SESSIONS, offsetof(options, tool_timeout_ms), NULL,
      "time limit of a call of one of these (default: that of its cell)",
      .key = "execution.tool_timeout" },
    { "--tool-calls", "NUMBER", KIND_LIMIT, FOR_SESSIONS, LIMIT(tool_calls), NULL, NULL,
      .key = "execution.tool_calls" },
    { "--input-timeout", "TIME", KIND_LIMIT, FOR_SESSIONS, LIMIT(input_ms), NULL, NULL },
    { "--ask-model", NULL, KIND_FLAG, FOR_ASK, AGENT(asks_model), NULL,
      "programs have ask_model(prompt, system=None), which asks a model",
      .key = "execution.ask_model" },
    { NULL, "P:M", KIND_TEXT, FOR_ASK, AGENT(asked_model), NULL,
      "model that ask_model asks (default: that of --model)", .key = "execution.ask_model_with" },
    { "--most-model-calls", "NUMBER", KIND_BUDGET, FOR_ASK, BUDGET(model_calls), NULL, NULL,
      .key = "execution.model_calls" },
    { NULL, NULL, KIND_FLAG, FOR_ASK, offsetof(options, is_unimproved), NULL,
      "a program that failed is repaired", .key = "improvement.enabled", .is_off = 1 },
    { "--max-attempts", "NUMBER", KIND_BUDGET, FOR_ASK, BUDGET(attempts), NULL, NULL,
      .key = "improvement.max_attempts" },
    { NULL, "P:M", KIND_TEXT, FOR_ASK, AGENT(repair_model), NULL,
      "model that repairs (default: the same)", .key = "improvement.model" },
    { "--focus", "fix_errors|optimize|robustness|style", KIND_CHOICE, FOR_ASK, AGENT(focus),
      focuses, "what repairs aim at, and what a program of --code is made (default fix_errors)",
      .key = "improvement.focus", .fallback = "fix_errors" },
    { "--rollback", NULL, KIND_FLAG, FOR_ASK, AGENT(has_rollback), NULL,
      "a repair begins with the names as they were before the first attempt",
      .key = "improvement.rollback" },
    { "-v", NULL, KIND_FLAG, FOR_ALL, offsetof(options, is_verbose), NULL,
      "say more, on stderr; of a question also prompts, routes and budgets",
      .key = "improvement.debug", .is_common = 1 },
    { "--no-evaluation", NULL, KIND_FLAG, FOR_ASK, AGENT(has_no_evaluation), NULL,
      "no model judges what ran", .key = "evaluation.enabled", .is_off = 1,
      .key_about = "a model judges what ran" },
    { NULL, "P:M", KIND_TEXT, FOR_ASK, AGENT(evaluation_model), NULL,
      "model that judges and words the answer (default: the same)", .key = "evaluation.model" },
    { "--check", "CODE", KIND_LIST, FOR_ASK, offsetof(options, checks), NULL,
      "code that must run without an exception after the program; may be repeated",
      .key = "evaluation.checks" },
    { "--expect", "PATTERN", KIND_TEXT, FOR_ASK, offsetof(options, expect), NULL,
      "regular expression that what the program gave must match", .key = "evaluation.expect" },
    { NULL, "SIZE", KIND_SIZE, FOR_QUESTIONS, offsetof(options, input_bytes), NULL,
      "of a file that is copied into a session, and of stdin", .key = "input.max_size",
      .fallback = "256 MiB" },
    { "--no-auto-input", NULL, KIND_FLAG, FOR_QUESTIONS, offsetof(options, has_no_data), NULL,
      "leave out files that the question names, and what is piped in", .key = "input.automatic",
      .is_off = 1,
      .key_about = "files that a question names, and what is piped in, are data for it" },
    { "--format", "plain|markdown|json", KIND_CHOICE, FOR_QUESTIONS, offsetof(options, format),
      formats, "of the reply on stdout (default plain)", .key = "response.format",
      .fallback = "plain" },
    { "-j", "NUMBER", KIND_COUNT, FOR_BATCH, offsetof(options, jobs), NULL,
      "tasks at a time, each in a session of its own (default 1, at most 64)" },
    { "--out", "DIR|none", KIND_TEXT, FOR_QUESTIONS, offsetof(options, out_folder), NULL,
      "where files and figures of programs go (default a new folder named after the question)",
      .key = "response.out", .is_common = 1 },
    { "--out", "FILE", KIND_TEXT, FOR_BATCH, offsetof(options, out_path), NULL,
      "where results go, a line each (default TASKS.results.jsonl)" },
    { "--quiet", NULL, KIND_FLAG, FOR_ASK, offsetof(options, is_quiet), NULL, "no steps on stderr",
      .is_common = 1 },
    { "--answer", "sentence|result", KIND_CHOICE, FOR_ASK, AGENT(answer), answers,
      "in words, or as the program gave it (default sentence)", .key = "response.answer",
      .fallback = "sentence" },
    { "--answer-language", "LANGUAGE", KIND_TEXT, FOR_ASK, offsetof(options, language), NULL,
      "language of the answer (default: that of the question)", .key = "response.language" },
    { NULL, NULL, KIND_FLAG, FOR_ASK, AGENT(has_messages), NULL,
      "the reply has all messages between snug and the model", .key = "response.include_messages" },
    { NULL, NULL, KIND_FLAG, FOR_ASK, AGENT(has_no_history), NULL,
      "a heading of the markdown report", .key = "response.include_improvement_history",
      .is_off = 1 },
    { NULL, NULL, KIND_FLAG, FOR_ASK, AGENT(has_no_metrics), NULL,
      "a heading of the markdown report", .key = "response.show_performance_metrics", .is_off = 1 },
    { NULL, NULL, KIND_FLAG, FOR_ASK, AGENT(has_debug_info), NULL,
      "a heading of the markdown report: models, times, tokens",
      .key = "response.show_debug_info" },
    { "--config", "FILE", KIND_TEXT, FOR_ASK, offsetof(options, config_path), NULL,
      "configuration in YAML; none: no file (default SNUG_CONFIG, or ~/.config/snug/config.yaml)" },
    { "--config-name", "NAME", KIND_TEXT, FOR_ASK, offsetof(options, config_name), NULL,
      "a preset (snug config presets), or NAME.yaml in the configuration folder, instead" },
    { "--set", "KEY=VALUE", KIND_PAIR, FOR_ASK, offsetof(options, overrides), NULL,
      "a key of the configuration, also without --set: improvement.max_attempts=5" },
    { "--max-cost", "DOLLARS", KIND_BUDGET, FOR_ASK, BUDGET(cost_microusd), NULL, NULL,
      .key = "limits.max_cost", .is_common = 1 },
    { "--prices", "FILE", KIND_TEXT, FOR_ASK, AGENT(prices_file), NULL,
      "JSON with prices of models' tokens; those of common models are built in",
      .key = "limits.prices" },
    { "--max-code-lines", "NUMBER", KIND_BUDGET, FOR_ASK, BUDGET(code_lines), NULL, NULL,
      .key = "limits.max_code_lines" },
    { "--max-steps", "NUMBER", KIND_BUDGET, FOR_ASK, BUDGET(steps), NULL, NULL,
      .key = "limits.max_steps" },
    { "--max-tokens", "NUMBER", KIND_BUDGET, FOR_ASK, BUDGET(tokens), NULL, NULL,
      .key = "limits.max_tokens" },
    { "--max-seconds", "TIME", KIND_BUDGET, FOR_ASK, BUDGET(wall_ms), NULL, NULL,
      .key = "limits.max_seconds" },
    { "--max-question", "SIZE", KIND_BUDGET, FOR_ASK, BUDGET(question_bytes), NULL, NULL,
      .key = "limits.max_question" },
    { "--session", "NAME", KIND_TEXT, FOR_QUESTIONS, offsetof(options, conversation), NULL,
      "conversation that is kept under that name, or in a file where it has a slash",
      .key = "memory.session", .is_common = 1 },
    { "--forget", NULL, KIND_FLAG, FOR_QUESTIONS, offsetof(options, forgets), NULL,
      "remove the conversation of --session first" },
    { "--history-tokens", "NUMBER", KIND_BUDGET, FOR_ASK, BUDGET(history_tokens), NULL, NULL,
      .key = "memory.history_tokens" },
    { "--library", "FILE", KIND_TEXT, FOR_ASK | FOR_LIBRARY, AGENT(library_file), NULL,
      "library of snippets and documents; \"default\" is that of the state folder",
      .key = "library.file" },
    { "--embedding-model", "P:M", KIND_TEXT, FOR_ASK | FOR_LIBRARY, AGENT(embedding_model), NULL,
      "model by which the library is searched for meaning too", .key = "library.embedding_model" },
    { "--retrieved", "NUMBER", KIND_BUDGET, FOR_ASK, BUDGET(retrieved), NULL, NULL,
      .key = "library.retrieved" },
    { "--retrieve-command", "CMD", KIND_TEXT, FOR_ASK, AGENT(retrieve_command), NULL,
      "finds material elsewhere: the question on its stdin, JSON lines on its stdout",
      .key = "library.command" },
    { "--retrieve-timeout", "TIME", KIND_BUDGET, FOR_ASK, BUDGET(retrieve_ms), NULL, NULL,
      .key = "library.command_timeout" },
    { "--keep-snippets", NULL, KIND_FLAG, FOR_ASK, AGENT(keeps_snippets), NULL,
      "programs that passed are put into the library", .key = "library.keep_snippets" },
    { "--title", "TEXT", KIND_TEXT, FOR_LIBRARY, offsetof(options, title), NULL,
      "of what is added (default: its first line)" },
    { "--kind", "snippet|document", KIND_TEXT, FOR_LIBRARY, offsetof(options, kind), NULL,
      "of what is added (default: snippet for .py, else document)" },
    { "--cache", NULL, KIND_FLAG, FOR_ASK, offsetof(options, has_cache), NULL,
      "replies of models are kept in the state folder, and used again", .key = "cache.enabled" },
    { "--cache-file", "FILE", KIND_TEXT, FOR_ASK, AGENT(cache_file), NULL, "the same in a file",
      .key = "cache.file" },
    { "--cache-size", "SIZE", KIND_BUDGET, FOR_ASK, BUDGET(cache_bytes), NULL, NULL,
      .key = "cache.max_size" },
    { "--cache-age", "TIME", KIND_BUDGET, FOR_ASK, BUDGET(cache_age_ms), NULL, NULL,
      .key = "cache.max_age" },
    { "--cache-results", NULL, KIND_FLAG, FOR_ASK, AGENT(caches_results), NULL,
      "programs that depend on nothing but their data are not run again", .key = "cache.results" },
    { "--trace-file", "FILE", KIND_TEXT, FOR_ASK, AGENT(trace_file), NULL,
      "a line of OTLP in JSON for each question", .key = "trace.file" },
    { "--trace-url", "URL", KIND_URL, FOR_ASK, AGENT(trace_url), NULL,
      "OTLP/HTTP receiver, as http://localhost:4318", .key = "trace.url",
      .variable = "OTEL_EXPORTER_OTLP_ENDPOINT" },
    { "--trace-content", NULL, KIND_FLAG, FOR_ASK, AGENT(traces_content), NULL,
      "traces have questions, programs and answers", .key = "trace.content" },
    { "--into", "DIR", KIND_TEXT, FOR_PACKAGES, OF_PACKAGES(into), NULL,
      "new folder for what is installed (default: one of the state folder, which is printed)" },
    { "-r", "FILE", KIND_LIST, FOR_PACKAGES, OF_PACKAGES(files), NULL,
      "requirements file, as for pip; may be repeated" },
    { "--wheels", "DIR", KIND_TEXT, FOR_PACKAGES | FOR_QUESTIONS, OF_PACKAGES(wheels), NULL,
      "install from this folder, and nothing from the network" },
    { "--require-hashes", NULL, KIND_FLAG, FOR_PACKAGES, OF_PACKAGES(requires_hashes), NULL,
      "as pip's: only packages whose hashes the requirements have" },
    { "--build", NULL, KIND_FLAG, FOR_PACKAGES, OF_PACKAGES(builds), NULL,
      "build what has no wheel, which runs the package's own code" },
    { "--in", "DIR", KIND_TEXT, FOR_PACKAGES, OF_PACKAGES(in), NULL,
      "folder that list looks into (default: the system's that sessions have)" },
    { "-f", "FILE", KIND_TEXT, FOR_KERNEL, OF_KERNEL(connection_file), NULL,
      "connection file of the front end that starts the kernel" },
    { "--user", NULL, KIND_FLAG, FOR_KERNEL, OF_KERNEL(is_user), NULL, "install for this user" },
    { "--prefix", "DIR", KIND_TEXT, FOR_KERNEL, OF_KERNEL(prefix), NULL,
      "install in DIR/share/jupyter (default /usr/local)" },
    { "--sys-prefix", NULL, KIND_FLAG, FOR_KERNEL, OF_KERNEL(is_sys_prefix), NULL,
      "install in the virtual environment that is active" },
    { "--name", "NAME", KIND_TEXT, FOR_KERNEL, OF_KERNEL(name), NULL,
      "name of the kernel (default snug, snug-worker, snug-full or snug-bash)" },
    { "--display-name", "TEXT", KIND_TEXT, FOR_KERNEL, OF_KERNEL(display_name), NULL,
      "what front ends call it" },
    { "--all", NULL, KIND_FLAG, FOR_KERNEL, OF_KERNEL(is_all), NULL,
      "install a kernel for each kind of session" },
    { "--http", "[HOST:]PORT", KIND_TEXT, FOR_MCP, OF_MCP(http), NULL,
      "serve by HTTP at /mcp, on 127.0.0.1 unless HOST says otherwise; else on stdio",
      .is_common = 1 },
    { "--token-file", "FILE", KIND_TEXT, FOR_MCP, OF_MCP(token_file), NULL,
      "bearer tokens that --http takes, a line and a client each: TOKEN or NAME=TOKEN",
      .is_common = 1 },
    { "--origin", "ORIGIN", KIND_LIST, FOR_MCP, OF_MCP(origins), NULL,
      "origin of web pages that --http answers besides this machine's; may be repeated" },
    { "--state", "DIR", KIND_TEXT, FOR_MCP, OF_MCP(state), NULL,
      "where sessions are saved (default: the first free folder mcp/N of the state folder)",
      .is_common = 1 },
    { "--structured", "brief|full|none", KIND_CHOICE, FOR_MCP, OF_MCP(structured), structures,
      "structuredContent of answers: brief for models (default), full (snug.result/1), or none" },
    { "--message-size", "SIZE", KIND_SERVED, FOR_MCP, OF_MCP(limits.message_bytes), NULL, NULL },
    { "--calls", "N", KIND_SERVED, FOR_MCP, OF_MCP(limits.calls), NULL, NULL },
    { "--waiting-calls", "N", KIND_SERVED, FOR_MCP, OF_MCP(limits.waiting_calls), NULL, NULL },
    { "--wait", "TIME", KIND_SERVED, FOR_MCP, OF_MCP(limits.wait_ms), NULL, NULL },
    { "--share", "PERCENT", KIND_SERVED, FOR_MCP, OF_MCP(limits.share_percent), NULL, NULL },
    { "--sessions", "N", KIND_SERVED, FOR_MCP, OF_MCP(limits.sessions), NULL, NULL },
    { "--session-idle", "TIME", KIND_SERVED, FOR_MCP, OF_MCP(limits.idle_ms), NULL, NULL },
    { "--save-after", "TIME", KIND_SERVED, FOR_MCP, OF_MCP(limits.save_after_ms), NULL, NULL },
    { "--save-every", "N", KIND_SERVED, FOR_MCP, OF_MCP(limits.save_every), NULL, NULL },
    { "--save-time", "TIME", KIND_SERVED, FOR_MCP, OF_MCP(limits.save_ms), NULL, NULL },
    { "--drain-time", "TIME", KIND_SERVED, FOR_MCP, OF_MCP(limits.drain_ms), NULL, NULL },
    { "--file-size", "SIZE", KIND_SERVED, FOR_MCP, OF_MCP(limits.file_bytes), NULL, NULL },
    { "--upstream-time", "TIME", KIND_SERVED, FOR_MCP, OF_MCP(limits.upstream_ms), NULL, NULL },
    { "--connections", "N", KIND_SERVED, FOR_MCP, OF_MCP(limits.connections), NULL, NULL },
    { "--clients", "N", KIND_SERVED, FOR_MCP, OF_MCP(limits.clients), NULL, NULL },
    { "--request-time", "TIME", KIND_SERVED, FOR_MCP, OF_MCP(limits.request_ms), NULL, NULL },
    { "--unsent-size", "SIZE", KIND_SERVED, FOR_MCP, OF_MCP(limits.unsent_bytes), NULL, NULL },
    { "--json", NULL, KIND_FLAG,
      FOR_RUN | FOR_CHECK | FOR_DOCTOR | FOR_ASK | FOR_LIBRARY | FOR_PACKAGES | FOR_MODELS |
          FOR_CONVERSATIONS,
      offsetof(options, is_json), NULL, "print JSON, an object a line", .is_common = 1 },
    { "--color", "auto|always|never", KIND_CHOICE,
      FOR_PROMPT | FOR_RUN | FOR_CHECK | FOR_QUESTIONS | FOR_LIBRARY, offsetof(options, color),
      colors, "colours (default auto; NO_COLOR is honoured)" },
    { "--output-rows", "NUMBER", KIND_COUNT, FOR_ASK, offsetof(options, output_rows), NULL,
      "of a program's output on a terminal (default 20; with -v all)" },
    { "--pictures", "auto|kitty|iterm|saved|none", KIND_CHOICE, FOR_PROMPT | FOR_QUESTIONS,
      offsetof(options, pictures), pictures,
      "how pictures are shown (default auto: as the terminal can, else saved and named)" },
    { "--prompt-history", "FILE|none", KIND_TEXT, FOR_PROMPT | FOR_QUESTIONS,
      offsetof(options, history_file), NULL,
      "where the prompt keeps what was entered (default the variable SNUG_PROMPT_HISTORY, or "
      "history in the state folder; of snug ask SNUG_ASK_HISTORY, or ask-history)" },
    { "--help", NULL, KIND_FLAG, FOR_ALL, offsetof(options, is_help), NULL, "this text" },
    { "-h", NULL, KIND_FLAG, FOR_ALL, offsetof(options, is_help), NULL, NULL },
};
const size_t option_count = sizeof option_rows / sizeof option_rows[0];
_Static_assert(sizeof option_rows / sizeof option_rows[0] <= MOST_OPTIONS, "more rows than that");

const option_row *option_find_of(const char *name, size_t len, unsigned commands)
{
    const option_row *other = NULL;

    for (size_t i = 0; i < option_count; i++) {
        const option_row *row = &option_rows[i];
        if (!row->name || strlen(row->name) != len || strncmp(row->name, name, len) != 0)
            continue;
        if (row->commands & commands)
            return row;
        if (!other)
            other = row;
    }
    return other;
}

const option_row *option_find(const char *name, size_t len)
{
    return option_find_of(name, len, ~0U);
}

const option_row *option_of_key(const char *key)
{
    for (size_t i = 0; i < option_count; i++)
        if (option_rows[i].key && !strcmp(option_rows[i].key, key))
            return &option_rows[i];
    return NULL;
}

/* By its field, because messages may call it otherwise than the library does. */
const snug_limit_description *option_limit(const option_row *row)
{
    const snug_limit_description *info;

    switch (row->kind) {
    case KIND_LIMIT:
        for (size_t i = 0; (info = snug_limit_info(i)); i++)
            if (offsetof(options, limits) + info->offset == row->field)
                return info;
        return NULL;
    case KIND_BUDGET:
        for (size_t i = 0; (info = snug_agent_limit_info(i)); i++)
            if (offsetof(options, budget) + info->offset == row->field)
                return info;
        return NULL;
    case KIND_SERVED:
        for (size_t i = 0; (info = mcp_limit_info(i)); i++)
            if (OF_MCP(limits) + info->offset == row->field)
                return info;
        return NULL;
    case KIND_FLAG:
    case KIND_SHORT:
    case KIND_TEXT:
    case KIND_URL:
    case KIND_NUMBER:
    case KIND_CHOICE:
    case KIND_LIST:
    case KIND_PAIR:
    case KIND_MOUNT:
    case KIND_TIME:
    case KIND_COUNT:
    case KIND_WHOLE:
    case KIND_SIZE:
    case KIND_CODE:
    case KIND_REFUSED:
        break;
    }

    return NULL;
}
