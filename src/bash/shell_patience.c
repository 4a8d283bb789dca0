#include "bash/shell_patience.h"

#include "base/clock.h"
#include "base/u64.h"

/* A caller is not kept for longer, however little the machine gives a shell. */
#define LONGEST_NS (30 * NS_PER_S)

/* Who has to run before there is an answer: the shell, or a process of the cell that it waits for.
 * That of an earlier cell is in the background. */
static proc_turns find_next(bash_session *b)
{
    proc_turns next = { 0 };

    if (procs_read_turns(&next, b->shell.pid) != 0 || next.is_runnable)
        return next;
    if (procs_look(&b->now, b->shell.pid) != 0)
        return next;

    pid_t child = procs_find_runnable(&b->now, &b->before, b->shell.pid);
    if (child)
        procs_read_turns(&next, child);
    return next;
}

/* The kernel adds a wait to its account when the wait is over. While it
 * goes on, the process is runnable and has not run since the last look. */
static uint64_t waited_since(const proc_turns *last, const proc_turns *now, uint64_t passed_ns)
{
    if (now->pid != last->pid)
        return 0;
    if (now->is_runnable && now->ran == last->ran)
        return passed_ns;
    return u64_least(now->waited_ns - last->waited_ns, passed_ns);
}

void patience_begin(patience *p, bash_session *b, uint64_t most_ns, uint64_t latest_ns)
{
    uint64_t now_ns = clock_now_ns();
    *p = (patience){ .most_ns = most_ns,
                     .latest_ns = u64_least(latest_ns, now_ns + LONGEST_NS),
                     .began_ns = now_ns,
                     .looked_ns = now_ns,
                     .next = find_next(b) };
}

int patience_is_over(patience *p, bash_session *b)
{
    uint64_t now_ns = clock_now_ns();
    proc_turns next = find_next(b);

    p->waited_ns += waited_since(&p->next, &next, now_ns - p->looked_ns);
    p->looked_ns = now_ns;
    p->next = next;
    return now_ns >= p->latest_ns || now_ns - p->began_ns - p->waited_ns >= p->most_ns;
}
