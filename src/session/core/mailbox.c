#include "session/core/mailbox.h"

#include <sched.h>

#include "base/clock.h"
#include "base/spin.h"
#include "base/thread.h"

enum { POSTED, ANSWERED };

/* Who changes it from PENDING has decided, for both sides. LEAVING is what the caller shall
 * hear: once it has, it is LEFT, and from there the thread comes back to PENDING by itself,
 * when it has ended the job that nobody waits for. A job that ends before its caller looked is
 * DONE. */
enum { PENDING, DONE, GIVEN_UP, LEAVING, LEFT };

/* Long enough to cover a small cell, short enough to be nothing against a wake. */
#define SPIN_NS UINT64_C(50000)
/* Answers that usually take no longer are looked out for all the time, by one caller at a time: a
 * wake would be a good part of them. */
#define LONG_SPIN_NS UINT64_C(300000)

/* Of each side: a thread that has just been posted to still counts among its own for a moment. */
static _Atomic int spinning[2];

/* Notes where we are; whether that is where the other side was last. */
static int shares_processor(mailbox *m, int who)
{
    int here = sched_getcpu() + 1;
    atomic_store_explicit(&m->processors[who], here, memory_order_relaxed);
    return here == atomic_load_explicit(&m->processors[!who], memory_order_relaxed);
}

static int spin_allowed(void)
{
    const int count = spin_processors();

    return count > 1 && atomic_load_explicit(&spinning[POSTED], memory_order_relaxed) +
                                atomic_load_explicit(&spinning[ANSWERED], memory_order_relaxed) <
                            count;
}

static void pause_processor(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static uint64_t spin_ns(const mailbox *m, int who, int others)
{
    int is_short = who == ANSWERED && others == 0 && m->usual_ns < LONG_SPIN_NS;
    if (is_short)
        return SPIN_NS + 2 * m->usual_ns;
    return SPIN_NS;
}

/* Until *word is no longer value, or for as long as is worth it. */
static void look_out(mailbox *m, _Atomic uint32_t *word, uint32_t value, int who, uint64_t now_ns)
{
    uint64_t end_ns = now_ns + spin_ns(m, who, atomic_fetch_add(&spinning[who], 1));
    do {
        for (int i = 0; i < 64 && atomic_load(word) == value; i++)
            pause_processor();
    } while (atomic_load(word) == value && clock_now_ns() < end_ns);
    atomic_fetch_sub(&spinning[who], 1);
}

/* Waits until *word is no longer value, or until_ns. */
static void await_change(mailbox *m, _Atomic uint32_t *word, uint32_t value, int who,
                         uint64_t until_ns)
{
    const int is_quick = who == ANSWERED || m->idle_ns < SPIN_NS;
    if (is_quick && !shares_processor(m, who) && spin_allowed())
        look_out(m, word, value, who, clock_now_ns());
    while (atomic_load(word) == value) {
        atomic_store(&m->sleepers[who], 1);
        if (atomic_load(word) == value)
            futex_wait(word, value, until_ns);
        atomic_store(&m->sleepers[who], 0);
        if (until_ns != UINT64_MAX && clock_now_ns() >= until_ns)
            return;
    }
}

/* Both sides store, then load what the other stores: one of them sees the other. */
static void move(mailbox *m, _Atomic uint32_t *word, int who)
{
    atomic_fetch_add(word, 1);
    if (atomic_load(&m->sleepers[who]))
        futex_wake_all(word);
}

/* The same for the caller, who may be nowhere: then the bell tells somebody. */
static void move_answered(mailbox *m)
{
    move(m, &m->answered, ANSWERED);
    if (atomic_load(&m->rings))
        m->ring(m->bell);
}

/* ---- the caller ---- */

void mailbox_post(mailbox *m)
{
    m->seen = atomic_load(&m->answered);
    m->start_ns = clock_now_ns();
    move(m, &m->posted, POSTED);
}

mailbox_end mailbox_attend(mailbox *m, void (*on_notice)(void *payload), void *payload,
                           uint64_t until_ns)
{
    for (;;) {
        /* It may have been given up before seen was read. */
        if (until_ns > 0 && atomic_load(&m->state) == PENDING)
            await_change(m, &m->answered, m->seen, ANSWERED, until_ns);
        m->seen = atomic_load(&m->answered);
        int state = atomic_load(&m->state);
        if (on_notice)
            on_notice(payload);

        switch (state) {
        case DONE:
            m->usual_ns = (3 * m->usual_ns + (clock_now_ns() - m->start_ns)) / 4;
            atomic_store(&m->state, PENDING); /* for the next job */
            return MAILBOX_DONE;
        case GIVEN_UP:
            return MAILBOX_GIVEN_UP;
        case LEAVING:
            if (atomic_compare_exchange_strong(&m->state, &state, LEFT))
                return MAILBOX_LEFT;
            continue; /* the thread has ended the job meanwhile */
        case LEFT:
            return MAILBOX_LEFT;
        default:
            break;
        }

        if (until_ns != UINT64_MAX && clock_now_ns() >= until_ns)
            return MAILBOX_PENDING;
    }
}

void mailbox_set_bell(mailbox *m, void (*ring)(void *bell), void *bell)
{
    /* The thread may be about to ring for the job before. */
    if (ring && (m->ring != ring || m->bell != bell)) {
        m->ring = ring;
        m->bell = bell;
    }
    atomic_store(&m->rings, ring != NULL);
}

mailbox_end mailbox_await_return(mailbox *m, uint64_t until_ns)
{
    for (;;) {
        uint32_t seen = atomic_load(&m->answered);
        int state = atomic_load(&m->state);
        if (state == GIVEN_UP)
            return MAILBOX_GIVEN_UP;
        if (state != LEFT)
            return MAILBOX_DONE;
        if (clock_now_ns() >= until_ns)
            return MAILBOX_LEFT;
        await_change(m, &m->answered, seen, ANSWERED, until_ns);
    }
}

/* ---- the thread ---- */

/* Answers whether the job was given up: without its caller the thread has nobody to serve. */
static int conclude(mailbox *m)
{
    for (;;) {
        int state = atomic_load(&m->state);
        if (state == GIVEN_UP)
            return 1;
        if (atomic_compare_exchange_strong(&m->state, &state, state == LEFT ? PENDING : DONE))
            return 0;
    }
}

/* Who posts one job after the other goes on doing so, and who takes time between them too: there a
 * look-out would only keep a processor from those who prepare the next job. */
static void await_job(mailbox *m, uint32_t served)
{
    const uint64_t begun_ns = clock_now_ns();

    await_change(m, &m->posted, served, POSTED, UINT64_MAX);
    m->idle_ns = m->start_ns > begun_ns ? m->start_ns - begun_ns : 0;
}

int mailbox_serve(mailbox *m, int (*do_job)(void *arg), void *arg)
{
    uint32_t served = 0;
    int is_given_up = 0;

    for (int is_last = 0; !is_last && !is_given_up; served++) {
        await_job(m, served);
        is_last = do_job(arg);
        is_given_up = conclude(m);
        move_answered(m);
    }

    return is_given_up;
}

void mailbox_notify(mailbox *m)
{
    move_answered(m);
}

/* ---- any thread ---- */

int mailbox_give_up(mailbox *m)
{
    int state = atomic_load(&m->state), is_given_up = 0;
    while (!is_given_up && state != DONE && state != GIVEN_UP)
        is_given_up = atomic_compare_exchange_weak(&m->state, &state, GIVEN_UP);
    move_answered(m);
    return is_given_up;
}

int mailbox_leave(mailbox *m)
{
    int state = PENDING;
    int is_left = atomic_compare_exchange_strong(&m->state, &state, LEAVING);
    move_answered(m);
    return is_left;
}

int mailbox_is_left(const mailbox *m)
{
    int state = atomic_load(&m->state);
    return state == LEAVING || state == LEFT;
}
