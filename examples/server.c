/*
 * server.c - two sessions of one host on two threads, as a server would serve two users. Output
 * is shown while the cells run, and neither session sees the other's names.
 */
#include <pthread.h>
#include <snug/snug.h>
#include <stdio.h>
#include <string.h>

struct user {
    snug_host *host;
    const char *name;
    const char *first;
    const char *second;
    int error;
    char line[80];
    size_t used;
};

/* Runs on the thread that called snug_session_run, with as little as one character: whole lines
 * are put together here, so that those of the two users do not mix. */
static void on_output(void *payload, snug_stream stream, const char *text, size_t len)
{
    struct user *user = (struct user *)payload;

    (void)stream;
    for (; len > 0; text++, len--) {
        user->line[user->used++] = *text;
        if (*text == '\n' || user->used == sizeof(user->line)) {
            printf("[%s] %.*s", user->name, (int)user->used, user->line);
            user->used = 0;
        }
    }
}

static int run(snug_session *session, const struct user *user, const char *source)
{
    snug_result *result;
    int error = snug_session_run(&result, session, source, strlen(source), NULL);

    if (error)
        return error;
    printf("<%s> %s %s\n", user->name, snug_status_name(snug_result_status(result)),
           snug_result_text(result, SNUG_STREAM_VALUE, NULL));
    snug_result_free(result);
    return SNUG_OK;
}

static void *serve(void *payload)
{
    struct user *user = (struct user *)payload;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_session *session = NULL;

    options.name = user->name;
    options.on_output = on_output;
    options.payload = user;
    if ((user->error = snug_session_open(&session, user->host, &options)) == SNUG_OK &&
        (user->error = run(session, user, user->first)) == SNUG_OK)
        user->error = run(session, user, user->second);
    /* Messages are of the thread whose call failed. */
    if (user->error)
        fprintf(stderr, "[%s] %s\n", user->name, snug_error_message());
    snug_session_close(session);
    return NULL;
}

int main(void)
{
    struct user users[] = {
        { NULL, "ada", "total = 0\nfor n in range(3):\n    total += n\n    print('at', n)", "total",
          SNUG_OK, "", 0 },
        { NULL, "bob", "words = 'to be or not to be'.split()\nprint(len(words), 'words')",
          "'total' in dir(), sorted(set(words))", SNUG_OK, "", 0 },
    };
    size_t count = sizeof(users) / sizeof(users[0]), started = 0, i;
    pthread_t threads[sizeof(users) / sizeof(users[0])];
    snug_host *host;
    int failed = 0;

    if (snug_host_open(&host, NULL)) {
        fprintf(stderr, "%s\n", snug_error_message());
        return 1;
    }
    for (; started < count; started++) {
        users[started].host = host;
        if (pthread_create(&threads[started], NULL, serve, &users[started])) {
            failed = 1;
            break;
        }
    }
    for (i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
        failed |= users[i].error != SNUG_OK;
    }
    snug_host_close(host);
    return failed;
}
