/*
 * turns.c - turns of one session under callgrind, which counts the instructions of each kind by
 * itself. Prints the kinds in the order of callgrind's dumps. On the caller's thread: two threads
 * that wait for each other count no two times alike.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <valgrind/callgrind.h>

#include <snug/snug.h>

enum { WARM_UP = 20 };

/*
 * Python's hash seed comes from here, and names that collide in a table cost steps at each look:
 * by the machine's own random numbers the count of a thousand prints differs by 5 % from process
 * to process. These are the same in each.
 */
ssize_t getrandom(void *buffer, size_t length, unsigned flags)
{
    static unsigned state = 1;
    for (size_t i = 0; i < length; i++)
        ((unsigned char *)buffer)[i] =
            (unsigned char)((state = state * 1103515245U + 12345U) >> 16);
    return (ssize_t)length;
}

static const struct {
    const char *name;
    int turns, is_fresh;
    const char *cell;
} kinds[] = {
    { "small, fresh source", 500, 1, "x = x + 1\nx" },
    { "small, same source", 2000, 0, "x = x + 1\nx" },
    { "function and call, fresh source", 200, 1,
      "def f(values):\n    total = 0\n    for value in values:\n        total += value * value\n"
      "    return total\nf([1, 2, 3])" },
    { "error two calls deep, fresh source", 100, 1,
      "def inner(n):\n    return 1 / n\ndef outer(n):\n    return inner(n)\nouter(0)" },
    { "1,000 prints, same source", 20, 0, "for n in range(1000):\n    print('line', n)" },
    { "an open file, same source", 200, 0, "with open('f', 'w') as f:\n    f.write('text')" },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void run(snug_session *session, const char *source)
{
    snug_result *result = NULL;
    if (snug_session_run(&result, session, source, strlen(source), NULL)) {
        fprintf(stderr, "%s\n", snug_error_message());
        exit(1);
    }
    snug_result_free(result);
}

/* One that is fresh ends with a number that was not there before. */
static void take_turns(snug_session *session, size_t kind, int from, int count)
{
    char source[512];
    for (int i = from; i < from + count; i++) {
        snprintf(source, sizeof source, kinds[kind].is_fresh ? "%s  # %d" : "%s", kinds[kind].cell,
                 10000 + i);
        run(session, source);
    }
}

int main(void)
{
    snug_host *host;
    snug_session *session;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.on_caller_thread = 1;
    if (snug_host_open(&host, NULL) || snug_session_open(&session, host, &options)) {
        fprintf(stderr, "%s\n", snug_error_message());
        return 1;
    }
    run(session, "x = 0");
    for (size_t i = 0; i < KINDS; i++) {
        take_turns(session, i, 0, WARM_UP);
        CALLGRIND_ZERO_STATS;
        take_turns(session, i, WARM_UP, kinds[i].turns);
        CALLGRIND_DUMP_STATS;
        printf("%d %s\n", kinds[i].turns, kinds[i].name);
    }
    snug_session_close(session);
    return snug_host_close(host);
}
