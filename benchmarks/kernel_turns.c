/*
 * kernel_turns.c - how long a kernel of Jupyter's takes, asked by a client in C of which nothing is
 * to be seen beside it: until it has started, and of turns; and what its memory is, alone and as
 * one of several.
 *
 *     kernel_turns FOLDER TURNS KERNELS COMMAND...
 *
 * "{connection_file}" in the command becomes the path of a file in FOLDER. A turn is from sending
 * an execute_request until both its reply and the status idle are there. Behind the first kernel's
 * turns the others start. Prints one line of JSON, times in nanoseconds; each_pss_kib is the
 * memory of all kernels by their number.
 */
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <nettle/hmac.h>
#include <zmq.h>

enum {
    PORTS = 5,
    WARM_UP = 50,
    MOST_KERNELS = 100,
    PARTS = 4,
    MESSAGE_BYTES = 65536,
    PATIENCE_MS = 60000
};

static const char key[] = "0123456789abcdef";

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

__attribute__((noreturn)) static void fail(const char *what)
{
    fprintf(stderr, "kernel_turns: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* ---- the kernel ---- */

/* Ports that are free now. */
static void find_ports(int ports[PORTS])
{
    int sockets[PORTS];

    for (int i = 0; i < PORTS; i++) {
        struct sockaddr_in address = { .sin_family = AF_INET,
                                       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
        socklen_t len = sizeof address;
        sockets[i] = socket(AF_INET, SOCK_STREAM, 0);
        if (sockets[i] < 0 || bind(sockets[i], (struct sockaddr *)&address, len) ||
            getsockname(sockets[i], (struct sockaddr *)&address, &len))
            fail("a port");
        ports[i] = ntohs(address.sin_port);
    }
    for (int i = 0; i < PORTS; i++)
        close(sockets[i]);
}

static void write_file(const char *path, const int ports[PORTS])
{
    FILE *file = fopen(path, "w");
    if (!file)
        fail(path);
    fprintf(file,
            "{\"transport\":\"tcp\",\"ip\":\"127.0.0.1\",\"key\":\"%s\",\"signature_scheme\":"
            "\"hmac-sha256\",\"shell_port\":%d,\"iopub_port\":%d,\"stdin_port\":%d,"
            "\"control_port\":%d,\"hb_port\":%d}\n",
            key, ports[0], ports[1], ports[2], ports[3], ports[4]);
    if (fclose(file))
        fail(path);
}

typedef struct kernel {
    pid_t process;
    char path[4096]; /* of its connection file */
    int ports[PORTS];
    void *shell, *iopub;
    unsigned number; /* of the last request */
} kernel;

static void start_process(kernel *k, char **command)
{
    k->process = fork();
    if (k->process < 0)
        fail("fork");
    if (k->process > 0)
        return;
    for (char **word = command; *word; word++)
        if (!strcmp(*word, "{connection_file}"))
            *word = k->path;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execvp(command[0], command);
    fail(command[0]);
}

/* ---- messages ---- */

static void *connect_to(void *context, int type, int port)
{
    char address[64];
    void *socket = zmq_socket(context, type);

    snprintf(address, sizeof address, "tcp://127.0.0.1:%d", port);
    int linger = 0, again_ms = 1; /* while the kernel is not there yet */
    if (!socket || zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger) ||
        zmq_setsockopt(socket, ZMQ_RECONNECT_IVL, &again_ms, sizeof again_ms) ||
        (type == ZMQ_SUB && zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0)) ||
        zmq_connect(socket, address))
        fail(address);
    return socket;
}

static void send_request(void *shell, const char *type, unsigned number, const char *content)
{
    char header[512], signature[2 * SHA256_DIGEST_SIZE + 1];
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct hmac_sha256_ctx mac;

    snprintf(header, sizeof header,
             "{\"msg_id\":\"turn-%u-\",\"session\":\"s\",\"username\":\"u\",\"date\":"
             "\"2026-01-01T00:00:00.000000Z\",\"msg_type\":\"%s\",\"version\":\"5.3\"}",
             number, type);
    const char *parts[PARTS] = { header, "{}", "{}", content };
    hmac_sha256_set_key(&mac, sizeof key - 1, (const uint8_t *)key);
    for (int i = 0; i < PARTS; i++)
        hmac_sha256_update(&mac, strlen(parts[i]), (const uint8_t *)parts[i]);
    hmac_sha256_digest(&mac, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(signature + 2 * i, 3, "%02x", digest[i]);

    zmq_send(shell, "<IDS|MSG>", 9, ZMQ_SNDMORE);
    zmq_send(shell, signature, strlen(signature), ZMQ_SNDMORE);
    for (int i = 0; i < PARTS; i++)
        zmq_send(shell, parts[i], strlen(parts[i]), i + 1 < PARTS ? ZMQ_SNDMORE : 0);
}

/* Whether a message is of that request, and has the word in its last part. */
static int receive(void *socket, unsigned number, const char *word)
{
    char buffer[MESSAGE_BYTES], id[32];
    int is_ours = 0, is_it = 0, more = 1;
    size_t size = sizeof more;

    snprintf(id, sizeof id, "turn-%u-", number);
    while (more) {
        int len = zmq_recv(socket, buffer, sizeof buffer - 1, 0);
        if (len < 0)
            fail("zmq_recv");
        buffer[len < (int)sizeof buffer ? len : (int)sizeof buffer - 1] = '\0';
        is_ours = is_ours || strstr(buffer, id);
        is_it = strstr(buffer, word) != NULL;
        zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size);
    }
    return is_ours && is_it;
}

/* Answers when it was over; 0: not in time. */
static uint64_t take_turn(kernel *k, const char *type, const char *content, int most_ms)
{
    zmq_pollitem_t items[] = { { k->shell, -1, ZMQ_POLLIN, 0 }, { k->iopub, -1, ZMQ_POLLIN, 0 } };
    int has_reply = 0, is_idle = 0;

    send_request(k->shell, type, ++k->number, content);
    while (!has_reply || !is_idle) {
        if (zmq_poll(items, 2, most_ms) <= 0)
            return 0;
        if (items[0].revents)
            has_reply |= receive(k->shell, k->number, "\"status\"");
        if (items[1].revents)
            is_idle |= receive(k->iopub, k->number, "\"idle\"");
    }
    return now_ns();
}

/* How long the cell with that number takes; 0: it did not end. */
static uint64_t run_cell(kernel *k, unsigned i)
{
    char content[256];

    snprintf(content, sizeof content,
             "{\"code\":\"x = %u\\nx + 1\",\"silent\":false,\"store_history\":true,"
             "\"user_expressions\":{},\"allow_stdin\":false,\"stop_on_error\":true}",
             i);
    uint64_t start_ns = now_ns();
    uint64_t end_ns = take_turn(k, "execute_request", content, PATIENCE_MS);
    return end_ns ? end_ns - start_ns : 0;
}

/* Answers how long it took until it said what it is, and has warmed up; 0: it does not answer. */
static uint64_t start_kernel(kernel *k, void *context, const char *folder, int which,
                             char **command)
{
    uint64_t begun_ns = now_ns(), ready_ns = 0;

    snprintf(k->path, sizeof k->path, "%s/connection-%d-%d.json", folder, (int)getpid(), which);
    find_ports(k->ports);
    write_file(k->path, k->ports);
    start_process(k, command);
    k->shell = connect_to(context, ZMQ_DEALER, k->ports[0]);
    k->iopub = connect_to(context, ZMQ_SUB, k->ports[1]);

    /* The subscription may come behind the first answer. */
    while (!ready_ns && now_ns() - begun_ns < UINT64_C(60000000000))
        ready_ns = take_turn(k, "kernel_info_request", "{}", 200);
    for (unsigned i = 0; i < WARM_UP && ready_ns; i++)
        if (!run_cell(k, i))
            ready_ns = 0;
    return ready_ns ? ready_ns - begun_ns : 0;
}

static void end_kernel(kernel *k)
{
    kill(k->process, SIGKILL);
    waitpid(k->process, NULL, 0);
    unlink(k->path);
    zmq_close(k->shell);
    zmq_close(k->iopub);
}

/* ---- figures ---- */

static int compare_times(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static long pss_kib(pid_t process);

/* That of the processes that a thread has started. */
static long pss_below(pid_t process, const char *thread)
{
    char path[320];
    long kib = 0, child;

    snprintf(path, sizeof path, "/proc/%d/task/%s/children", (int)process, thread);
    FILE *file = fopen(path, "r");
    while (file && fscanf(file, "%ld", &child) == 1)
        kib += pss_kib((pid_t)child);
    if (file)
        fclose(file);
    return kib;
}

static long pss_of_children(pid_t process)
{
    char path[64];
    long kib = 0;

    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *threads = opendir(path);
    for (struct dirent *entry; threads && (entry = readdir(threads));)
        if (entry->d_name[0] != '.')
            kib += pss_below(process, entry->d_name);
    if (threads)
        closedir(threads);
    return kib;
}

/* Proportional set size of a process and all below it, in KiB. */
static long pss_kib(pid_t process)
{
    char path[64], line[256];
    long kib = 0;

    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)process);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Pss: %ld", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return kib + pss_of_children(process);
}

/* Answers whether all have ended. */
static int take_times(kernel *k, uint64_t *times, unsigned turns)
{
    for (unsigned i = 0; i < turns; i++)
        if (!(times[i] = run_cell(k, i)))
            return 0;
    qsort(times, turns, sizeof *times, compare_times);
    return 1;
}

int main(int argc, char **argv)
{
    const int count = argc > 4 ? atoi(argv[3]) : 0;
    if (count < 1 || count > MOST_KERNELS) {
        fprintf(stderr, "usage: kernel_turns FOLDER TURNS KERNELS COMMAND...\n");
        return 2;
    }

    const unsigned turns = (unsigned)strtoul(argv[2], NULL, 10);
    uint64_t *times = calloc(turns + 1, sizeof *times);
    kernel *kernels = calloc((size_t)count, sizeof *kernels);
    void *context = zmq_ctx_new();
    int started = 1;

    const uint64_t start_ns = start_kernel(&kernels[0], context, argv[1], 0, argv + 4);
    int is_fine = start_ns && take_times(&kernels[0], times, turns);
    long alone_kib = pss_kib(kernels[0].process), all_kib = 0;
    for (; started < count && is_fine; started++)
        is_fine = start_kernel(&kernels[started], context, argv[1], started, argv + 4) != 0;
    for (int i = 0; i < started; i++)
        all_kib += pss_kib(kernels[i].process);
    for (int i = 0; i < started; i++)
        end_kernel(&kernels[i]);
    zmq_ctx_term(context);

    if (!is_fine)
        fprintf(stderr, "kernel_turns: the kernel does not answer\n");
    else
        printf("{\"start\":%llu,\"runs\":%u,\"median\":%llu,\"p99\":%llu,\"pss_kib\":%ld,"
               "\"each_pss_kib\":%ld}\n",
               (unsigned long long)start_ns, turns, (unsigned long long)times[turns / 2],
               (unsigned long long)times[turns * 99 / 100], alone_kib, all_kib / started);
    free(times);
    free(kernels);
    return is_fine ? 0 : 1;
}
