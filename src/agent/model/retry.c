#include "agent/model/retry.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

int retry_helps(int status)
{
    static const int others[] = { 408, 409, 425, 429 };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (status == others[i])
            return 1;
    /* Not implemented, and a version of HTTP that it has not, stay so. */
    return status >= 500 && status <= 599 && status != 501 && status != 505;
}

/* splitmix64, by Sebastiano Vigna. */
uint64_t retry_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t retry_backoff_ms(const retry_rule *rule, unsigned attempt, uint64_t random)
{
    uint64_t most = rule->backoff_ms;
    for (; attempt > 0 && most < rule->longest_wait_ms; attempt--)
        most = most > UINT64_MAX / 2 ? UINT64_MAX : most * 2;
    if (most > rule->longest_wait_ms)
        most = rule->longest_wait_ms;
    return most == UINT64_MAX ? random : random % (most + 1);
}

/* A number with digits behind its point, times unit. A huge one is UINT64_MAX. */
static int read_duration(uint64_t *out, const char *text, double unit)
{
    double number = 0, place = 1;
    size_t digits = strspn(text, "0123456789");
    const char *rest = text + digits;

    for (size_t i = 0; i < digits; i++)
        number = number * 10 + (text[i] - '0');
    if (*rest == '.')
        for (rest++; *rest >= '0' && *rest <= '9'; rest++)
            number += (*rest - '0') * (place /= 10);

    if (digits == 0 || rest[strspn(rest, " \t\r\n")])
        return 0;
    *out = number * unit < 1e18 ? (uint64_t)(number * unit) : UINT64_MAX;
    return 1;
}

int retry_after_ms(uint64_t *out, const char *in_ms, const char *after, int64_t now)
{
    if (in_ms && read_duration(out, in_ms, 1))
        return 1;
    if (!after || !*after)
        return 0;
    if (read_duration(out, after, 1000))
        return 1;

    /* A date has a name of a month in it; curl also takes less for one. */
    time_t then = strlen(after) < 20 ? -1 : curl_getdate(after, NULL);
    if (then == (time_t)-1)
        return 0;
    *out = (int64_t)then > now ? (uint64_t)((int64_t)then - now) * 1000 : 0;
    return 1;
}
