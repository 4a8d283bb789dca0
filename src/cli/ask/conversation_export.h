/*
 * conversation_export.h - a conversation as a document: markdown, or a notebook that runs
 * (https://nbformat.readthedocs.io/en/latest/format_description.html, 4.5).
 */
#ifndef SNUG_CLI_CONVERSATION_EXPORT_H
#define SNUG_CLI_CONVERSATION_EXPORT_H

#include <snug/agent.h>

#include "base/str.h"

/* Append to out. language: of the programs, "python" or "bash". SNUG_OK or SNUG_ENOMEM. */
int conversation_write_markdown(str *out, const snug_agent_conversation *c, const char *language);
int conversation_write_notebook(str *out, const snug_agent_conversation *c, const char *language);
/* Into a file whose name ends in .ipynb or .md; said is what messages call that. EXIT_FINE, or
 * EXIT_USAGE after one sentence. */
int conversation_save(const char *file, const char *said, const snug_agent_conversation *c,
                      const char *language);

#endif
