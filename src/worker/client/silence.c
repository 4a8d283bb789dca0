#include "worker/client/silence.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/u64.h"

/* One that has used an eighth of the time could have answered. */
static int has_starved(const silence *s, uint64_t cpu_ns)
{
    return cpu_ns > 0 && s->cpu_ns > 0 && cpu_ns - s->cpu_ns < s->listened_ns / 8;
}

static silence_state judge_silence(const silence *s, uint64_t cpu_ns)
{
    if (s->listened_ns / SILENCE_PATIENCE >= s->most_ns || !has_starved(s, cpu_ns))
        return SILENCE_GONE;
    return SILENCE_STARVED;
}

silence_state silence_look(silence *s, uint64_t now_ns, uint64_t heard_ns, uint64_t cpu_ns)
{
    const uint64_t since_ns = heard_ns > s->looked_ns ? heard_ns : s->looked_ns;
    const int was_asked = s->asked_ns > heard_ns;

    if (heard_ns > s->looked_ns)
        s->listened_ns = 0;
    s->listened_ns = u64_sum(s->listened_ns, u64_least(now_ns - since_ns, s->look_ns));
    s->looked_ns = now_ns;

    if (s->listened_ns < s->look_ns)
        return SILENCE_SHORT;
    if (was_asked && s->listened_ns >= s->most_ns)
        return judge_silence(s, cpu_ns);
    if (was_asked && now_ns - s->asked_ns < s->look_ns)
        return SILENCE_SHORT;

    if (!was_asked)
        s->cpu_ns = cpu_ns;
    s->asked_ns = now_ns;
    return SILENCE_ASK;
}

uint64_t signs_cpu_ns(pid_t process)
{
    clockid_t clock;
    struct timespec t;
    if (process <= 0 || clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return 0;
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static int thread_runs(const char *folder, const char *number)
{
    char path[PATH_MAX], text[512];

    if (snprintf(path, sizeof path, "%s/%.20s/stat", folder, number) >= (int)sizeof path)
        return 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;

    size_t len = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[len] = '\0';
    const char *state = strrchr(text, ')'); /* the name before it may hold anything */
    return state && state[1] == ' ' && (state[2] == 'R' || state[2] == 'D');
}

int signs_any_runs(const char *folder)
{
    int any_runs = 0;
    DIR *dir = opendir(folder);
    if (!dir)
        return -1;

    for (const struct dirent *item; !any_runs && (item = readdir(dir));)
        any_runs = *item->d_name != '.' && thread_runs(folder, item->d_name);
    closedir(dir);
    return any_runs;
}

int signs_is_running(pid_t process)
{
    char folder[64];

    snprintf(folder, sizeof folder, "/proc/%d/task", (int)process);
    return signs_any_runs(folder);
}
