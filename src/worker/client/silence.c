#include "worker/client/silence.h"

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
