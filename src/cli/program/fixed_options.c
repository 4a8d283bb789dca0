#include "cli/program/fixed_options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/program/command.h"

/* 2026-01-01T00:00:00Z. */
#define FIXED_CLOCK_MS UINT64_C(1767225600000)

/* Seeds of hashes have 32 bits, and none is zero. */
#define HASH_SEEDS UINT64_C(4294967295)

static int bad_clock(const char *text)
{
    return command_fail(EXIT_USAGE,
                        "--clock %s is neither fixed nor a time from 1970 on, as 2026-03-01 or "
                        "2026-03-01T09:30:00Z is",
                        text);
}

/* A day, or a time of it, in UTC. */
static int read_time(uint64_t *out, const char *text)
{
    struct tm at = { 0 };
    const char *rest = strptime(text, "%Y-%m-%d", &at);

    if (rest && *rest == 'T')
        rest = strptime(rest, "T%H:%M:%SZ", &at);
    struct tm same = at;
    const time_t seconds = timegm(&same);
    if (!rest || *rest || !isdigit((unsigned char)*text) || same.tm_mday != at.tm_mday ||
        seconds < 1)
        return 0;
    *out = (uint64_t)seconds * 1000;
    return 1;
}

static int read_clock(options *o)
{
    if (strcmp(o->clock, "fixed") == 0)
        o->session.clock_ms = FIXED_CLOCK_MS;
    else if (!read_time(&o->session.clock_ms, o->clock))
        return bad_clock(o->clock);
    return EXIT_FINE;
}

static int read_seed(options *o)
{
    char *end = NULL;
    const size_t len = strlen(o->seed);
    if (len > 0 && len < 20 && strspn(o->seed, "0123456789") == len)
        o->session.seed = strtoull(o->seed, &end, 10);
    if (!end || *end)
        return command_fail(EXIT_USAGE, "--seed %s: expected a number of at most 19 digits",
                            o->seed);
    o->session.has_seed = 1;
    return EXIT_FINE;
}

/* The whole process is the program's own. */
static int set_zone(const options *o)
{
    if (setenv("TZ", o->zone, 1) != 0)
        return command_fail_memory();
    tzset();
    return EXIT_FINE;
}

int fixed_options_read(options *o)
{
    int status = EXIT_FINE;

    if (o->clock)
        status = read_clock(o);
    if (!status && o->seed)
        status = read_seed(o);
    if (!status && o->zone)
        status = set_zone(o);
    return status;
}

void fixed_options_set_host(snug_host_options *host, const options *o)
{
    host->zone = o->zone;
    if (o->session.has_seed)
        host->hash_seed = o->session.seed % HASH_SEEDS + 1;
}
