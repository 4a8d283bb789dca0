/*
 * server.c - cells over HTTP, as somebody would write it who has a server and embeds the library.
 *
 *     server FORM WALL_MS
 *
 * It prints the port of this machine that it has taken. POST / {"client": "...", "code": "..."}
 * runs a cell in that client's session and answers with the result's JSON; GET / answers with the
 * health of the host. One thread of libmicrohttpd takes connections and suspends them, eight
 * workers run the cells. FORM is local, signals, worker (one host for all) or tenant (a worker's
 * host for each client).
 */
#include <cjson/cJSON.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <snug/snug.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define WORKERS      8
#define CLIENTS      64
#define MEMORY_BYTES (64u << 20)

struct client {
    char id[64];
    snug_host *host; /* its own, in the form tenant */
    snug_session *session;
    int is_busy;
};

struct request {
    struct MHD_Connection *connection;
    char *body;
    size_t len;
    struct MHD_Response *response;
    unsigned status;
    struct request *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the queue and the clients */
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static struct request *head, **tail = &head;
static struct client clients[CLIENTS];
static size_t client_count;
static snug_host *shared; /* NULL in the form tenant */
static snug_host_options host_options = SNUG_HOST_OPTIONS_INIT;
static uint64_t wall_ms;

/* ---- clients ---- */

static int open_client(struct client *client)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    int error;

    if (!shared && !client->host && (error = snug_host_open(&client->host, &host_options)))
        return error;
    limits.wall_ms = wall_ms;
    limits.memory_bytes = MEMORY_BYTES;
    options.name = client->id;
    options.limits = &limits;
    return snug_session_open(&client->session, shared ? shared : client->host, &options);
}

/* 1: the client is this thread's until give_client; 0: another request has it; -1: no room. */
static int take_client(struct client **out, const char *id)
{
    struct client *client = NULL;
    int taken = -1;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < client_count && !client; i++)
        if (!strcmp(clients[i].id, id))
            client = &clients[i];
    if (!client && client_count < CLIENTS) {
        client = &clients[client_count++];
        snprintf(client->id, sizeof client->id, "%s", id);
    }
    if (client) {
        taken = !client->is_busy;
        client->is_busy = 1;
    }
    pthread_mutex_unlock(&lock);

    *out = client;
    return taken;
}

static void give_client(struct client *client)
{
    pthread_mutex_lock(&lock);
    client->is_busy = 0;
    pthread_mutex_unlock(&lock);
}

/* ---- answers ---- */

static void free_result(void *result)
{
    snug_result_free(result);
}

static void answer_error(struct request *request, unsigned status, int error, const char *message)
{
    cJSON *json = cJSON_CreateObject();
    char *text;

    cJSON_AddStringToObject(json, "error", snug_error_name(error));
    cJSON_AddStringToObject(json, "message", message);
    text = cJSON_PrintUnformatted(json);
    cJSON_Delete(json);

    request->status = status;
    request->response = MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE);
}

static void answer_health(struct request *request)
{
    snug_health health = SNUG_HEALTH_INIT;
    char text[100];

    if (shared)
        snug_host_health(&health, shared);
    snprintf(text, sizeof text, "{\"hung_threads\":%d,\"torn_locks\":%d}", (int)health.hung_threads,
             (int)health.torn_locks);
    request->status = 200;
    request->response = MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_COPY);
}

/* A session that an earlier cell has cost is reset, and the cell runs in the new one. */
static int run_cell(snug_result **result, struct client *client, const char *code)
{
    int error = client->session ? SNUG_OK : open_client(client);

    if (!error)
        error = snug_session_run(result, client->session, code, strlen(code), NULL);
    if (error == SNUG_EDEAD && !(error = snug_session_reset(client->session)))
        error = snug_session_run(result, client->session, code, strlen(code), NULL);
    return error;
}

static void answer_cell(struct request *request, struct client *client, const char *code)
{
    snug_result *result;
    const char *text;
    size_t len;
    int error = run_cell(&result, client, code);

    if (error) {
        answer_error(request, 500, error, snug_error_message());
        return;
    }
    text = snug_result_json(result, &len);
    request->status = 200;
    /* It is not written to: libmicrohttpd's parameter is not const. */
    request->response = MHD_create_response_from_buffer_with_free_callback_cls(
        len, (void *)(uintptr_t)text, free_result, result);
}

static void serve_request(struct request *request)
{
    cJSON *json = cJSON_ParseWithLength(request->body, request->len);
    const char *id = cJSON_GetStringValue(cJSON_GetObjectItem(json, "client"));
    const char *code = cJSON_GetStringValue(cJSON_GetObjectItem(json, "code"));
    struct client *client;

    if (!id || !code) {
        answer_error(request, 400, SNUG_EINVAL, "client and code are needed");
    } else if (take_client(&client, id) != 1) {
        answer_error(request, 409, SNUG_EBUSY, "the session is busy");
    } else {
        answer_cell(request, client, code);
        give_client(client);
    }
    cJSON_Delete(json);
}

static void *serve_requests(void *unused)
{
    struct request *request;

    for (;;) {
        pthread_mutex_lock(&lock);
        while (!head)
            pthread_cond_wait(&wake, &lock);
        request = head;
        head = request->next;
        if (!head)
            tail = &head;
        pthread_mutex_unlock(&lock);

        serve_request(request);
        MHD_resume_connection(request->connection);
    }
    return unused;
}

/* ---- connections ---- */

/* Called for the head of a request, for each piece of its body, at its end, and again when it is
 * resumed with an answer. */
static enum MHD_Result handle(void *unused, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_len, void **state)
{
    struct request *request = *state;

    (void)unused, (void)url, (void)version;
    if (!request) {
        *state = request = calloc(1, sizeof *request);
        return request ? MHD_YES : MHD_NO;
    }
    if (*upload_len) {
        char *body = realloc(request->body, request->len + *upload_len);
        if (!body)
            return MHD_NO;
        memcpy(body + request->len, upload, *upload_len);
        request->body = body;
        request->len += *upload_len;
        *upload_len = 0;
        return MHD_YES;
    }
    if (!strcmp(method, "GET") && !request->response)
        answer_health(request);
    if (request->response)
        return MHD_queue_response(connection, request->status, request->response);

    request->connection = connection;
    MHD_suspend_connection(connection);
    pthread_mutex_lock(&lock);
    request->next = NULL;
    *tail = request;
    tail = &request->next;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
    return MHD_YES;
}

static void free_request(void *unused, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode code)
{
    struct request *request = *state;

    (void)unused, (void)connection, (void)code;
    if (!request)
        return;
    if (request->response)
        MHD_destroy_response(request->response);
    free(request->body);
    free(request);
}

int main(int argc, char **argv)
{
    const char *form = argc == 3 ? argv[1] : "";
    struct sockaddr_in here = { .sin_family = AF_INET };
    struct MHD_Daemon *daemon;
    pthread_t thread;
    sigset_t end;
    int which;

    if (argc != 3)
        return fprintf(stderr, "usage: server FORM WALL_MS\n"), 2;
    if (!strcmp(form, "worker") || !strcmp(form, "tenant"))
        host_options.form = SNUG_FORM_WORKER;
    if (!strcmp(form, "signals"))
        host_options.flags = SNUG_HOST_SIGNALS;
    wall_ms = strtoull(argv[2], NULL, 10);
    if (strcmp(form, "tenant") && snug_host_open(&shared, &host_options))
        return fprintf(stderr, "%s\n", snug_error_message()), 1;

    sigemptyset(&end);
    sigaddset(&end, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &end, NULL);
    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&thread, NULL, serve_requests, NULL))
            return 1;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL,
                              NULL, handle, NULL, MHD_OPTION_SOCK_ADDR, &here,
                              MHD_OPTION_NOTIFY_COMPLETED, free_request, NULL, MHD_OPTION_END);
    if (!daemon)
        return fprintf(stderr, "no port is free\n"), 1;
    printf("%u\n", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    sigwait(&end, &which);
    return 0;
}
