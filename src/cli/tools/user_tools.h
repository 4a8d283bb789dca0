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

#include "cli/program/options.h"
#include "cli/program/signals.h"

typedef struct command_tool {
    struct tools *tools;
    char *name, *command;
} command_tool;

struct fetch_tool;

typedef struct tools {
    uint64_t timeout_ms; /* of a call; 0: none */
    command_tool *commands;
    size_t command_count;
    struct mcp **servers;
    size_t server_count;
    struct fetch_tool *fetch; /* NULL: there is none */
    struct tool_list *list;   /* of all of them */
    pthread_mutex_t lock;     /* of calls */
    pthread_cond_t change;
    size_t calls; /* threads that answer one */
} tools;

/* Starts the servers. EXIT_FINE, or EXIT_USAGE after one sentence, or 128 and the signal that came
 * before they were ready. Close in all cases. */
int tools_open(tools *t, const options *o, signals *s);
/* Binds all of them. As snug_session_bind_tool. */
int tools_bind(tools *t, snug_session *session);
/* As snug_agent_bind_tool. */
int tools_bind_agent(tools *t, snug_agent *agent);
/* Answers a call by fn on a thread of its own, or fails it. */
void tools_answer(tools *t, snug_call *call, void (*fn)(void *payload, snug_call *call),
                  void *payload);
/* When all sessions are closed. */
void tools_close(tools *t);

#endif
