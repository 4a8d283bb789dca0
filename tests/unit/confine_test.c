/* Each protection on a thread of its own, with the real system calls; the rest of the
 * process keeps what it has. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

#include "policy/landlock.h"
#include "session/confine/thread_filters.h"

static char top[] = "/tmp/snug-confine-XXXXXX";
static char work[64], readable[64], secret[64];

static void write_file(const char *dir, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, "text", 4), 4);
    close(fd);
}

static int make_folders(void **state)
{
    assert_non_null(mkdtemp(top));
    snprintf(work, sizeof work, "%s/work", top);
    snprintf(readable, sizeof readable, "%s/readable", top);
    snprintf(secret, sizeof secret, "%s/secret", top);
    mkdir(work, 0700);
    mkdir(readable, 0700);
    mkdir(secret, 0700);
    write_file(readable, "file");
    write_file(secret, "file");
    return 0;
}

static int remove_folders(void **state)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", top);
    return system(command);
}

static void on_thread(void *(*fn)(void *), void *arg)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, fn, arg), 0);
    pthread_join(thread, NULL);
}

/* ---- descriptors and folder ---- */

typedef struct table {
    int fd, refused;
    int has_it, first_free;
    ssize_t written;
} table;

static void *look_at_descriptors(void *arg)
{
    table *t = arg;
    t->refused = confine_descriptors();
    t->has_it = fcntl(t->fd, F_GETFD) != -1;
    t->first_free = open("/dev/null", O_RDONLY | O_CLOEXEC);
    t->written = write(STDERR_FILENO, "nobody reads this\n", 18);
    return NULL;
}

TEST(a_private_table_has_three_descriptors)
{
    table t = { .fd = open("/dev/null", O_RDONLY | O_CLOEXEC) };
    on_thread(look_at_descriptors, &t);
    if (t.refused) {
        print_message("refused: %s\n", strerror(t.refused));
        skip();
    }
    assert_false(t.has_it);
    assert_int_equal(t.first_free, 3);
    assert_int_equal(t.written, 18);
    assert_int_not_equal(fcntl(t.fd, F_GETFD), -1);
    close(t.fd);
}

static void *enter(void *refused)
{
    *(int *)refused = confine_folder() ? errno : confine_stand(work);
    umask(0);
    return NULL;
}

TEST(a_private_folder_and_umask_are_not_the_process_s)
{
    char before[256], after[256];
    int refused;
    mode_t mask = umask(022);
    umask(mask);
    assert_non_null(getcwd(before, sizeof before));
    on_thread(enter, &refused);
    assert_non_null(getcwd(after, sizeof after));
    mode_t now = umask(mask);
    if (refused) {
        print_message("refused: %s\n", strerror(refused));
        skip();
    }
    assert_string_equal(after, before);
    assert_int_equal(now, mask);
}

/* ---- Landlock ---- */

typedef struct deed {
    const char *what;
    int (*fn)(void);
    int expected; /* errno */
    int from_abi; /* below it, old_expected */
    int old_expected;
} deed;

static int answer(int result)
{
    return result < 0 ? errno : 0;
}

static int open_at(const char *dir, const char *name, int flags)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    int fd = open(path, flags | O_CLOEXEC, 0600);
    int error = answer(fd);
    if (fd >= 0)
        close(fd);
    return error;
}

static int reads_a_secret(void)
{
    return open_at(secret, "file", O_RDONLY);
}
static int lists_secrets(void)
{
    return open_at(secret, ".", O_RDONLY | O_DIRECTORY);
}
static int reads(void)
{
    return open_at(readable, "file", O_RDONLY);
}
static int writes_where_it_reads(void)
{
    return open_at(readable, "file", O_WRONLY);
}
static int makes_where_it_reads(void)
{
    return open_at(readable, "new", O_WRONLY | O_CREAT);
}
static int makes(void)
{
    return open_at(work, "new", O_RDWR | O_CREAT);
}

static int cut_secret(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/file", secret);
    return answer(truncate(path, 4));
}

static int makes_a_folder(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/folder", work);
    return answer(mkdir(path, 0700));
}

static int makes_a_pipe(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/pipe", work);
    return answer(mkfifo(path, 0600));
}

static int makes_a_link(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/link", work);
    return answer(symlink("/etc/passwd", path));
}

static int moves_into_a_folder(void)
{
    char from[128], to[128];
    snprintf(from, sizeof from, "%s/new", work);
    snprintf(to, sizeof to, "%s/folder/new", work);
    return answer(rename(from, to));
}

static int takes_a_secret(void)
{
    char from[128], to[128];
    snprintf(from, sizeof from, "%s/file", secret);
    snprintf(to, sizeof to, "%s/taken", work);
    return rename(from, to) < 0 ? (errno == EXDEV ? EACCES : errno) : 0;
}

static int removes_a_file(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/folder/new", work);
    if (access(path, F_OK) != 0)
        snprintf(path, sizeof path, "%s/new", work);
    return answer(unlink(path));
}

static int removes_a_folder(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/folder", work);
    return answer(rmdir(path));
}

/* In order: later ones need what earlier ones made. */
static const deed deeds[] = {
    { "reads a secret", reads_a_secret, EACCES, 0, 0 },
    { "lists secrets", lists_secrets, EACCES, 0, 0 },
    { "reads", reads, 0, 0, 0 },
    { "writes where it reads", writes_where_it_reads, EACCES, 0, 0 },
    { "makes a file where it reads", makes_where_it_reads, EACCES, 0, 0 },
    { "makes a file", makes, 0, 0, 0 },
    { "truncates a secret", cut_secret, EACCES, 3, 0 },
    { "makes a folder", makes_a_folder, 0, 0, 0 },
    { "makes a pipe", makes_a_pipe, EACCES, 0, 0 },
    { "makes a link", makes_a_link, EACCES, 0, 0 },
    { "moves into a folder", moves_into_a_folder, 0, 2, EXDEV },
    { "takes a secret", takes_a_secret, EACCES, 0, 0 },
    { "removes a file", removes_a_file, 0, 0, 0 },
    { "removes a folder", removes_a_folder, 0, 0, 0 },
};

enum { DEEDS = sizeof deeds / sizeof *deeds };

typedef struct trial {
    int abi, refused;
    int found[DEEDS];
} trial;

static void *do_all(void *arg)
{
    trial *t = arg;
    path_root roots[] = {
        { readable, PATH_READ },
        { "/nowhere/at/all", PATH_READ },
        { work, PATH_WRITE },
    };
    t->refused = confine_paths(t->abi, roots, sizeof roots / sizeof *roots);
    for (int i = 0; !t->refused && i < DEEDS; i++)
        t->found[i] = deeds[i].fn();
    return NULL;
}

/* Of the kernel's own ABI, and as kernels with fewer. */
TEST(each_abi_keeps_to_the_roots)
{
    int newest = confine_landlock_abi();
    if (!newest) {
        print_message("the kernel has no Landlock\n");
        skip();
    }
    newest = newest < LANDLOCK_NEWEST_ABI ? newest : LANDLOCK_NEWEST_ABI;
    for (int abi = 1; abi <= newest; abi++) {
        trial t = { .abi = abi };
        on_thread(do_all, &t);
        assert_int_equal(t.refused, 0);
        for (int i = 0; i < DEEDS; i++) {
            int expected = abi >= deeds[i].from_abi ? deeds[i].expected : deeds[i].old_expected;
            if (t.found[i] != expected)
                fail_msg("ABI %d: %s: %s", abi, deeds[i].what, strerror(t.found[i]));
        }
    }
    assert_int_equal(reads_a_secret(), 0); /* this thread is as it was */
}

static void *miss_a_root(void *refused)
{
    path_root gone = { "/nowhere/at/all", PATH_WRITE };
    *(int *)refused = confine_paths(1, &gone, 1);
    return NULL;
}

TEST(a_root_to_write_must_exist)
{
    int refused;
    if (!confine_landlock_abi()) {
        print_message("the kernel has no Landlock\n");
        skip();
    }
    on_thread(miss_a_root, &refused);
    assert_int_equal(refused, ENOENT);
}

int main(void)
{
    return run_all_tests(make_folders, remove_folders);
}
