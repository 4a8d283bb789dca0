/*
 * options.h - the options of all commands, read from arguments and the configuration.
 */
#ifndef SNUG_CLI_OPTIONS_H
#define SNUG_CLI_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <snug/agent.h>
#include <snug/snug.h>

#include "cli/program/served_limits.h"
#include "cli/terminal/term.h"

struct option_row; /* of option_table.h */

/* The commands, as bits for the table of options. */
enum {
    FOR_PROMPT = 1 << 0,
    FOR_RUN = 1 << 1,
    FOR_CELLS = 1 << 2,
    FOR_CHECK = 1 << 3,
    FOR_DOCTOR = 1 << 4,
    FOR_QUESTIONS = 1 << 5, /* snug ask */
    FOR_BATCH = 1 << 6,
    FOR_ASK = FOR_QUESTIONS | FOR_BATCH, /* what asks a model */
    FOR_LIBRARY = 1 << 8,
    FOR_CONFIG = 1 << 9, /* takes the options of ask */
    FOR_PACKAGES = 1 << 10,
    FOR_KERNEL = 1 << 11,
    FOR_MODELS = 1 << 12,
    FOR_CONVERSATIONS = 1 << 13,
    FOR_MCP = 1 << 14,
    FOR_TOOLS = 1 << 15,
    FOR_SESSIONS = FOR_PROMPT | FOR_RUN | FOR_CELLS | FOR_ASK | FOR_KERNEL | FOR_MCP,
    FOR_ALL = FOR_SESSIONS | FOR_CHECK | FOR_DOCTOR | FOR_LIBRARY | FOR_PACKAGES | FOR_MODELS |
              FOR_CONVERSATIONS | FOR_TOOLS,
    FOR_CALLERS = FOR_SESSIONS | FOR_TOOLS,        /* what has tools */
    FOR_STRANGERS = FOR_ASK | FOR_KERNEL | FOR_MCP /* where programs are a model's, or anybody's */
};

/* An argument that is not an option: a file, "-" for stdin, or the text behind -c. */
typedef struct input {
    int is_code;
    const char *text;
} input;

/* The values of an option that may be repeated. */
typedef struct text_list {
    const char **items; /* with a NULL behind them, or NULL */
    size_t count, cap;
} text_list;

/* Of snug packages. */
typedef struct packages_options {
    const char *into, *in, *wheels;
    text_list files; /* of requirements */
    int requires_hashes, builds;
} packages_options;

/* Of snug kernel. */
typedef struct kernel_options {
    const char *connection_file;
    const char *prefix, *name, *display_name; /* of install */
    int is_user, is_sys_prefix, is_all;
} kernel_options;

/* What stands beside the text of an answer. */
typedef enum structured_choice {
    STRUCTURED_BRIEF,
    STRUCTURED_FULL,
    STRUCTURED_NONE
} structured_choice;

/* Of snug mcp. */
typedef struct mcp_options {
    const char *http;       /* "[HOST:]PORT"; NULL: stdio */
    const char *token_file; /* of --http */
    const char *state;
    text_list origins;
    int structured;    /* structured_choice */
    mcp_limits limits; /* zero: the default */
} mcp_options;

/* Where sessions are, and which. BY_COMMAND is none after options_parse. */
typedef enum isolation_choice {
    BY_COMMAND,
    IN_PROCESS,
    IN_WORKER,
    AS_FULL,
    AS_BASH
} isolation_choice;

typedef enum install_choice { INSTALL_NOTHING, INSTALL_ASKED, INSTALL_YES } install_choice;

typedef enum programming_language { BY_QUESTION, IN_PYTHON, IN_BASH } programming_language;

typedef struct options {
    snug_session_options session; /* profile, allow, workdir and limits are filled in */
    snug_limits limits;           /* the session's */
    input *inputs;
    size_t input_count, input_cap;
    text_list allow;    /* further modules */
    int is_data;        /* the usual packages too, in full sessions */
    text_list forbid;   /* patterns that no program may have */
    snug_mount *mounts; /* a path is the beginning of one allocation with its name */
    size_t mount_count, mount_cap;
    text_list tools;          /* "NAME=COMMAND" */
    text_list servers;        /* commands that start MCP servers */
    uint64_t tool_timeout_ms; /* 0: none */
    uint64_t upstream_ms;     /* until a server is missing; 0: they have to be there */
    text_list tool_rules;     /* "PATTERN=DECISION" */
    snug_tool_rule *rules;    /* the same, read */
    size_t rule_count;
    const char *journal_path, *replay_path;
    uint64_t journal_bytes;   /* 0: the default */
    text_list upstreams;      /* "NAME=COMMAND" */
    text_list upstream_files; /* of other programs, with mcpServers */
    const char *tools_search; /* of snug tools; NULL: all */
    text_list fetch_hosts;    /* rules of fetch/rules.h */
    text_list fetch_secrets;  /* "NAME=HOST:VARIABLE" */
    const char *fetch_methods;
    uint64_t fetch_bytes, fetch_ms, fetch_calls; /* 0: the default */
    const char *clock, *seed, *zone;             /* of fixed_options.h */
    const char *allowlist;
    char *allowlist_path; /* the same with a slash in it, as the library wants files */
    const char *profile;
    const char *workdir;
    const char *restore_path, *save_path, *export_path; /* of session_files.h */
    snug_agent_options agent;                           /* models, mode and limits are filled in */
    snug_agent_limits budget;                           /* the agent's */
    text_list request_fields, headers;                  /* of the agent: "NAME=VALUE" */
    text_list data;                                     /* "NAME=FILE" */
    text_list images;                                   /* paths */
    text_list checks;
    const char *expect, *context_path, *language;
    const char *conversation; /* of --session */
    const char *title, *kind; /* of a document */
    int forgets;              /* the conversation is removed */
    int has_cache;            /* of replies, in the state folder */
    const char *code_path;    /* of a program that is there already */
    int is_explained;
    packages_options packages;
    kernel_options kernel;
    mcp_options mcp;
    const char *out_path;   /* of the results of a batch */
    const char *out_folder; /* of what programs made; "none": nowhere; NULL: one is made for it */
    uint64_t jobs;          /* tasks at a time; 0: one */
    int format;             /* snug_reply_format */
    int has_no_data;        /* files named in the question, and what is piped in, stay out */
    uint64_t input_bytes;   /* of a file or stdin that a session has a copy of; 0: the default */
    int install;            /* install_choice, of packages that programs want */
    int is_quiet;
    int color;                /* term_mode */
    int pictures;             /* a picture_mode */
    const char *history_file; /* of the prompt; "none": none */
    int isolation;            /* isolation_choice */
    const char *worker_command;
    const char *docker_image;   /* of the containers that workers live in; NULL: none */
    char *docker_command;       /* worker_command, where there is an image */
    int falls_back;             /* where no worker starts, to this process */
    const char *package_folder; /* of full sessions */
    uint64_t pool;              /* spare sessions */
    uint64_t output_rows;       /* of a program on a terminal; 0: the default */
    int is_help;
    int is_json;
    int is_verbose;
    int goes_on;      /* after a cell that failed */
    int is_cells;     /* a .py file is shown as cells, and not run as a script */
    char **arguments; /* of the script, in argv; NULL: the inputs are cells */
    size_t argument_count;
    int program_language;      /* programming_language */
    int program_style;         /* a snug_agent_style */
    int asks_first;            /* before each program runs */
    int is_unimproved;         /* one program, unless --max-attempts says otherwise */
    const char *config_path;   /* NULL: SNUG_CONFIG, or where it lies by default */
    const char *config_name;   /* of a preset, or of a file in the configuration folder */
    int is_disabled;           /* no question is answered */
    text_list overrides;       /* "KEY=VALUE" */
    struct settings *settings; /* of settings.h, where the command has a configuration */
    text_list *given;          /* the values of each option of the table, as they were given */
} options;

/* Reads the arguments behind the command's name; command is its bit. Texts stay
 * the caller's. 0, or EXIT_USAGE after one sentence on stderr. Free in both cases. */
int options_parse(options *out, const char *name, unsigned command, int argc, char **argv);
void options_free(options *o);
/* What was given for an option on the command line; of a flag, an item for each time. NULL: it was
 * not. */
const text_list *options_given(const options *o, const char *option);
/* The same of a row of the table. */
const text_list *options_given_row(const options *o, const struct option_row *row);
/* The options of a command, one a line, for its help. */
void options_print(FILE *stream, unsigned command, int only_common);

/* Whether the model decides that the programs are in bash. */
int options_may_be_bash(const options *o);
/* The same options for sessions of bash; what they point to stays theirs. */
options options_in_bash(const options *o);

#endif
