/* A library whose constructor does what interpose_test asks for. */
#include <pthread.h>
#include <stdlib.h>

__attribute__((visibility("default"))) void *probe_malloc(size_t bytes);
__attribute__((visibility("default"))) int probe_lock(pthread_mutex_t *mutex);

/* The test's, if it is loaded by it. */
__attribute__((weak)) void interpose_test_constructed(void);

__attribute__((constructor)) static void construct(void)
{
    if (interpose_test_constructed)
        interpose_test_constructed();
}

void *probe_malloc(size_t bytes)
{
    return malloc(bytes);
}

int probe_lock(pthread_mutex_t *mutex)
{
    return pthread_mutex_lock(mutex);
}
