/*
 * shell.h - the bash of a session: a process that takes cells over a pipe and tells how they end.
 *
 * It is interactive by its option -i, though it reads from a pipe: only then does an interrupt end
 * what is under way and leave the shell as it is.
 */
#ifndef SNUG_BASH_SHELL_H
#define SNUG_BASH_SHELL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

typedef struct shell_limits {
    uint64_t data_bytes, file_bytes, cpu_s, processes; /* of each process; SNUG_UNLIMITED */
} shell_limits;

typedef struct shell {
    pid_t pid;      /* 0: none */
    int end;        /* pidfd */
    int control;    /* what it reads; written without waiting */
    int streams[2]; /* a cell's stdout and stderr, read in the same way */
    int status;     /* what it tells */
    int lines[2];   /* answers to read: ours to drain, ours to write */
    int terminal;   /* of what it says between cells, which nobody reads */
    str unsent;     /* for control */
    str said;       /* by status; what is not a whole message yet */
    size_t heard;   /* its first bytes, which are done with */
    int is_bad;     /* what it said was too long */
} shell;

typedef enum shell_message {
    SHELL_NOTHING,
    SHELL_END,   /* of a cell */
    SHELL_EXIT,  /* of a cell and the shell */
    SHELL_INPUT, /* read asks for a line, with prompt */
} shell_message;

typedef struct shell_word {
    uint64_t cell;
    int status;
    const char *variables, *functions; /* within what was said, until the next call */
    const char *restore;
    const char *prompt;
} shell_word;

/* Starts bash in the working directory. has_input: read asks for lines. SNUG_OK, or SNUG_ESYSTEM
 * or SNUG_ENOMEM with a message. */
int shell_open(shell *s, const shell_limits *limits, int has_input);
/* Kills it and closes what is open; a closed or zeroed one is fine. Answers how it ended, as
 * waitpid. */
int shell_close(shell *s);
/* Gives it text to read: what it takes now, and the rest with shell_flush. SNUG_OK or SNUG_ENOMEM.
 */
int shell_tell(shell *s, const char *text, size_t len);
void shell_flush(shell *s);
/* The next message of those that have come. */
shell_message shell_hear(shell *s, shell_word *out);
/* Reads what there is; also of the terminal. */
void shell_listen(shell *s);
/* NULL: read finds the end of its input. */
void shell_answer(shell *s, const char *line, size_t len);
void shell_forget_answers(shell *s);
/* A program that judges source by its syntax: SNUG_OK with the messages, empty where it is
 * fine; else with a message. While nothing looks at the processes, which would have its status. */
int shell_check(str *out, const char *source, size_t len);

#endif
