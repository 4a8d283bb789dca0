#include "cli/kernel/sent_date.h"

#include <string.h>
#include <time.h>

#include "base/ascii.h"
#include "base/clock.h"

int sent_date_parse(uint64_t *out, const char *text)
{
    struct tm parts = { 0 };
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &parts);
    uint64_t unit = NS_PER_S, fraction = 0;

    if (!rest)
        return -1;
    if (*rest == '.')
        for (rest++; is_digit(*rest); rest++) {
            unit /= 10;
            fraction += unit * (uint64_t)(*rest - '0');
        }
    if (strcmp(rest, "Z") != 0 && strcmp(rest, "+00:00") != 0)
        return -1;

    time_t seconds = timegm(&parts);
    if (seconds < 0)
        return -1;
    *out = (uint64_t)seconds * NS_PER_S + fraction;
    return 0;
}
