/*
 * command.h - what the commands of the program share: exit statuses, and the one
 * way in which they complain.
 */
#ifndef SNUG_CLI_COMMAND_H
#define SNUG_CLI_COMMAND_H

#include <snug/snug.h>

#include "cli/program/options.h"
#include "cli/program/signals.h"

enum {
    EXIT_FINE = 0,
    EXIT_FAILED = 1,      /* the cell or the answer failed */
    EXIT_USAGE = 2,       /* usage, configuration, or snug could not do its job */
    EXIT_TIMEOUT = 124,   /* as timeout(1) */
    EXIT_INTERRUPT = 130, /* 128 + SIGINT */
    EXIT_KILLED = 137     /* memory or crash */
};

int command_prompt(const options *o);
int command_run(const options *o);
int command_cells(const options *o);
int command_check(const options *o);
int command_doctor(const options *o);
int command_ask(const options *o);
int command_library(const options *o);
int command_models(const options *o);
int command_conversations(const options *o);
int command_config(const options *o);
int command_batch(const options *o);
int command_packages(const options *o);
int command_kernel(const options *o);
int command_mcp(const options *o);
int command_tools(const options *o);

/* "snug: <sentence>" on stderr. Answers status. */
__attribute__((format(printf, 2, 3))) int command_fail(int status, const char *format, ...);
/* The same with the library's message. Answers EXIT_USAGE. */
int command_fail_host(void);
/* The same where memory ran out. */
static inline int command_fail_memory(void)
{
    return command_fail(EXIT_USAGE, "out of memory");
}

/* The exit status of a program whose last cell ended so. */
int command_exit(snug_status status);
/* The host that the options ask for. EXIT_FINE, or EXIT_USAGE after one sentence, or 128 and the
 * signal that ended a worker before it was ready; s, which outlives the host, may be NULL. */
int command_open_host(snug_host **out, const options *o, signals *s);
/* The folder of --workdir is there, where it is this machine's. EXIT_FINE, or EXIT_USAGE after one
 * sentence. */
int command_make_workdir(const options *o);
/* What a host is to be by the options. limit: as command_start_ms. */
void command_set_host(snug_host_options *host, const options *o, signals *s, const char **limit);
/* The same for a further host, without a word: an error of snug.h. */
int command_make_host(snug_host **out, const options *o, signals *s);
/* The status where something could not be opened: of the signal that has stopped it, else that of
 * command_fail_host. */
int command_fail_open(signals *s);
/* How long what the options start has to be ready, in ms: a minute, or less for a question that has
 * less. *limit: the option behind that, for the end of a sentence, or "". */
uint64_t command_start_ms(const char **limit, const options *o);

#endif
