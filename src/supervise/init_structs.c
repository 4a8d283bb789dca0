/*
 * init_structs.c - the _INIT values of supervisor.h as functions.
 */
#include <snug/supervisor.h>

#include "base/options.h"

OPTIONS_INIT(snug_supervisor_limits)
OPTIONS_INIT(snug_supervisor_options)
