/* A host program with little address space: an open that fails says why, and ends nobody. */
#include "../unit/test.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <snug/snug.h>

enum { FIRST_MIB = 800, LAST_MIB = 2000, STEP_MIB = 100, MOST_SESSIONS = 40, AT_A_TIME = 4 };

enum { FINE, NO_REASON, NO_CELL, NO_HOST };

static int has_reason(void)
{
    const char *text = snug_error_message();
    size_t len = strlen(text);
    return len > 0 && text[len - 1] != ' ' && text[len - 1] != ':';
}

static int can_run(snug_session *session)
{
    snug_result *result = NULL;
    int error = snug_session_run(&result, session, "sum(range(1000))", 16, NULL);
    int answer = error ? has_reason() : snug_result_status(result) == SNUG_STATUS_OK;
    snug_result_free(result);
    return answer;
}

/* Opens until that fails, and closes all. */
static int use_up(snug_host *host)
{
    snug_session *sessions[MOST_SESSIONS];
    int count = 0, answer = FINE;
    while (count < MOST_SESSIONS && !answer) {
        if (snug_session_open(&sessions[count], host, NULL) != SNUG_OK) {
            answer = has_reason() ? FINE : NO_REASON;
            break;
        }
        answer = can_run(sessions[count++]) ? FINE : NO_CELL;
    }
    while (count > 0)
        snug_session_close(sessions[--count]);
    return answer;
}

static void *use_up_beside(void *host)
{
    return use_up(host) ? host : NULL;
}

static int live_within(int mib)
{
    const struct rlimit limit = { (rlim_t)mib << 20, (rlim_t)mib << 20 };
    snug_host *host = NULL;
    pthread_t others[AT_A_TIME];
    int answer = FINE;
    setrlimit(RLIMIT_AS, &limit);
    if (snug_host_open(&host, NULL) != SNUG_OK)
        return NO_HOST;
    answer = use_up(host);
    for (int i = 0; i < AT_A_TIME; i++)
        pthread_create(&others[i], NULL, use_up_beside, host);
    for (int i = 0; i < AT_A_TIME; i++) {
        void *failed = NULL;
        pthread_join(others[i], &failed);
        answer = failed ? NO_CELL : answer;
    }
    snug_host_close(host);
    return answer;
}

static void an_open_that_finds_no_memory_fails_with_a_reason(void **state)
{
    (void)state;
    for (int mib = FIRST_MIB; mib <= LAST_MIB; mib += STEP_MIB) {
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            alarm(60);
            _exit(live_within(mib));
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status != 0)
            fail_msg("at %d MiB: %s %d", mib, WIFSIGNALED(status) ? "signal" : "answer",
                     WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_open_that_finds_no_memory_fails_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
