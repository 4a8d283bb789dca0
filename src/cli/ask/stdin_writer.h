/*
 * stdin_writer.h - whether a stdin that says nothing is one that nobody meant: handed on from
 * whoever started the script around us (a job of CI, ssh without -n), open, and idle.
 */
#ifndef SNUG_CLI_STDIN_WRITER_H
#define SNUG_CLI_STDIN_WRITER_H

/* It is the parent's stdin as well, and of all the processes that can be seen none writes to it but
 * those that we were started by. So it is waited for where somebody made a pipe for us, and where a
 * slow program is in front of us or of the script. Reads /proc: not for the first millisecond. */
int stdin_is_left_over(void);

#endif
