/*
 * presets.h - configurations that come with snug, as they are in cli/program/presets/, made by
 * embed.py.
 */
#ifndef SNUG_CLI_PRESETS_H
#define SNUG_CLI_PRESETS_H

#include <stddef.h>

typedef struct preset {
    const char *name;
    const char *about; /* what it is for, its first line */
    const char *text;
} preset;

/* Up to one without a name. */
extern const preset presets_built_in[];

#endif
