/*
 * kernel_turns.c - how long a kernel of Jupyter's takes, asked by a client in C of which nothing is
 * to be seen beside it: until it has started, and of turns.
 *
 *     kernel_turns FOLDER TURNS COMMAND...
 *
 * "{connection_file}" in the command becomes the path of a file in FOLDER. A turn is from sending
 * an execute_request until both its reply and the status idle are there. Prints one line of JSON,
 * times in nanoseconds.
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

#include <openssl/hmac.h>
#include <zmq.h>

enum { PORTS = 5, WARM_UP = 50, PARTS = 4, MESSAGE_BYTES = 65536, PATIENCE_MS = 60000 };

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

static pid_t start_kernel(char **command, char *path)
{
    for (char **word = command; *word; word++)
        if (!strcmp(*word, "{connection_file}"))
            *word = path;
    pid_t process = fork();
    if (process < 0)
        fail("fork");
    if (process > 0)
        return process;
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
    char header[512], signature[2 * EVP_MAX_MD_SIZE + 1], joined[MESSAGE_BYTES];
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;

    snprintf(header, sizeof header,
             "{\"msg_id\":\"turn-%u-\",\"session\":\"s\",\"username\":\"u\",\"date\":"
             "\"2026-01-01T00:00:00.000000Z\",\"msg_type\":\"%s\",\"version\":\"5.3\"}",
             number, type);
    const char *parts[PARTS] = { header, "{}", "{}", content };
    int joined_len = snprintf(joined, sizeof joined, "%s{}{}%s", header, content);
    HMAC(EVP_sha256(), key, sizeof key - 1, (unsigned char *)joined, (size_t)joined_len, digest,
         &len);
    for (unsigned i = 0; i < len; i++)
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
static uint64_t take_turn(void *shell, void *iopub, const char *type, unsigned number,
                          const char *content, int most_ms)
{
    zmq_pollitem_t items[] = { { shell, -1, ZMQ_POLLIN, 0 }, { iopub, -1, ZMQ_POLLIN, 0 } };
    int has_reply = 0, is_idle = 0;

    send_request(shell, type, number, content);
    while (!has_reply || !is_idle) {
        if (zmq_poll(items, 2, most_ms) <= 0)
            return 0;
        if (items[0].revents)
            has_reply |= receive(shell, number, "\"status\"");
        if (items[1].revents)
            is_idle |= receive(iopub, number, "\"idle\"");
    }
    return now_ns();
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

int main(int argc, char **argv)
{
    int ports[PORTS];
    char path[4096], content[256];

    if (argc < 4) {
        fprintf(stderr, "usage: kernel_turns FOLDER TURNS COMMAND...\n");
        return 2;
    }

    const unsigned turns = (unsigned)strtoul(argv[2], NULL, 10);
    uint64_t *times = calloc(turns + 1, sizeof *times);
    snprintf(path, sizeof path, "%s/connection-%d.json", argv[1], (int)getpid());
    find_ports(ports);
    write_file(path, ports);

    uint64_t begun_ns = now_ns(), ready_ns = 0;
    pid_t kernel = start_kernel(argv + 3, path);
    void *context = zmq_ctx_new();
    void *shell = connect_to(context, ZMQ_DEALER, ports[0]);
    void *iopub = connect_to(context, ZMQ_SUB, ports[1]);

    /* The subscription may come behind the first answer. */
    unsigned number = 0;
    while (!ready_ns && now_ns() - begun_ns < UINT64_C(60000000000))
        ready_ns = take_turn(shell, iopub, "kernel_info_request", ++number, "{}", 200);
    for (unsigned i = 0; ready_ns && i < WARM_UP + turns; i++) {
        snprintf(content, sizeof content,
                 "{\"code\":\"x = %u\\nx + 1\",\"silent\":false,\"store_history\":true,"
                 "\"user_expressions\":{},\"allow_stdin\":false,\"stop_on_error\":true}",
                 i);
        uint64_t start_ns = now_ns();
        uint64_t end_ns =
            take_turn(shell, iopub, "execute_request", ++number, content, PATIENCE_MS);
        if (!end_ns)
            ready_ns = 0;
        if (i >= WARM_UP)
            times[i - WARM_UP] = end_ns - start_ns;
    }

    long pss = pss_kib(kernel);
    kill(kernel, SIGKILL);
    waitpid(kernel, NULL, 0);
    unlink(path);
    if (!ready_ns) {
        fprintf(stderr, "kernel_turns: the kernel does not answer\n");
        return 1;
    }

    qsort(times, turns, sizeof *times, compare_times);
    printf("{\"start\":%llu,\"runs\":%u,\"median\":%llu,\"p99\":%llu,\"pss_kib\":%ld}\n",
           (unsigned long long)(ready_ns - begun_ns), turns, (unsigned long long)times[turns / 2],
           (unsigned long long)times[turns * 99 / 100], pss);
    zmq_close(shell);
    zmq_close(iopub);
    zmq_ctx_term(context);
    free(times);
    return 0;
}
