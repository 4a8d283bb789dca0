#include "cli/program/fixed_options.h"

#include <ctype.h>
#include <stdio.h>
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
                        "2026-03-01T09:30:00+01:00 is",
                        text);
}

/* Behind the seconds: a fraction of three digits at most. */
static const char *read_fraction(const char *at, uint64_t *ms)
{
    uint64_t unit = 100;

    if (*at != '.' || !isdigit((unsigned char)at[1]))
        return at;
    for (at++; isdigit((unsigned char)*at) && unit > 0; at++, unit /= 10)
        *ms += (uint64_t)(*at - '0') * unit;
    return at;
}

/* "", "Z" or "+01:00": minutes to take off. 0: it is none of these. */
static int read_offset(const char *at, long *minutes)
{
    int hour, minute, len = 0;

    *minutes = 0;
    if (!*at || strcmp(at, "Z") == 0)
        return 1;
    if ((*at != '+' && *at != '-') || strlen(at) != strlen("+00:00") ||
        sscanf(at + 1, "%2d:%2d%n", &hour, &minute, &len) != 2 || len != 5 || hour > 23 ||
        minute > 59)
        return 0;
    *minutes = (*at == '-' ? -1 : 1) * (hour * 60 + minute);
    return 1;
}

/* Seconds may be left out, and all of the time. Without an offset it is UTC. */
static int read_time(uint64_t *out, const char *text)
{
    struct tm at = { 0 };
    uint64_t ms = 0;
    long minutes;
    const char *rest = strptime(text, "%Y-%m-%d", &at);

    if (rest && (*rest == 'T' || *rest == ' ')) {
        const char *with_seconds = strptime(rest + 1, "%H:%M:%S", &at);
        rest = with_seconds ? read_fraction(with_seconds, &ms) : strptime(rest + 1, "%H:%M", &at);
    }

    struct tm same = at;
    time_t seconds = rest ? timegm(&same) : 0;
    if (!rest || !isdigit((unsigned char)*text) || same.tm_mday != at.tm_mday ||
        !read_offset(rest, &minutes))
        return 0;
    seconds -= minutes * 60;
    if (seconds < 1)
        return 0;
    *out = (uint64_t)seconds * 1000 + ms;
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
