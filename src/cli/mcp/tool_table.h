/*
 * tool_table.h - the tools of snug mcp: names, schemas, and who serves them.
 */
#ifndef SNUG_CLI_MCP_TOOL_TABLE_H
#define SNUG_CLI_MCP_TOOL_TABLE_H

#include "cli/mcp/answer.h"
#include "cli/mcp/server.h"

typedef enum argument_type { ARGUMENT_TEXT, ARGUMENT_NUMBER, ARGUMENT_BOOL } argument_type;

typedef struct tool_argument {
    const char *name; /* NULL: the end */
    argument_type type;
    int is_required;
    const char *about; /* NULL: by the name, and by who asks */
} tool_argument;

typedef enum tool_session {
    SESSION_OPENED, /* opened where none is named */
    SESSION_NAMED,  /* one must be named */
    SESSION_CLOSED, /* the same, and it is not leased */
    SESSION_NONE    /* it takes none */
} tool_session;

typedef struct mcp_tool {
    const char *name, *title, *about;
    tool_argument arguments[6];
    const char *annotations; /* JSON */
    tool_session session;
    int needs_bash;
    int needs_servers; /* whose tools cells can call */
    /* Answers into a. lease: of its session; NULL where it is closed, or there is none. */
    void (*run)(mcp_call *c, snug_lease *lease, const cJSON *arguments, answer *a);
} mcp_tool;

/* NULL: there is none of that name here. */
const mcp_tool *tool_find(const mcp_server *s, const char *name);
/* Appends the list, JSON. SNUG_OK or SNUG_ENOMEM. */
int tool_write_list(str *out, const mcp_call *c);
/* Finds the session of a tools/call and queues it, or answers it with what is wrong. */
void tool_take(mcp_call *c);

/* run_tools.c and session_tools.c */
void run_code(mcp_call *c, snug_lease *lease, const cJSON *arguments, answer *a);
void list_variables(mcp_call *c, snug_lease *lease, const cJSON *arguments, answer *a);
void list_files(mcp_call *c, snug_lease *lease, const cJSON *arguments, answer *a);
void read_file(mcp_call *c, snug_lease *lease, const cJSON *arguments, answer *a);
void write_file(mcp_call *c, snug_lease *lease, const cJSON *arguments, answer *a);
void reset_session(mcp_call *c, snug_lease *lease, const cJSON *arguments, answer *a);
void save_session(mcp_call *c, snug_lease *lease, const cJSON *arguments, answer *a);
void restore_session(mcp_call *c, snug_lease *lease, const cJSON *arguments, answer *a);
void close_session(mcp_call *c, snug_lease *lease, const cJSON *arguments, answer *a);
void find_tools(mcp_call *c, snug_lease *lease, const cJSON *arguments, answer *a);
/* Whether its client has saved the session. */
int call_has_save(const mcp_call *c);
/* The most time that a cell may have. */
uint64_t call_most_ms(const options *o);
enum { MOST_HANDLES = 10000 };

#endif
