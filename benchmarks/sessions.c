/*
 * sessions.c - whether closing a session gives everything back.
 *
 *     snug_sessions COUNT [--max-growth-kib KIB] [--bare] [--verbose]
 *     snug_sessions COUNT --held [--max-growth-kib KIB]
 *
 * Opens, uses and closes COUNT sessions one after another in this process, and
 * prints by how much each session after the first hundred made it grow, and how
 * many descriptors and threads it had before and after. Exits with 1 when the
 * growth is over KIB, or a descriptor or thread is left. --bare: sessions are not
 * used. --verbose: a line every hundred sessions. --held: they stay open, unused, and
 * it prints what each after the first hundred takes. The process has freed a large block before, as
 * most have: the C library maps no block then that is smaller.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <snug/snug.h>

#include "measure.h"

enum { WARM_UP = 100 };

typedef struct cell {
    const char *source;
    snug_status status;
} cell;

static const cell cells[] = {
    { "x = [n * n for n in range(1000)]\nlen(x)", SNUG_STATUS_OK },
    { "import json, re\nre.findall('[0-9]+', json.dumps({str(n): n for n in x[:100]}))[:3]",
      SNUG_STATUS_OK },
    { "class Node:\n"
      "    def __init__(self, value):\n"
      "        self.value, self.parent = value, self\n"
      "    def twice(self):\n"
      "        return self.value * 2\n"
      "nodes = [Node(n) for n in range(100)]\n"
      "sum(node.twice() for node in nodes)",
      SNUG_STATUS_OK },
    { "for n in range(100):\n    print('line', n)", SNUG_STATUS_OK },
    { "def inner(n):\n    return 1 / n\ninner(0)", SNUG_STATUS_ERROR },
    { "import socket", SNUG_STATUS_DENIED },
    { "x = = 1", SNUG_STATUS_ERROR },
    { "_ + 'text'", SNUG_STATUS_ERROR },
};

static void use(snug_session *session)
{
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        snug_result *result;
        if (snug_session_run(&result, session, cells[i].source, strlen(cells[i].source), NULL))
            die("%s", snug_error_message());
        if (snug_result_status(result) != cells[i].status)
            die("the cell\n%s\nended with %s\n%s", cells[i].source,
                snug_status_name(snug_result_status(result)),
                snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL));
        snug_result_free(result);
    }
}

static void show(long number)
{
    struct mallinfo2 info = mallinfo2();
    printf("after %ld: RSS %ld KiB; malloc: %zu KiB in use, %zu KiB free in the heaps, %zu KiB "
           "mapped\n",
           number, rss_kib(), info.uordblks / 1024, info.fordblks / 1024, info.hblkhd / 1024);
}

/* A thread that was joined is listed for a moment, while the kernel closes its descriptors. */
static int count_threads_at_rest(void)
{
    const struct timespec pause = { 0, 50000000 };
    nanosleep(&pause, NULL);
    return count_threads();
}

static void free_large_block(void)
{
    char *block = malloc((size_t)8 << 20);
    __asm__ volatile("" : : "r"(block) : "memory"); /* or the compiler leaves both out */
    free(block);
}

static double hold(snug_host *host, long count)
{
    free_large_block();
    snug_session **sessions = calloc((size_t)count, sizeof(snug_session *));
    long before_kib = 0;
    for (long i = 0; sessions && i < count; i++) {
        if (i == WARM_UP)
            before_kib = rss_kib();
        if (snug_session_open(&sessions[i], host, NULL))
            die("session %ld: %s", i + 1, snug_error_message());
    }
    double each_kib = (double)(rss_kib() - before_kib) / (double)(count - WARM_UP);
    printf("sessions: %ld\neach: %.1f KiB\n", count, each_kib);
    for (long i = 0; sessions && i < count; i++)
        snug_session_close(sessions[i]);
    free(sessions);
    return each_kib;
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? strtol(argv[1], NULL, 10) : 0, before_kib = 0;
    double max_growth_kib = -1;
    int is_bare = 0, is_verbose = 0, is_held = 0;
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--max-growth-kib") == 0 && i + 1 < argc)
            max_growth_kib = strtod(argv[++i], NULL);
        else if (strcmp(argv[i], "--bare") == 0)
            is_bare = 1;
        else if (strcmp(argv[i], "--verbose") == 0)
            is_verbose = 1;
        else if (strcmp(argv[i], "--held") == 0)
            is_held = 1;
        else
            count = 0;
    }
    if (count <= WARM_UP)
        die("usage: snug_sessions COUNT [--max-growth-kib KIB] [--bare] [--verbose] [--held], "
            "with a COUNT over %d",
            WARM_UP);
    snug_host *host;
    if (snug_host_open(&host, NULL))
        die("%s", snug_error_message());
    if (is_held) {
        double each_kib = hold(host, count);
        snug_host_close(host);
        if (max_growth_kib >= 0 && each_kib > max_growth_kib)
            die("a session may take %.0f KiB", max_growth_kib);
        return 0;
    }
    int descriptors = 0, threads = 0;
    for (long i = 0; i < count; i++) {
        snug_session *session;
        if (i == WARM_UP) { /* the host keeps a folder for all of them */
            before_kib = rss_kib();
            descriptors = count_descriptors();
            threads = count_threads_at_rest();
        }
        if (is_verbose && i % 100 == 0)
            show(i);
        if (snug_session_open(&session, host, NULL))
            die("session %ld: %s", i + 1, snug_error_message());
        if (!is_bare)
            use(session);
        snug_session_close(session);
    }
    if (is_verbose)
        show(count);
    double growth_kib = (double)(rss_kib() - before_kib) / (double)(count - WARM_UP);
    int descriptors_after = count_descriptors(), threads_after = count_threads_at_rest();
    printf("sessions: %ld\ngrowth: %.2f KiB a session\ndescriptors: %d before, %d after\n"
           "threads: %d before, %d after\n",
           count, growth_kib, descriptors, descriptors_after, threads, threads_after);
    snug_host_close(host);
    if (descriptors_after != descriptors || threads_after != threads)
        die("something is left of the sessions");
    if (max_growth_kib >= 0 && growth_kib > max_growth_kib)
        die("a session may leave %.2f KiB", max_growth_kib);
    return 0;
}
