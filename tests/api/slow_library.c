/* A library that is not there before somebody writes to a FIFO. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void wait_for_writer(void)
{
    const char *path = getenv("SNUG_TEST_FIFO");
    int fd = path ? open(path, O_RDONLY) : -1;
    if (fd >= 0)
        close(fd);
}
