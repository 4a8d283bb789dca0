/*
 * user_tools.h - what --tool and --mcp give to the cells of all sessions: commands that are
 * started for each call, and servers that live as long as the program.
 */
#ifndef SNUG_CLI_USER_TOOLS_H
#define SNUG_CLI_USER_TOOLS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include <snug/agent.h>
#include <snug/snug.h>

#include "base/str.h"
#include "cli/program/options.h"
#include "cli/program/signals.h"
#include "cli/tools/journal_file.h"

typedef struct command_tool {
    struct tools *tools;
    char *name, *command;
    char *given; /* the name that it has on the command line, if that is another one */
} command_tool;

struct fetch_tool;
struct tool_list;

typedef struct tool_server {
    struct mcp *mcp;
    char *name; /* of --upstream; NULL: its tools have their names alone */
} tool_server;

typedef struct tools {
    uint64_t timeout_ms; /* of a call; 0: none */
    command_tool *commands;
    size_t command_count;
    const options *options;
    struct tool_server *servers;
    size_t server_count;
    struct fetch_tool *fetch; /* NULL: there is none */
    struct tool_list *list;   /* of all of them */
    int is_replay;            /* they are those of the file, and nothing is started */
    journal_file *file;       /* NULL: there is neither a journal nor a replay */
    snug_journal *journal;    /* of sessions that have them; NULL: none */
    pthread_mutex_t lock;     /* of calls */
    pthread_cond_t change;
    size_t calls; /* threads that answer one */
} tools;

/* Starts the servers. EXIT_FINE, or EXIT_USAGE after one sentence, or 128 and the signal that came
 * before they were ready. Close in all cases. */
int tools_open(tools *t, const options *o, signals *s);
/* Binds all of them. As snug_session_bind_tool. */
int tools_bind(tools *t, snug_session *session);
/* Each of them, as snug_session_bind_tool would have it; error ends it. SNUG_OK or that. */
int tools_visit(tools *t, int (*visit)(void *target, const snug_tool *tool), void *target);
/* As snug_agent_bind_tool. */
int tools_bind_agent(tools *t, snug_agent *agent);
/* Answers a call by fn on a thread of its own, or fails it. */
void tools_answer(tools *t, snug_call *call, void (*fn)(void *payload, snug_call *call),
                  void *payload);
/* Appends a sentence for each server that could not be reached. SNUG_OK or SNUG_ENOMEM. */
int tools_write_missing(str *out, const tools *t);
/* When all sessions are closed. As journal_file_close. */
int tools_close(tools *t);

#endif
