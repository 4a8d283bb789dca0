/* The program: its commands, their help, and which of them the arguments name. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "cli/program/command.h"
#include "cli/program/level.h"
#include "cli/program/removed.h"
#include "cli/program/secrets.h"

typedef struct command {
    const char *name;
    int (*run)(const options *);
    unsigned bit;
    const char *arguments; /* what its usage line says behind the name; NULL: takes none */
    const char *about;
    const char *details;
    const char *brief; /* in place of details, with a few options; NULL: all are few */
} command;

static const command commands[] = {
    { "run", command_run, FOR_RUN, "[OPTION...] FILE.py [ARGUMENT...] | [FILE.ipynb|-|-c CODE]...",
      "run a script, or cells from files, notebooks or stdin",
      "Runs FILE.py as python3 does: what stands behind it are its arguments, its output and "
      "stdin\n"
      "are those of snug, and so is its exit status. A file with lines \"# %%\", which begin "
      "cells,\n"
      "a notebook, stdin and CODE are shown as cells, in one session, up to the first one that\n"
      "fails; a cell with the tag raises-exception may. With --cells, --keep-going, --json or\n"
      "--export .py files are cells too, and there may be several.\n"
      "\n"
      "Exit status: 0 fine, 1 a cell failed, 2 usage, 124 timeout, 130 interrupted, 137 memory\n"
      "or crash; or that of the script.\n" },
    { "cells", command_cells, FOR_CELLS, NULL, "JSON Lines on stdin and stdout, many sessions",
      "Reads one object a line and answers each with one line:\n"
      "  {\"session\": \"a\", \"code\": \"x = 1\"}     optional: id, timeout (seconds), reset,\n"
      "                                        record\n"
      "  {\"session\": \"a\", \"op\": \"interrupt\"}   or reset, complete, is_complete, vars,\n"
      "                                        inspect, save, restore, export, put, get,\n"
      "                                        files, remove\n"
      "  {\"session\": \"a\", \"close\": true}\n"
      "Sessions open at first use. Answers come in order within a session and as they finish\n"
      "across sessions.\n" },
    { "check", command_check, FOR_CHECK, "[OPTION...] [FILE.py|FILE.ipynb|FILE.sh|-|-c CODE]...",
      "scan without running: syntax, imports, calls, length",
      "Prints \"file:line:column: rule: message\" for each finding. Nothing is run. With "
      "--upstream\n"
      "and the like, calls of the tools are judged by what these take. FILE.sh, and\n"
      "what begins with a line as #!/bin/bash, is a script of bash, which bash reads in its\n"
      "sandbox; --language says otherwise.\n"
      "\n"
      "Exit status: 0 no findings, 1 findings, 2 usage.\n" },
    { "ask", command_ask, FOR_QUESTIONS, "[OPTION...] [QUESTION...]",
      "ask a model, which writes and runs the code for the answer",
      "Each question is answered in turn, in one session: later ones find the variables of\n"
      "those before. Without a question a terminal has a prompt for a conversation, whose /help\n"
      "says more, and elsewhere the lines of stdin are questions; \"-\" is all of stdin.\n"
      "What is piped in beside a question is data for it, as the variable stdin, and so are files\n"
      "that a question names. The steps are shown on stderr while they happen, the answer is on\n"
      "stdout. With --json each step is a line of JSON, and the reply the last one. An argument\n"
      "KEY=VALUE is a key of the configuration; question=TEXT is a question.\n"
      "\n"
      "Exit status: 0 answered, 1 not answered, 2 usage or configuration, 130 interrupted.\n",
      "A model writes a program for the question, snug runs it in a session with limits, and the\n"
      "answer is on stdout. Files that the question names, and what is piped in, are its data.\n"
      "Without a question a terminal has a prompt; later ones find the variables of those before.\n"
      "  snug ask \"Which region sold most in sales.csv?\"\n"
      "  snug ask --session sales \"And in March?\"\n" },
    { "library", command_library, FOR_LIBRARY,
      "[OPTION...] add FILE...|list|show NAME...|search WORDS|remove NAME...",
      "snippets and documents that questions find",
      "Puts texts into a library, shows what there is, searches it as snug ask --library does,\n"
      "and removes by name. A file's name is its name in the library; one that is there already\n"
      "is replaced. The library is a file in the state folder ($XDG_STATE_HOME/snug, or\n"
      "~/.local/state/snug) unless --library names one.\n"
      "\n"
      "Exit status: 0 fine, 1 nothing was found, 2 usage, or a file that is not right.\n" },
    { "conversations", command_conversations, FOR_CONVERSATIONS,
      "[OPTION...] list | show NAME | export NAME FILE.ipynb|FILE.md | remove NAME...",
      "what snug ask --session has kept",
      "list shows the conversations with their number of questions and the last one, show prints\n"
      "one, with its programs, export writes it as a notebook that runs, or as markdown, and "
      "remove\n"
      "forgets it. A name is that of --session; programs of one that ends in .bash are shown as\n"
      "bash.\n"
      "\n"
      "Exit status: 0 fine, 1 there is none, 2 usage, or a file that is not right.\n" },
    { "models", command_models, FOR_MODELS, "[OPTION...] [WORD...]",
      "models that can be asked here",
      "Lists the models of each provider whose key is in the environment, and of servers on this\n"
      "machine: Ollama, vLLM, llama.cpp, LM Studio. With words only those that have them all in\n"
      "their names. Where no model is named, snug ask takes the first that is marked.\n"
      "\n"
      "Exit status: 0 fine, 1 there is none.\n" },
    { "config", command_config, FOR_QUESTIONS | FOR_CONFIG,
      "check [FILE] | show [OPTION...] | presets",
      "the configuration of snug ask: is it right, what is in force",
      "check reads FILE, or the file in force, and says what is not right. show prints each key\n"
      "with its value and where that comes from; options and overrides are those of snug ask.\n"
      "presets lists what --config-name NAME takes, besides NAME.yaml in the configuration "
      "folder.\n"
      "\n"
      "Exit status: 0 fine, 2 not.\n" },
    { "batch", command_batch, FOR_BATCH, "[OPTION...] TASKS.jsonl",
      "ask a model many questions, several at a time",
      "Each line of TASKS.jsonl is a task, asked in a session of its own:\n"
      "  {\"id\": \"t1\", \"question\": \"...\"}   optional: inputs {name: path}, checks [code],\n"
      "                                       max_attempts\n"
      "The reply is a line of the file of results as soon as the task has ended. Started again,\n"
      "it goes on with the tasks that have no line there. A summary is printed at the end.\n"
      "\n"
      "Exit status: 0 all answered, 1 some not, 2 usage or configuration, 130 interrupted.\n" },
    { "packages", command_packages, FOR_PACKAGES, "[OPTION...] install [NAME[==VERSION]...] | list",
      "folders of packages for sessions",
      "install has the pip of the Python that snug was built for install packages into a new\n"
      "folder, outside of any session, and prints the folder's path. Wheels only, unless --build\n"
      "is given. list shows the names and versions of the packages in a folder.\n"
      "\n"
      "Exit status: 0 fine, 1 not installed, 2 usage, 130 interrupted.\n" },
    { "kernel", command_kernel, FOR_KERNEL, "[OPTION...] -f FILE | install | list | uninstall NAME",
      "a kernel for Jupyter's front ends",
      "With -f it is a kernel: what a front end starts, with the file that says where to listen.\n"
      "install tells front ends of it, by a kernel specification: the options of sessions that "
      "are\n"
      "given with it are those of its sessions. list shows what is installed, uninstall removes\n"
      "it.\n"
      "\n"
      "Exit status: 0 fine, 2 usage, or the kernel could not start.\n" },
    { "mcp", command_mcp, FOR_MCP, "[OPTION...]",
      "a server of the Model Context Protocol, for any agent",
      "Serves sessions to clients of MCP: run_python, run_bash where there is bubblewrap, their\n"
      "variables and files, save, restore and close. A call without a session opens one, and its\n"
      "answer names it. On stdio a client starts it; --http serves many\n"
      "clients. Sessions live in a worker process unless --isolation local is given. One that\n"
      "nobody calls is saved, and comes back at its next call.\n"
      "\n"
      "Exit status: 0 fine, 2 usage, or the server could not start.\n",
      "Serves sessions to clients of MCP: run_python, run_bash where there is bubblewrap, and "
      "what\n"
      "belongs to them. On stdio a client starts it; --http serves many clients.\n"
      "  snug mcp --http 8080\n" },
    { "tools", command_tools, FOR_TOOLS, NULL,
      "what cells can call with these options, as typed stubs",
      "Starts the servers that the options name, and prints the functions that cells have of them\n"
      "and of the other tools: the text of a .pyi file, for people, prompts and type checkers.\n"
      "\n"
      "Exit status: 0 fine, 1 --search has found nothing, 2 usage, or a server did not start.\n" },
    { "doctor", command_doctor, FOR_DOCTOR, NULL, "what this machine offers, and the limits",
      "Prints the Python and the protections in force, the limits with their defaults, and\n"
      "what the kernel offers. With --model it asks that model for a few tokens, and says what is\n"
      "wrong where it does not answer.\n"
      "\n"
      "Exit status: 0 fine, 1 the model does not answer, 2 no session can be opened.\n" },
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

/* What "snug" does without a command. */
static const command bare = {
    "snug", NULL, FOR_PROMPT, NULL, NULL, NULL,
};

static int fail_unknown_command(const char *name)
{
    const char *names[COMMANDS + 1];

    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = commands[i].name;
    names[COMMANDS] = "help";
    const char *advice = removed_advice(name, strlen(name));
    if (advice)
        return command_fail(EXIT_USAGE, "snug %s was removed; %s", name, advice);
    if (access(name, F_OK) == 0)
        return command_fail(EXIT_USAGE, "unknown command \"%s\"; snug run %s runs the file", name,
                            name);

    if (name[strcspn(name, " \t\n")])
        return command_fail(EXIT_USAGE, "\"%s\" is not a command; snug ask \"...\" asks a question",
                            name);
    const char *near = nearest_typed(name, names, COMMANDS + 1);
    if (near)
        return command_fail(EXIT_USAGE, "unknown command \"%s\"; did you mean %s?", name, near);
    return command_fail(EXIT_USAGE, "unknown command \"%s\"; snug --help lists all commands", name);
}

/* NULL after one sentence on stderr. */
static const command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];

    fail_unknown_command(name);
    return NULL;
}

static int print_overview(void)
{
    puts("snug runs Python in restricted, persistent sessions.\n"
         "\n"
         "  snug [OPTION...]           a notebook-like prompt; runs stdin if that is not a "
         "terminal");

    for (size_t i = 0; i < COMMANDS; i++)
        printf("  snug %-21s %s\n", commands[i].name, commands[i].about);

    puts("  snug help COMMAND          more about a command\n"
         "  snug --version\n"
         "\n"
         "Options of the prompt and of all sessions:");
    options_print(stdout, FOR_PROMPT, 0);
    return EXIT_FINE;
}

static int print_command_help(const command *c, int is_all)
{
    if (c == &bare)
        return print_overview();
    const int is_brief = c->brief && !is_all;
    printf("snug %s %s\n\n%s\nOptions:\n", c->name, c->arguments ? c->arguments : "[OPTION...]",
           is_brief ? c->brief : c->details);
    options_print(stdout, c->bit, is_brief);
    if (is_brief)
        printf("\nsnug help %s --all lists all options.\n", c->name);
    else if (c->bit & FOR_ASK)
        puts("\nOptions of sessions, as of snug run: snug help run. Limits, with their options: "
             "snug\n"
             "doctor. Keys of the configuration, which are given as KEY=VALUE: snug config show.");
    return EXIT_FINE;
}

static int print_version(void)
{
#ifdef SNUG_BUILT_FOR
    const char *level = level_built_in();
    printf("snug %s, for %s", snug_version(), SNUG_BUILT_FOR);
    if (*level)
        printf(" (%s)", level);
    putchar('\n');
#else
    printf("snug %s\n", snug_version());
#endif
    return EXIT_FINE;
}

/* "snug ask --help --all" */
static int wants_all(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--all") == 0)
            return 1;
    return 0;
}

static int run_command(const command *c, int argc, char **argv)
{
    options o;
    int status = options_parse(&o, c->name, c->bit, argc, argv);
    if (!status)
        status = secrets_learn(&o, (c->bit & FOR_ASK) != 0);
    if (status)
        goto done;

    if (o.is_help)
        status = print_command_help(c, wants_all(argc, argv));
    else if (o.input_count > 0 && !c->arguments)
        status = command_fail(EXIT_USAGE, "%s takes no argument, but \"%s\" was given", c->name,
                              o.inputs[0].text);
    else if (c != &bare)
        status = c->run(&o);
    else if (isatty(STDIN_FILENO))
        status = command_prompt(&o);
    else
        status = command_run(&o);

done:
    secrets_forget();
    options_free(&o);
    return status;
}

static int run_help(int argc, char **argv)
{
    if (argc == 0)
        return print_overview();
    const int is_all = argc == 2 && wants_all(1, argv + 1);
    if (argc > 1 && !is_all)
        return command_fail(EXIT_USAGE, "help takes one command, but %d were given", argc);

    const command *c = find_command(argv[0]);
    if (!c)
        return EXIT_USAGE;
    return print_command_help(c, is_all);
}

static int dispatch_command(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "";
    if (!strcmp(first, "--version") || !strcmp(first, "-V"))
        return print_version();

    if (!strcmp(first, "help"))
        return run_help(argc - 2, argv + 2);
    if (!*first || *first == '-')
        return run_command(&bare, argc - 1, argv + (argc > 0));

    const command *c = find_command(first);
    if (!c)
        return EXIT_USAGE;
    return run_command(c, argc - 2, argv + 2);
}

/* A closed descriptor would be given to the next file or pipe that is opened. In its
 * place comes one that fails in the same way: it cannot be read, or not written. */
static void hold_closed(void)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
    hold_closed();
    /* A reader that goes away is an error of write, so that sessions still close. */
    signal(SIGPIPE, SIG_IGN);
    int status = dispatch_command(argc, argv);
    if ((fflush(stdout) == 0 && !ferror(stdout)) || status != EXIT_FINE)
        return status;

    /* A reader that went away knows why. */
    if (errno == EPIPE)
        return EXIT_FAILED;
    return command_fail(EXIT_FAILED, "stdout: %s", strerror(errno));
}
