#include "session/core/job_clock.h"

#include <time.h>

#include "base/clock.h"
#include "session/core/session.h"

/* ---- on any thread ---- */

static uint64_t cpu_now_ns(const session_stop *stop)
{
    struct timespec t;
    if (clock_gettime(stop->cpu_clock, &t) != 0)
        return 0; /* the thread has ended */
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t job_cpu_ns(const session_stop *stop)
{
    uint64_t start_ns = atomic_load(&stop->cpu_start_ns), now_ns = cpu_now_ns(stop);
    return start_ns < now_ns ? now_ns - start_ns : 0;
}

uint64_t job_all_cpu_now_ns(const snug_session *session)
{
    return cpu_now_ns(&session->stop) + interp_threads_cpu_ns(session->interp);
}

uint64_t job_untimed_ns(const snug_session *session, uint64_t now_ns)
{
    if (!session->desk)
        return 0;
    return desk_untimed_ns(session->desk, now_ns) - session->stop.untimed_ns;
}

/* ---- on the session's ---- */

/* To read a thread's processor time is a system call, which would be half of a small cell's: so
 * what was read a moment ago goes on with the clock, and what took a moment counts by the clock. */
#define CPU_MOMENT_NS UINT64_C(50000)

static uint64_t read_cpu(session_stop *stop, uint64_t now_ns)
{
    stop->read_ns = now_ns;
    stop->read_cpu_ns = clock_thread_cpu_ns();
    return stop->read_cpu_ns;
}

void stop_begin_cpu(session_stop *stop, uint64_t now_ns)
{
    uint64_t passed_ns = now_ns - stop->read_ns;
    uint64_t cpu_ns = stop->read_cpu_ns + passed_ns;
    if (passed_ns >= CPU_MOMENT_NS)
        cpu_ns = read_cpu(stop, now_ns);

    stop->begun_ns = now_ns;
    atomic_store_explicit(&stop->cpu_start_ns, cpu_ns, memory_order_relaxed);
}

uint64_t stop_cpu_used_ns(session_stop *stop)
{
    uint64_t now_ns = clock_now_ns(), passed_ns = now_ns - stop->begun_ns;
    stop->ended_ns = now_ns;
    if (passed_ns < CPU_MOMENT_NS)
        return passed_ns;

    uint64_t start_ns = atomic_load(&stop->cpu_start_ns), cpu_ns = read_cpu(stop, now_ns);
    return cpu_ns > start_ns ? cpu_ns - start_ns : 0;
}

uint64_t stop_ran_ns(const snug_session *session)
{
    return job_cpu_ns(&session->stop);
}
