#include "asking.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <semaphore.h>
#include <sys/socket.h>

#include "base/clock.h"

/* ---- what does not come ---- */

TEST(a_refused_connection_is_unavailable)
{
    fixture f;
    START(f, { WHOLE });
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t len = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    /* Bound, so that nobody else listens there, and not listening. */
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    snprintf(f.url, sizeof f.url, "http://127.0.0.1:%d/v1", ntohs(address.sin_port));
    ask(&f);
    assert_fault(&f, MODEL_UNAVAILABLE, "cannot be reached at 127.0.0.1:");
    assert_int_equal(f.retries_told, 2);
    assert_int_equal(f.reply.http_status, 0);
    close(fd);
    finish(&f);
}

TEST(each_time_out_has_its_sentence)
{
    static const char begun[] = EVENTS CHUNK("a");
    static const struct {
        const char *answer, *part;
        uint64_t connect_ms, first_ms, idle_ms, total_ms;
    } cases[] = {
        { EVENTS, ": no answer from 127.0.0.1:", 20000, 30, 20000, 20000 },
        { "", "within 30 ms", 20000, 30, 20000, 20000 },
        { begun, ": nothing more came from 127.0.0.1:", 20000, 20000, 30, 20000 },
        { begun, "for 30 ms (--idle-timeout)", 20000, 20000, 30, 20000 },
        /* A beginning without a token is not one. */
        { EVENTS ROLE, "within 30 ms (--first-token-timeout)", 20000, 30, 10, 20000 },
        { begun, "was not whole within 40 ms (--request-timeout)", 20000, 20000, 20000, 40 },
        { "", "was not whole within 40 ms", 20000, 20000, 20000, 40 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        START(f, { cases[i].answer, .holds = 1 });
        f.options.connect_ms = cases[i].connect_ms;
        f.options.first_token_ms = cases[i].first_ms;
        f.options.idle_ms = cases[i].idle_ms;
        f.options.total_ms = cases[i].total_ms;
        f.options.retries = 0;
        ask(&f);
        assert_fault(&f, MODEL_TIMED_OUT, cases[i].part);
        finish(&f);
    }
}

TEST(a_server_of_this_network_has_its_own_time_to_the_first_token)
{
    fixture f;
    START(f, { EVENTS, .holds = 1 });
    f.options.first_token_ms = 20000;
    f.options.local_first_token_ms = 30;
    f.options.retries = 0;
    ask(&f);
    assert_fault(&f, MODEL_TIMED_OUT, "within 30 ms (--first-token-timeout)");
    finish(&f);
}

/* 30 ms of silence are too many between two tokens, and not before the first. */
TEST(silence_before_the_first_token_is_not_idleness)
{
    fixture f;
    START(f, { EVENTS ROLE, .pause_ms = 100, .then = CHUNK("4") FINISH DONE });
    f.options.idle_ms = 30;
    f.options.retries = 0;
    ask(&f);
    assert_answered(&f, "4");
    finish(&f);
}

TEST(a_slow_connection_times_out)
{
    fixture f;
    START(f, { "", .holds = 1 });
    /* The server never answers the beginning of TLS. */
    snprintf(f.url, sizeof f.url, "https://127.0.0.1:%d/v1", f.server.port);
    f.options.connect_ms = 30;
    f.options.retries = 1;
    ask(&f);
    assert_fault(&f, MODEL_TIMED_OUT, ": no connection to 127.0.0.1:");
    assert_has(str_text(&f.reply.sentence), "within 30 ms (--connect-timeout) (request 2 of 2)");
    finish(&f);
}

TEST(certificates_are_those_of_the_environment)
{
    static const char *const variables[] = { "CURL_CA_BUNDLE", "SSL_CERT_FILE" };
    for (size_t i = 0; i < 2; i++) {
        fixture f;
        START(f, { "", .holds = 1 });
        snprintf(f.url, sizeof f.url, "https://127.0.0.1:%d/v1", f.server.port);
        setenv(variables[i], "/nowhere/ca.pem", 1);
        ask(&f);
        unsetenv(variables[i]);
        assert_fault(&f, MODEL_UNAVAILABLE, "is not trusted at 127.0.0.1:");
        assert_has(str_text(&f.reply.sentence), "/nowhere/ca.pem");
        assert_int_equal(f.retries_told, 0);
        finish(&f);
    }
}

TEST(the_deadline_ends_a_request_and_all_retries)
{
    fixture f;
    START(f, { "", .holds = 1 });
    f.request.deadline_ns = clock_deadline_ns(clock_now_ns(), 30);
    ask(&f);
    assert_fault(&f, MODEL_PAST_DEADLINE, "the time for the question was up");
    assert_int_equal(f.retries_told, 0);
    ask(&f);
    assert_fault(&f, MODEL_PAST_DEADLINE, "the time for the question was up");
    assert_int_equal(f.reply.usage.requests, 0);
    finish(&f);
}

TEST(a_wait_past_the_deadline_is_not_begun)
{
    fixture f;
    START(f, { HEAD("429 No", "text/plain") "Retry-After: 1000\r\n\r\nx" }, { WHOLE });
    f.options.longest_wait_ms = 1000000;
    f.request.deadline_ns = clock_deadline_ns(clock_now_ns(), 900000);
    ask(&f);
    assert_fault(&f, MODEL_PAST_DEADLINE, "answered 429: x; the time for the question is up");
    assert_true(clock_now_ns() < f.request.deadline_ns);
    finish(&f);
}

TEST(a_reply_that_is_too_large_is_given_up)
{
    fixture f;
    START(f, { EVENTS CHUNK("0123456789") FINISH DONE }, { WHOLE });
    f.options.reply_bytes = 100;
    ask(&f);
    assert_fault(&f, MODEL_BAD_REPLY, "is over the limit of 100 bytes");
    assert_int_equal(f.reply.usage.requests, 1);
    finish(&f);
}

/* ---- cancelling ---- */

static void *ask_in_thread(void *arg)
{
    ask(arg);
    return NULL;
}

TEST(a_request_is_cancelled_from_another_thread)
{
    static const char *const held[] = { "", EVENTS, EVENTS CHUNK("a") };
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
        fixture f;
        pthread_t thread;
        START(f, { held[i], .holds = 1 });
        assert_int_equal(model_open(&f.m, &f.options), SNUG_OK);
        assert_int_equal(pthread_create(&thread, NULL, ask_in_thread, &f), 0);
        server_await(&f.server, 1);
        model_cancel(f.m);
        pthread_join(thread, NULL);
        assert_fault(&f, MODEL_CANCELLED, "was cancelled");
        ask(&f);
        assert_fault(&f, MODEL_CANCELLED, "was cancelled");
        assert_int_equal(f.server.request_count, 1);
        finish(&f);
    }
}

static void cancel_on_retry(void *payload, const char *sentence, uint64_t wait_ms)
{
    fixture *f = payload;
    keep_retry(payload, sentence, wait_ms);
    assert_int_equal(wait_ms, 5000);
    model_cancel(f->m);
}

TEST(a_wait_for_a_retry_is_cancelled_and_resumed)
{
    fixture f;
    START(f, { HEAD("429 No", "text/plain") "Retry-After: 5\r\n\r\nx" }, { WHOLE });
    f.request.on_retry = cancel_on_retry;
    ask(&f);
    assert_fault(&f, MODEL_CANCELLED, "was cancelled");
    assert_int_equal(f.reply.usage.requests, 1);
    model_resume(f.m);
    ask(&f);
    assert_answered(&f, "4");
    finish(&f);
}

static sem_t is_told;

static void post_retry(void *payload, const char *sentence, uint64_t wait_ms)
{
    keep_retry(payload, sentence, wait_ms);
    sem_post(&is_told);
}

TEST(a_wait_for_a_retry_is_cancelled_from_another_thread)
{
    fixture f;
    pthread_t thread;
    START(f, { HEAD("429 No", "text/plain") "Retry-After: 36000\r\n\r\nx" });
    f.options.longest_wait_ms = 36000000;
    f.request.on_retry = post_retry;
    assert_int_equal(sem_init(&is_told, 0, 0), 0);
    assert_int_equal(model_open(&f.m, &f.options), SNUG_OK);
    assert_int_equal(pthread_create(&thread, NULL, ask_in_thread, &f), 0);
    sem_wait(&is_told);
    model_cancel(f.m);
    pthread_join(thread, NULL);
    assert_fault(&f, MODEL_CANCELLED, "was cancelled");
    sem_destroy(&is_told);
    finish(&f);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
