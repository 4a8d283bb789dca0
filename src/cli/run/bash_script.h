/*
 * bash_script.h - which inputs of snug check are scripts of bash, and what bash finds in one
 * without running it, in a sandbox.
 */
#ifndef SNUG_CLI_BASH_SCRIPT_H
#define SNUG_CLI_BASH_SCRIPT_H

#include "base/str.h"
#include "cli/program/options.h"

/* By --language, else by the input's name, NAME.sh or NAME.bash, else by the line that it begins
 * with, "#!/bin/sh". */
int bash_script_is_one(const options *o, const input *in, const str *text);

typedef struct bash_reader {
    options options; /* of its host and session; what they point to stays the command's */
    snug_host *host;
    snug_session *session;
} bash_reader;

/* EXIT_FINE, or EXIT_USAGE after one sentence. Close in both cases; a zeroed one may be, too. */
int bash_reader_open(bash_reader *r, const options *o);
/* message stays empty where nothing is found; *line is 0 where it is not told. The same statuses;
 * name is what the sentence calls the script. */
int bash_reader_check(str *message, unsigned *line, bash_reader *r, const char *name,
                      const str *script);
void bash_reader_close(bash_reader *r);

#endif
