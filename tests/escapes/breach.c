#include "breach.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"
#include "settings.h"

enum { SETTLE_MS = 1000, STILL_MS = 10, NAME = 64, TEXT = 100, PATH = 300 };

static const char variable[] = "ESCAPES_SECRET";
static char folder[64];  /* outside of all work directories */
static char mounted[80]; /* that sessions of leak have as "data": links that lead out of it */

struct breach {
    snug_session *neighbour;
    char *neighbour_state;
    char *settings, *outside;                           /* when the file began */
    char setting[300];                                  /* that the file reads; empty: none */
    char host_secret[NAME], neighbour_secret[NAME + 8]; /* what all of them begin with */
    char in_memory[TEXT];
    int secret_fd, folder_fd, stream_fd, datagram_fd;
    unsigned port;
    char *prelude;
    char of_host[400], of_neighbour[400];
};

/* ---- before the process starts ---- */

static int set_secret(const char *name, unsigned long long token, const char *place)
{
    char text[TEXT];
    snprintf(text, sizeof text, "%shost-%016llx-%s", *place == 'h' ? "/" : "", token, place);
    return setenv(name, text, 1);
}

int breach_restart(char **argv)
{
    unsigned long long token;
    char *more[64], argument[TEXT];
    size_t count = 0;
    if (getenv(variable))
        return 0;
    if (getrandom(&token, sizeof token, 0) != sizeof token ||
        set_secret(variable, token, "environment") || set_secret("HOME", token, "home") ||
        set_secret("LOGNAME", token, "user"))
        return -1;
    snprintf(argument, sizeof argument, "--secret=host-%016llx-argument", token);
    for (; argv[count] && count < 61; count++)
        more[count + (count > 0)] = argv[count];
    more[1] = argument;
    more[count + 1] = NULL;
    execv("/proc/self/exe", more);
    perror("/proc/self/exe");
    return -1;
}

int breach_make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/escapes-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(mounted, sizeof mounted, "%s-mounted", folder);
    return mkdir(mounted, 0777);
}

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
    return where->level == 0 ? 0 : remove(path);
}

static void empty_folders(void)
{
    nftw(folder, remove_entry, 20, FTW_DEPTH | FTW_PHYS);
    nftw(mounted, remove_entry, 20, FTW_DEPTH | FTW_PHYS);
}

void breach_remove_folder(void)
{
    if (!folder[0])
        return;
    empty_folders();
    rmdir(folder);
    rmdir(mounted);
}

/* Of the semaphore "/tmp-escapes-XXXXXX". */
static const char *semaphore_path(char path[PATH])
{
    snprintf(path, PATH, "/dev/shm/sem.tmp-%s", folder + strlen("/tmp/"));
    return path;
}

/* ---- what is planted ---- */

static void plant_file(const char *name, const char *before, const char *secret, const char *after)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "we");
    if (!file)
        abort();
    fprintf(file, "%s%s%s\n", before, secret, after);
    fclose(file);
}

enum { LARGE_BYTES = 7340033 }; /* a number that nothing else has */

static void plant_large_file(void)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/large.bin", folder);
    plant_file("large.bin", "", "", "");
    if (truncate(path, LARGE_BYTES) != 0)
        abort();
}

static void plant_links(void)
{
    static const char *const links[][2] = { { "secret", "secret.txt" },
                                            { "large", "large.bin" },
                                            { "outside", "." },
                                            { "below", "below/further" } };
    char target[PATH], path[PATH];
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        snprintf(path, sizeof path, "%s/%s", mounted, links[i][0]);
        snprintf(target, sizeof target, "%s/%s", folder, links[i][1]);
        if (symlink(target, path) != 0)
            abort();
    }
}

static void plant_folders(const char *secret)
{
    static const char *const names[] = { "marker", "below", "below/further" };
    char path[PATH];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (mkdir(path, 0777) != 0)
            abort();
    }
    snprintf(path, sizeof path, "%s/%s-folder", folder, secret);
    if (mkdir(path, 0777) != 0 || chdir(path) != 0)
        abort();
}

static void plant_descriptors(breach *b)
{
    int memory = memfd_create("escapes", 0);
    int base = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dprintf(memory, "%s-descriptor\n", b->host_secret) < 0)
        abort();
    /* Numbers that nothing else takes. */
    b->secret_fd = fcntl(memory, F_DUPFD, 60);
    b->folder_fd = fcntl(base, F_DUPFD, 70);
    close(memory);
    close(base);
}

/* Has ended, and nobody but the host may ask for its status. */
static void plant_child(void)
{
    static char path[] = "/bin/true";
    char *const argv[] = { path, NULL };
    pid_t child;
    siginfo_t end;
    if (posix_spawn(&child, path, NULL, NULL, argv, environ) != 0 ||
        waitid(P_PID, (id_t)child, &end, WEXITED | WNOWAIT) != 0)
        perror(path);
}

/* A port of TCP and the same of UDP. */
static void plant_port(breach *b)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t len = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    b->stream_fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    b->datagram_fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (bind(b->stream_fd, (struct sockaddr *)&address, len) != 0 || listen(b->stream_fd, 5) != 0 ||
        getsockname(b->stream_fd, (struct sockaddr *)&address, &len) != 0 ||
        bind(b->datagram_fd, (struct sockaddr *)&address, len) != 0)
        perror("no port");
    b->port = ntohs(address.sin_port);
}

static void write_prelude(breach *b)
{
    if (asprintf(&b->prelude,
                 "OUTSIDE = '%s'\n"
                 "SECRET_FILE = OUTSIDE + '/secret.txt'\n"
                 "MARKER_FILE = OUTSIDE + '/marker/made'\n"
                 "SECRET_NAME = '%s'\n"
                 "SECRET_FD, FOLDER_FD, SECRET_PORT = %d, %d, %u\n"
                 "SECRET_ADDRESS = %llu\n"
                 "NEIGHBOUR_DIR = '%s'\n",
                 folder, variable, b->secret_fd, b->folder_fd, b->port,
                 (unsigned long long)(uintptr_t)b->in_memory,
                 snug_session_workdir(b->neighbour)) < 0)
        abort();
}

/* ---- the neighbour ---- */

static const char neighbour_source[] =
    "import sys, json, re, time, decimal, warnings, codecs, random\n"
    "vault = base + '-value'\n"
    "class Vault:\n"
    "    def look(self):\n"
    "        return vault\n"
    "def opener():\n"
    "    inner = base + '-frame'\n"
    "    yield inner\n"
    "    yield inner\n"
    "keep = [Vault(), vault, opener()]\n"
    "next(keep[2])\n"
    "with open('vault.txt', 'w') as file:\n"
    "    _ = file.write(base + '-file')\n"
    "def ask(name, *more):\n"
    "    return getattr(sys, name, lambda *more: None)(*more)\n"
    "def find(name):\n"
    "    try:\n"
    "        return codecs.lookup(name).name\n"
    "    except LookupError:\n"
    "        return None\n"
    "def open_database():\n"
    "    try:\n"
    "        import sqlite3\n"
    "    except ImportError:\n"
    "        return None\n"
    "    database = sqlite3.connect(':memory:')\n"
    "    try:\n"
    "        database.execute(\"attach 'file:/common?vfs=memdb' as common\")\n"
    "        database.execute('create table common.vault(text)')\n"
    "        database.execute('insert into common.vault values (?)', (base + '-database',))\n"
    "        database.commit()\n"
    "    except sqlite3.Error:\n"
    "        pass\n"
    "    return database\n"
    "database = open_database()\n"
    "def select():\n"
    "    return database and database.execute('select hex(zeroblob(5000))').fetchall()\n";

/* How it is with the neighbour: names, settings of its interpreter, shared types, its file. */
static const char neighbour_check[] =
    "(vault[-5:], len(keep), keep[0].look() == vault, sorted(vars(Vault)),\n"
    " ask('getrecursionlimit'), ask('getswitchinterval'), ask('get_int_max_str_digits'),\n"
    " ask('gettrace'), ask('getprofile'), len(sys.meta_path), len(sys.path),\n"
    " [len(vars(t)) for t in (object, type, int, str, list, dict, tuple, float, BaseException,\n"
    "                         type(ask), type(sys), type(len), decimal.Decimal)],\n"
    " len(vars(__builtins__) if hasattr(__builtins__, 'len') else __builtins__), len([1, 2]),\n"
    " json.loads('{\"a\": [1.5, true]}'), re.sub('a+', 'b', 'caat'), '%.2f' % 1.5,\n"
    " decimal.getcontext().prec, len(warnings.filters), find('utf-8'), find('escaped'),\n"
    " time.tzname, time.strftime('%B %A', time.gmtime(0)), str(2**70), hash(1), 7 + 1,\n"
    " open('vault.txt').read()[-5:], select())";

/* The value of a cell of the neighbour, or how it failed; to be freed. */
static char *ask_neighbour(breach *b, const char *source)
{
    snug_result *result = NULL;
    char *answer = NULL;
    if (snug_session_run(&result, b->neighbour, source, strlen(source), NULL))
        return strdup(snug_error_message());
    const char *text = snug_result_text(result, SNUG_STREAM_VALUE, NULL);
    if (snug_result_status(result) != SNUG_STATUS_OK)
        text = snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL);
    answer = strdup(text);
    snug_result_free(result);
    return answer;
}

static int open_neighbour(breach *b, snug_host *host, const char *profile)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    char source[sizeof neighbour_source + 2 * TEXT];
    options.profile = profile;
    options.limits = &limits;
    limits.cpu_ms = SNUG_UNLIMITED;
    if (snug_session_open(&b->neighbour, host, &options)) {
        fprintf(stderr, "no neighbour: %s\n", snug_error_message());
        return -1;
    }
    snprintf(source, sizeof source, "base = '%s'\n%s", b->neighbour_secret, neighbour_source);
    char *answer = ask_neighbour(b, source);
    if (*answer)
        fprintf(stderr, "the neighbour answered: %s\n", answer);
    free(answer);
    return 0;
}

static char *neighbour_now(breach *b)
{
    return ask_neighbour(b, neighbour_check);
}

/* ---- open and close ---- */

breach *breach_open(snug_host *host, const char *profile)
{
    breach *b = calloc(1, sizeof *b);
    const char *secret = getenv(variable);
    char path[PATH];
    if (!b || !secret)
        abort();
    snprintf(b->host_secret, sizeof b->host_secret, "%.*s", (int)(strrchr(secret, '-') - secret),
             secret);
    snprintf(b->neighbour_secret, sizeof b->neighbour_secret, "neighbour%s", b->host_secret + 4);
    snprintf(b->in_memory, sizeof b->in_memory, "%s-memory", b->host_secret);
    empty_folders();
    unlink(semaphore_path(path));
    plant_file("secret.txt", "", b->host_secret, "-file");
    plant_file("outside.py", "value = '", b->host_secret, "-module'");
    plant_large_file();
    plant_folders(b->host_secret);
    plant_links();
    umask(031);
    plant_descriptors(b);
    plant_port(b);
    plant_child();
    settings_count_signals();
    if (open_neighbour(b, host, profile) != 0) {
        breach_close(b);
        return NULL;
    }
    write_prelude(b);
    free(neighbour_now(b)); /* what it imports at the first time */
    return b;
}

void breach_close(breach *b)
{
    if (!b)
        return;
    snug_session_close(b->neighbour);
    close(b->secret_fd);
    close(b->folder_fd);
    close(b->stream_fd);
    close(b->datagram_fd);
    free(b->prelude);
    free(b->settings);
    free(b->outside);
    free(b->neighbour_state);
    free(b);
}

const char *breach_prelude(const breach *b)
{
    return b->prelude;
}

snug_mount breach_mount(void)
{
    return (snug_mount){ .path = mounted, .name = "data" };
}

/* ---- what was got at ---- */

static FILE *outside_list;

static int tell_entry(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
    fprintf(outside_list,
            "%s: mode %o, owner %u %u, links %u, %lld bytes, times %lld.%ld %lld.%ld\n",
            path + strlen(folder), facts->st_mode, facts->st_uid, facts->st_gid,
            (unsigned)facts->st_nlink, (long long)facts->st_size, (long long)facts->st_mtim.tv_sec,
            facts->st_mtim.tv_nsec, (long long)facts->st_ctim.tv_sec, facts->st_ctim.tv_nsec);
    return 0;
}

/* What lies in the folder, and the descriptor's file; to be freed. */
static char *outside_now(const breach *b)
{
    char *text = NULL;
    size_t size = 0;
    struct stat facts = { 0 };
    char path[PATH];
    outside_list = open_memstream(&text, &size);
    if (!outside_list)
        abort();
    fstat(b->secret_fd, &facts);
    fprintf(outside_list, "descriptor: %lld bytes, at %lld\n", (long long)facts.st_size,
            (long long)lseek(b->secret_fd, 0, SEEK_CUR));
    fputs(access(semaphore_path(path), F_OK) == 0 ? "a semaphore\n" : "", outside_list);
    nftw(folder, tell_entry, 20, FTW_PHYS);
    fclose(outside_list);
    return text;
}

static void note(char *what, size_t size, const char *text, const char *more)
{
    if (!what[0])
        snprintf(what, size, "%s%s", text, more);
}

/* "file" of "host-0123-file". */
static void note_secret(char *what, size_t size, const char *text, const char *secret)
{
    const char *found = strstr(text, secret);
    char place[40];
    if (!found)
        return;
    found += strlen(secret) + (found[strlen(secret)] == '-');
    snprintf(place, sizeof place, "%.*s", (int)strspn(found, "abcdefghijklmnopqrstuvwxyz"), found);
    note(what, size, "secret: ", place);
}

static int is_word_end(char c)
{
    return !c || !strchr("0123456789abcdefghijklmnopqrstuvwxyz_", c);
}

static void read_text(breach *b, const char *text, size_t len)
{
    note_secret(b->of_host, sizeof b->of_host, text, b->host_secret);
    note_secret(b->of_neighbour, sizeof b->of_neighbour, text, b->neighbour_secret);
    for (const char *at = text; b->setting[0] && (at = strstr(at, b->setting)); at++)
        if ((at == text || is_word_end(at[-1])) && is_word_end(at[strlen(b->setting)]))
            note(b->of_host, sizeof b->of_host, "setting read: ", b->setting);
    size_t first = strlen(text); /* texts of cells may hold NUL characters */
    if (first < len)
        read_text(b, text + first + 1, len - first - 1);
}

/* Threads and descriptors of the session before go shortly after it: how it is once nothing has
 * differed for STILL_MS. */
static char *settings_at_rest(void)
{
    char line[300], *last = settings_now();
    for (unsigned ms = 0, still_ms = 0; ms < SETTLE_MS && still_ms < STILL_MS; ms += 10) {
        measure_sleep_ns(10 * (uint64_t)NS_PER_MS);
        char *now = settings_now();
        still_ms = settings_differ(line, sizeof line, last, now) ? 0 : still_ms + 10;
        free(last);
        last = now;
    }
    return last;
}

void breach_watch(breach *b, const char *setting)
{
    free(b->settings);
    free(b->outside);
    free(b->neighbour_state);
    b->of_host[0] = b->of_neighbour[0] = '\0';
    lseek(b->secret_fd, 0, SEEK_SET);
    settings_read(b->setting, sizeof b->setting, setting, folder);
    b->neighbour_state = neighbour_now(b);
    b->outside = outside_now(b);
    b->settings = settings_at_rest();
}

static char set_id_name[100];

static int find_set_id(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
    if (kind == FTW_SL || !(facts->st_mode & (S_ISUID | S_ISGID | S_ISVTX)))
        return 0;
    snprintf(set_id_name, sizeof set_id_name, "%.80s", path + where->base);
    return 1;
}

void breach_look_into(breach *b, const char *workdir)
{
    if (nftw(workdir, find_set_id, 20, FTW_PHYS) == 1)
        note(b->of_host, sizeof b->of_host, "marker: a set-id file, ", set_id_name);
}

void breach_read(breach *b, snug_result *result)
{
    static const snug_stream streams[] = { SNUG_STREAM_VALUE, SNUG_STREAM_STDOUT,
                                           SNUG_STREAM_STDERR, SNUG_STREAM_TRACEBACK };
    size_t len = 0;
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        const char *text = snug_result_text(result, streams[i], &len);
        read_text(b, text, len);
    }
    char secrets_only[sizeof b->setting];
    memcpy(secrets_only, b->setting, sizeof secrets_only);
    b->setting[0] = '\0'; /* the whole has numbers of its own */
    const char *whole = snug_result_json(result, &len);
    if (whole)
        read_text(b, whole, len);
    memcpy(b->setting, secrets_only, sizeof secrets_only);
}

/* Threads and descriptors of a session go shortly after it: what differs for a second
 * differs. */
static void compare_settings(breach *b)
{
    char line[300], *now = NULL;
    for (unsigned i = 0; i < SETTLE_MS / 10; i++) {
        free(now);
        now = settings_now();
        if (!settings_differ(line, sizeof line, b->settings, now)) {
            free(now);
            return;
        }
        measure_sleep_ns(10 * (uint64_t)NS_PER_MS);
    }
    free(now);
    note(b->of_host, sizeof b->of_host, "setting: ", line);
}

static void compare_connections(breach *b)
{
    char byte;
    int peer = accept4(b->stream_fd, NULL, NULL, SOCK_CLOEXEC);
    if (peer >= 0) {
        note(b->of_host, sizeof b->of_host, "marker: ", "a connection to the host's port");
        close(peer);
    }
    if (recv(b->datagram_fd, &byte, 1, 0) >= 0)
        note(b->of_host, sizeof b->of_host, "marker: ", "a datagram to the host's port");
}

void breach_compare(breach *b)
{
    char line[300], *now = outside_now(b);
    if (settings_differ(line, sizeof line, b->outside, now))
        note(b->of_host, sizeof b->of_host, "marker: ", line);
    free(now);
    snprintf(line, sizeof line, "%.50s-memory", b->host_secret);
    if (strcmp(line, b->in_memory) != 0)
        note(b->of_host, sizeof b->of_host, "setting: ", "the host's memory");
    compare_connections(b);
    compare_settings(b);
    now = neighbour_now(b);
    if (strcmp(now, b->neighbour_state) != 0) {
        size_t at = 0;
        while (now[at] == b->neighbour_state[at])
            at++;
        at -= at < 20 ? at : 20;
        now[strcspn(now, "\n")] = '\0'; /* a traceback has more lines */
        snprintf(line, sizeof line, "%.100s, now %.100s", b->neighbour_state + at, now + at);
        note(b->of_neighbour, sizeof b->of_neighbour, "changed: ", line);
    }
    free(now);
}

const char *breach_of_host(const breach *b)
{
    return b->of_host[0] ? b->of_host : NULL;
}

const char *breach_of_neighbour(const breach *b)
{
    return b->of_neighbour[0] ? b->of_neighbour : NULL;
}
