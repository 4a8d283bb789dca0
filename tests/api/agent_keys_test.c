/*
 * What is left of a key: nothing in the memory of the process after snug_agent_close, nothing in
 * blocks that are freed before that, by whomever, and nothing in a saved session.
 *
 * The test itself must not hold the key in one piece: it has it with each byte changed, writes it
 * to the key file byte by byte, and the endpoint, to which it is sent, is another process.
 */
#include "../unit/test.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/random.h>
#include <sys/wait.h>

#include <snug/agent.h>

#include "../unit/server.h"

#define HEAD "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
#define SAY(text)                                                                             \
    HEAD "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"" text \
         "\"},\"finish_reason\":\"stop\"}]}"

enum { KEY_BYTES = 40, MASK = 0x80, CHUNK_BYTES = 1 << 20 };

static unsigned char masked[KEY_BYTES];
static char folder[] = "/tmp/snug-keys-XXXXXX", key_path[64], saved_path[64];
static pid_t endpoint;
static int port;

/* ---- the key and the endpoint ---- */

static void make_key(void)
{
    static const char letters[] =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
    unsigned char dice[KEY_BYTES];
    if (!mkdtemp(folder) || getrandom(dice, sizeof dice, 0) != sizeof dice)
        abort();
    snprintf(key_path, sizeof key_path, "%s/key", folder);
    snprintf(saved_path, sizeof saved_path, "%s/saved.snug", folder);
    int fd = open(key_path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    for (int i = 0; i < KEY_BYTES; i++) {
        const char byte = letters[dice[i] % 64];
        masked[i] = (unsigned char)byte ^ MASK;
        if (write(fd, &byte, 1) != 1)
            abort();
    }
    close(fd);
}

/* A process of its own: it gets the key. */
static void start_endpoint(void)
{
    static const server_answer answers[] = {
        { SAY("```python\\nx = 6 * 7\\nx\\n```") },
        { "HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\nno" },
    };
    int pipes[2];
    if (pipe(pipes) || (endpoint = fork()) < 0)
        abort();
    if (endpoint == 0) {
        server s;
        server_start(&s, answers, 2);
        if (write(pipes[1], &s.port, sizeof s.port) != sizeof s.port)
            abort();
        for (;;)
            pause();
    }
    if (read(pipes[0], &port, sizeof port) != sizeof port)
        abort();
    close(pipes[0]);
    close(pipes[1]);
}

static int set_up(void **state)
{
    unsetenv("OPENAI_API_KEY");
    make_key();
    start_endpoint();
    return 0;
}

static int tear_down(void **state)
{
    kill(endpoint, SIGKILL);
    waitpid(endpoint, NULL, 0);
    unlink(key_path);
    unlink(saved_path);
    return rmdir(folder);
}

/* ---- searching ---- */

static int is_key(const unsigned char *at)
{
    for (int i = 0; i < KEY_BYTES; i++)
        if ((at[i] ^ MASK) != masked[i])
            return 0;
    return 1;
}

static size_t count_in(const unsigned char *bytes, size_t len)
{
    size_t found = 0;
    const unsigned char *at = bytes, *end = bytes + len;
    while (end - at >= KEY_BYTES && (at = memchr(at, masked[0] ^ MASK, (size_t)(end - at))) &&
           end - at >= KEY_BYTES) {
        found += is_key(at) ? 1 : 0;
        at++;
    }
    return found;
}

/* The window moves by a chunk less a key, so that none is overseen between two. */
static size_t count_in_range(int memory, unsigned long long from, unsigned long long to,
                             unsigned char *window)
{
    size_t found = 0;
    for (; from + KEY_BYTES <= to; from += CHUNK_BYTES - KEY_BYTES + 1) {
        size_t len = to - from < CHUNK_BYTES ? (size_t)(to - from) : CHUNK_BYTES;
        ssize_t got = pread(memory, window, len, (off_t)from);
        if (got > 0)
            found += count_in(window, (size_t)got);
        explicit_bzero(window, CHUNK_BYTES);
        if (got <= 0 || len < CHUNK_BYTES)
            break;
    }
    return found;
}

/* How often the key is in what this process can read of itself. shown: the mappings that have it
 * are printed. */
static size_t count_in_memory(int shown)
{
    unsigned char *window = malloc(CHUNK_BYTES);
    FILE *maps = fopen("/proc/self/maps", "re");
    int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    char line[512];
    size_t found = 0;
    assert_non_null(maps);
    assert_true(memory >= 0 && window);
    while (fgets(line, sizeof line, maps)) {
        unsigned long long from, to;
        char may_read;
        if (sscanf(line, "%llx-%llx %c", &from, &to, &may_read) != 3 || may_read != 'r' ||
            strstr(line, "[vvar") || strstr(line, "[vsyscall"))
            continue;
        size_t here = count_in_range(memory, from, to, window);
        if (here && shown)
            printf("%zu times in %s", here, line);
        found += here;
    }
    close(memory);
    fclose(maps);
    free(window);
    return found;
}

static size_t count_in_file(const char *path)
{
    unsigned char *bytes = malloc(CHUNK_BYTES);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0 && bytes);
    ssize_t got = read(fd, bytes, CHUNK_BYTES);
    size_t found = count_in(bytes, got > 0 ? (size_t)got : 0);
    assert_true(got > 0);
    explicit_bzero(bytes, CHUNK_BYTES);
    close(fd);
    free(bytes);
    return found;
}

/* ---- what is freed ---- */

static atomic_size_t freed; /* blocks that had the key */
static atomic_int is_watching;

/* The C library's allocator by its other names: these take its place in the whole process. */
extern void __libc_free(void *block);
extern void *__libc_realloc(void *block, size_t bytes);
__attribute__((visibility("default"))) void free(void *block);
__attribute__((visibility("default"))) void *realloc(void *block, size_t bytes);

static int has_key(const void *block)
{
    return block && atomic_load(&is_watching) &&
           count_in(block, malloc_usable_size((void *)(uintptr_t)block));
}

void free(void *block)
{
    freed += has_key(block) ? 1 : 0;
    __libc_free(block);
}

/* Where it moves, the old block is freed as it was. */
void *realloc(void *block, size_t bytes)
{
    int had_key = has_key(block);
    uintptr_t before = (uintptr_t)block;
    void *after = __libc_realloc(block, bytes);
    freed += had_key && (uintptr_t)after != before ? 1 : 0;
    return after;
}

/* ---- the tests ---- */

TEST(the_key_is_found_where_it_is)
{
    assert_int_equal(count_in_file(key_path), 1);
    assert_int_equal(count_in_memory(1), 0);
    unsigned char *planted = malloc(KEY_BYTES);
    for (int i = 0; i < KEY_BYTES; i++)
        planted[i] = masked[i] ^ MASK;
    assert_int_equal(count_in_memory(0), 1);
    explicit_bzero(planted, KEY_BYTES);
    free(planted);
    assert_int_equal(count_in_memory(1), 0);
}

TEST(a_block_that_is_freed_with_the_key_is_noticed)
{
    is_watching = 1;
    char *volatile block = calloc(1, KEY_BYTES + 1);
    free(block);
    assert_int_equal(freed, 0);
    block = malloc(KEY_BYTES + 1);
    for (int i = 0; i < KEY_BYTES; i++)
        block[i] = (char)(masked[i] ^ MASK);
    free(block);
    assert_int_equal(freed, 1);
    freed = 0;
    /* Its place has the key still; the allocator gives it out again. */
    block = malloc(KEY_BYTES + 1);
    explicit_bzero(block, KEY_BYTES + 1);
    free(block);
}

TEST(nothing_of_the_key_is_left_after_close)
{
    snug_host *host;
    snug_agent *agent;
    snug_reply *reply;
    snug_saved *saved;
    char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%d/v1", port);
    snug_agent_options o = SNUG_AGENT_OPTIONS_INIT;
    o.model = "openai:test";
    o.base_url = url;
    o.key_file = key_path;
    o.is_not_streaming = o.has_no_evaluation = 1;
    o.answer = SNUG_AGENT_ANSWER_RESULT;
    assert_int_equal(snug_host_open(&host, NULL), SNUG_OK);
    if (snug_agent_open(&agent, host, &o))
        fail_msg("%s", snug_error_message());
    assert_true(count_in_memory(0) > 0);

    assert_int_equal(snug_agent_ask(&reply, agent, "What is six times seven?", NULL), SNUG_OK);
    assert_string_equal(snug_reply_answer(reply), "42");
    assert_int_equal(snug_session_save(&saved, snug_agent_session(agent), saved_path), SNUG_OK);
    snug_saved_free(saved);
    assert_int_equal(count_in_file(saved_path), 0);
    snug_reply_free(reply);

    assert_int_equal(snug_agent_ask(&reply, agent, "What is six times seven?", NULL), SNUG_OK);
    assert_int_equal(snug_reply_status(reply), SNUG_AGENT_STATUS_TERMINAL_ERROR);
    assert_non_null(strstr(snug_reply_error(reply), "401"));
    snug_reply_free(reply);

    snug_agent_close(agent);
    assert_int_equal(count_in_memory(1), 0);
    snug_host_close(host);
    assert_int_equal(count_in_memory(1), 0);
    assert_int_equal(freed, 0);
}

int main(void)
{
    return run_all_tests(set_up, tear_down);
}
