/*
 * init_structs.c - the _INIT values of snug.h and program.h as functions.
 */
#include <snug/program.h>

#include "base/options.h"

OPTIONS_INIT(snug_limits)
OPTIONS_INIT(snug_host_options)
OPTIONS_INIT(snug_health)
OPTIONS_INIT(snug_pool)
OPTIONS_INIT(snug_parking)
OPTIONS_INIT(snug_session_options)
OPTIONS_INIT(snug_tool)
OPTIONS_INIT(snug_scan_options)
OPTIONS_INIT(snug_program_options)
OPTIONS_INIT(snug_answer)
OPTIONS_INIT(snug_mapped)
