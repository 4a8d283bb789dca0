/*
 * kills.c - the same end, hundreds of times: hangs that a clean interrupt ends, all in
 * one session that is kept; and hangs that only a jump ends, each in a session of its
 * own that is lost. A neighbour looks on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

#include "bystander.h"
#include "measure.h"

static struct {
    uint64_t count, limit_ms, leak_kib, percent;
} option = { .count = 500, .limit_ms = 100, .percent = 3 };

static const char *const gentle[] = {
    "10**10**8",
    "sum(range(10**13))",
    "import re; re.match(r'(a+)+$', 'a' * 40 + 'b')",
    "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    "import re\nwhile True:\n    try: re.match(r'(?:a|a|a)*?$', 'a' * 60 + 'b')\n    except "
    "BaseException: pass",
    "while True:\n    try: 7**10**8\n    except BaseException: pass",
    "import time\nwhile True:\n    try: time.sleep(1e6)\n    except BaseException: pass",
    "class K:\n    def __lt__(self, other):\n        while True:\n            try:\n"
    "                while True: pass\n            except BaseException: pass\nsorted([K(), K()])",
    "import queue; lock = queue.threading.Lock(); lock.acquire(); lock.acquire()",
    "while True:\n    try:\n        while True: pass\n    finally: continue",
};

/* Loops that neither allocate nor poll, over little that would be lost with them. */
static const char *const violent[] = {
    "t = (1,)\nfor _ in range(80): t = slice(t, t) if slice.__hash__ else (t, t)\n"
    "hash(t)",
    "('a' * 200_000).rfind('ab' + 'a' * 100_000)",
    "(b'a' * 200_000).rfind(b'ab' + b'a' * 100_000)",
    "('a' * 200_000).rsplit('ab' + 'a' * 100_000)",
    /* With the files of both streams open. */
    "import sys; sys.stdout.write('x' * 100_000); sys.stderr.write('x' * 100_000)\n"
    "('a' * 200_000).rfind('ab' + 'a' * 100_000)",
};

/* What is printed past the limit of output is written to a file: so much of it. */
enum { DISK_BYTES = 4 << 20 };

/* What caches may take that fill slowly, in a process as small as this one. */
enum { SLACK_KIB = 2048 };

typedef struct tally {
    unsigned kept, lost, wrong, rungs[5];
    uint64_t late_ns;
    const char *latest; /* the source that returned so late */
} tally;

static snug_host *host;

static snug_session *open_session(void)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    options.limits = &limits;
    limits.memory_bytes = 200 << 20;
    limits.cpu_ms = SNUG_UNLIMITED;
    limits.disk_bytes = DISK_BYTES;
    if (snug_session_open(&session, host, &options)) {
        fprintf(stderr, "no session: %s\n", snug_error_message());
        exit(1);
    }
    return session;
}

static int answers(snug_session *session, const char *source, const char *value)
{
    snug_result *result = NULL;
    if (snug_session_run(&result, session, source, strlen(source), NULL))
        return 0;
    int is_right = strcmp(snug_result_text(result, SNUG_STREAM_VALUE, NULL), value) == 0;
    snug_result_free(result);
    return is_right;
}

/* Answers the state that is left. */
static snug_state hang(tally *t, snug_session *session, const char *source)
{
    snug_result *result = NULL;
    const snug_limits limits = { .size = sizeof(snug_limits), .wall_ms = option.limit_ms };
    uint64_t start_ns = measure_now_ns();
    if (snug_session_run(&result, session, source, strlen(source), &limits)) {
        fprintf(stderr, "no result: %s: %s\n", source, snug_error_message());
        t->wrong++;
        return SNUG_STATE_LOST;
    }
    uint64_t took_ns = measure_now_ns() - start_ns, limit_ns = option.limit_ms * NS_PER_MS;
    if (took_ns > limit_ns && took_ns - limit_ns > t->late_ns)
        t->late_ns = took_ns - limit_ns, t->latest = source;
    if (snug_result_status(result) != SNUG_STATUS_TIMEOUT && t->wrong++ < 5)
        fprintf(stderr, "%s: %s\n", source, snug_status_name(snug_result_status(result)));
    int rung = snug_result_rung(result);
    t->rungs[rung >= 0 && rung < 5 ? rung : 0]++;
    snug_state state = snug_result_state(result);
    if (state == SNUG_STATE_KEPT)
        t->kept++;
    else
        t->lost++;
    snug_result_free(result);
    return state;
}

static void print_tally(const char *name, const tally *t, uint64_t before_kib, uint64_t after_kib)
{
    printf("%s: %u kept, %u lost, %u wrong; rungs 1 to 4: %u %u %u %u\n", name, t->kept, t->lost,
           t->wrong, t->rungs[1], t->rungs[2], t->rungs[3], t->rungs[4]);
    printf("  returned at most %.0f ms past the limit (%.60s)\n", (double)t->late_ns / NS_PER_MS,
           t->latest ? t->latest : "");
    printf("  RSS %.1f then %.1f MiB\n", (double)before_kib / 1024, (double)after_kib / 1024);
    fflush(stdout);
}

/* All in one session, which keeps its names. RSS is flat from a tenth of the way on. */
static int kill_gently(void)
{
    tally t = { 0 };
    snug_session *session = open_session();
    uint64_t before_kib = measure_rss_kib();
    int failed = !answers(session, "kept = {'n': 42}; 1", "1");
    for (uint64_t i = 0; i < option.count && !failed; i++) {
        const char *source = gentle[i % (sizeof gentle / sizeof *gentle)];
        if (hang(&t, session, source) == SNUG_STATE_LOST || !answers(session, "kept['n']", "42")) {
            fprintf(stderr, "the session is lost after %llu: %s\n", (unsigned long long)i + 1,
                    source);
            failed = 1;
        }
        if (i == option.count / 10)
            before_kib = measure_rss_kib();
    }
    uint64_t after_kib = measure_rss_kib();
    print_tally("one session", &t, before_kib, after_kib);
    snug_session_close(session);
    uint64_t allowed_kib = before_kib * option.percent / 100 + SLACK_KIB;
    return failed || t.wrong || after_kib > before_kib + allowed_kib;
}

/* Each in a session of its own; the host opens the next one. */
static int kill_violently(void)
{
    tally t = { 0 };
    uint64_t before_kib = measure_rss_kib();
    unsigned descriptors = measure_descriptors();
    int failed = 0;
    for (uint64_t i = 0; i < option.count && !failed; i++) {
        snug_session *session = open_session();
        snug_state state = hang(&t, session, violent[i % (sizeof violent / sizeof *violent)]);
        failed = state == SNUG_STATE_KEPT && !answers(session, "6 * 7", "42");
        snug_session_close(session);
    }
    uint64_t after_kib = measure_rss_kib();
    print_tally("a session each", &t, before_kib, after_kib);
    double leak_kib = (double)((int64_t)after_kib - (int64_t)before_kib) / (t.lost ? t.lost : 1);
    printf("leak %.0f KiB a lost session\n", leak_kib);
    if (measure_descriptors() > descriptors) {
        fprintf(stderr, "descriptors: %u then %u\n", descriptors, measure_descriptors());
        failed = 1;
    }
    return failed || t.wrong || (option.leak_kib && leak_kib > (double)option.leak_kib);
}

static int take_options(int argc, char **argv)
{
    const struct {
        const char *name;
        uint64_t *number;
    } numbers[] = { { "--count", &option.count },
                    { "--limit-ms", &option.limit_ms },
                    { "--leak-kib", &option.leak_kib },
                    { "--percent", &option.percent } };
    for (int i = 1; i < argc; i += 2) {
        size_t at = 0;
        while (at < sizeof numbers / sizeof *numbers && strcmp(argv[i], numbers[at].name) != 0)
            at++;
        if (at == sizeof numbers / sizeof *numbers || i + 1 == argc)
            return -1;
        *numbers[at].number = strtoull(argv[i + 1], NULL, 10);
    }
    return option.count ? 0 : -1;
}

int main(int argc, char **argv)
{
    if (take_options(argc, argv) != 0) {
        fputs("usage: kills [--count N] [--limit-ms N] [--leak-kib N] [--percent P]\n", stderr);
        return 2;
    }
    if (snug_host_open(&host, NULL)) {
        fprintf(stderr, "no host: %s\n", snug_error_message());
        return 2;
    }
    /* Seldom, for each of its turns adds a line to its history, and we measure memory. */
    bystanders *others = bystanders_open(host, 1, 50 * NS_PER_MS);
    if (!others)
        return 2;
    int failed = kill_gently();
    failed = kill_violently() || failed;
    failed = !!bystanders_settle(others, 10000 * (uint64_t)NS_PER_MS) || failed;
    snug_session *last = open_session();
    failed = !answers(last, "6 * 7", "42") || failed;
    snug_session_close(last);
    if (bystanders_complaint(others))
        fprintf(stderr, "%s\n", bystanders_complaint(others));
    failed = bystanders_close(others) || failed;
    if (snug_host_close(host)) {
        fprintf(stderr, "the host does not close: %s\n", snug_error_message());
        failed = 1;
    }
    puts(failed ? "FAILED" : "passed");
    return failed;
}
