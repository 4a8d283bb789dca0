#include "test.h"

#include <snug/snug.h>

#include "base/error.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>

enum { LONG_BYTES = 4 << 20 };

typedef struct reader {
    int fd;
    char *data;
    size_t len;
} reader;

static _Atomic int interruptions;

static void count_interruption(int number)
{
    interruptions++;
}

/* Begins late: the first signal ends a write that filled the pipe, the second one that wrote
 * nothing. */
static void *read_to_the_end(void *payload)
{
    reader *r = payload;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);

    while (interruptions < 3)
        usleep(100);
    for (ssize_t got; (got = read(r->fd, r->data + r->len, 3000)) > 0;)
        r->len += (size_t)got;
    return NULL;
}

TEST(all_is_written_although_signals_interrupt)
{
    int pipe_fds[2];
    char *sent = malloc(LONG_BYTES);
    reader r = { .data = malloc(LONG_BYTES + 3000) };
    struct sigaction action = { .sa_handler = count_interruption }, before;
    struct itimerval timer = { { 0, 200 }, { 0, 200 } }, none = { { 0, 0 }, { 0, 0 } };
    pthread_t thread;

    assert_true(sent && r.data);
    for (size_t i = 0; i < LONG_BYTES; i++)
        sent[i] = (char)(i * 31 >> 3);
    assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
    r.fd = pipe_fds[0];
    assert_int_equal(pthread_create(&thread, NULL, read_to_the_end, &r), 0);
    sigaction(SIGALRM, &action, &before);
    setitimer(ITIMER_REAL, &timer, NULL);

    assert_int_equal(file_write_all(pipe_fds[1], sent, LONG_BYTES), 0);

    setitimer(ITIMER_REAL, &none, NULL);
    sigaction(SIGALRM, &before, NULL);
    close(pipe_fds[1]);
    pthread_join(thread, NULL);
    close(pipe_fds[0]);
    assert_true(interruptions > 0);
    assert_int_equal(r.len, LONG_BYTES);
    assert_memory_equal(r.data, sent, LONG_BYTES);
    free(r.data);
    free(sent);
}

TEST(a_device_without_room_says_so)
{
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(file_write_all(fd, "x", 1), -1);
    assert_int_equal(errno, ENOSPC);
    assert_int_equal(file_write_all(fd, NULL, 0), 0);
    close(fd);
}

TEST(a_file_has_all_the_pieces_or_is_as_it_was)
{
    char folder[] = "/tmp/snug-file-test-XXXXXX", path[64], other[64];
    char one[] = "one ", two[] = "two";
    struct iovec pieces[] = { { one, 4 }, { one, 0 }, { two, 3 } };
    const _Atomic int stopped = 1;
    str text = { 0 };

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    snprintf(other, sizeof other, "%s/folder", folder);
    assert_int_equal(file_replace(path, pieces, 1), SNUG_OK);
    assert_int_equal(file_replace(path, pieces, 3), SNUG_OK);
    assert_int_equal(file_replace_unless(path, pieces, 1, &stopped), SNUG_ESTOPPED);
    assert_int_equal(file_read(&text, path, 7), SNUG_OK);
    assert_string_equal(text.data, "one two");
    assert_int_equal(file_read(&text, path, 6), SNUG_EINVAL);

    assert_int_equal(mkdir(other, 0700), 0);
    assert_int_equal(file_replace(other, pieces, 3), SNUG_EINVAL);
    assert_int_equal(rmdir(other), 0);
    snprintf(other, sizeof other, "%s/missing/file", folder);
    assert_int_equal(file_replace(other, pieces, 3), SNUG_ESYSTEM);
    assert_non_null(strstr(error_message(), other));

    str_free(&text);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* nothing else was left in it */
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
