#include "session/core/attending.h"

#include <pthread.h>

#include "session/core/session.h"
#include "session/result/result.h"

/* ---- who attends ---- */

#define MARK UINT64_C(0x736e7567a77e4d00)

void attendance_begin(attendance *here, calling_place *place, const void *whose)
{
    here->whose = whose;
    here->mark = MARK;
    atomic_store(&place->thread, (uintptr_t)pthread_self());
    atomic_store(&place->frame, (uintptr_t)here);
}

void attendance_end(attendance *here, calling_place *place)
{
    atomic_store(&place->frame, 0);
    here->mark = 0;
}

ON_OWN_STACK int session_attend(snug_session *session, uint64_t until_ns)
{
    attendance here;

    attendance_begin(&here, &session->attending.place, session);
    int is_over = session->form->attend(session, until_ns);
    attendance_end(&here, &session->attending.place);
    return is_over;
}

ON_OWN_STACK int session_finish(snug_result **out, snug_session *session)
{
    attendance here;

    attendance_begin(&here, &session->attending.place, session);
    int error = session->form->finish(out, session);
    if (!error)
        (*out)->fixed = session->fixed;
    attendance_end(&here, &session->attending.place);
    session->attending.is_deaf = 0;
    return error;
}

/* ---- who has left ---- */

/* Of the stack that this thread was started with: 0 where that cannot be known. */
static int is_on_stack(uintptr_t at)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;

    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return 0;
    int error = pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    return !error && at >= (uintptr_t)low && at - (uintptr_t)low < size;
}

/* What is read may be anybody's by now. */
__attribute__((no_sanitize_address, noinline)) static int is_marked(uintptr_t frame,
                                                                    const void *whose)
{
    const attendance *there = (const attendance *)frame;
    return there->whose == whose && there->mark == MARK;
}

/* A stack grows down: what is below this frame was left, and what is above may be another's. */
int calling_is_left(const calling_place *place, const void *whose)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    uintptr_t frame = atomic_load(&place->frame);

    if (!frame || atomic_load(&place->thread) != (uintptr_t)pthread_self() || !is_on_stack(frame) ||
        !is_on_stack(here))
        return 0;
    return frame < here || !is_marked(frame, whose);
}

int attending_is_left(const snug_session *session)
{
    return calling_is_left(&session->attending.place, session);
}

void attending_take_over(snug_session *session)
{
    atomic_store(&session->attending.place.frame, 0);
    session->attending.is_deaf = 1;
    session->form->interrupt(session);
}

void attending_end_cell(snug_session *session)
{
    snug_result *result = NULL;

    attending_take_over(session);
    while (!session_attend(session, UINT64_MAX))
        ;
    session_finish(&result, session);
    snug_result_free(result);
}
