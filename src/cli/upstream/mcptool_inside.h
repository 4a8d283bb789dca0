/*
 * mcptool_inside.h - what mcptool.c and mcptool_parameters.c share.
 */
#ifndef SNUG_CLI_MCPTOOL_INSIDE_H
#define SNUG_CLI_MCPTOOL_INSIDE_H

#include "cli/upstream/mcptool.h"
#include "cli/upstream/schema_ref.h"

/* The arguments of a tool. */
typedef struct mcptool_input {
    schema_document *document;
    schema_parts parts; /* of its root */
} mcptool_input;

/* Whether one of the first parts has a property of that name. */
int mcptool_has_property(const mcptool_input *in, size_t parts, const char *name);
/* Sets signature, typed and optional. SNUG_OK or SNUG_ENOMEM. */
int mcptool_write_signature(mcptool *out, const mcptool_input *in);

#endif
