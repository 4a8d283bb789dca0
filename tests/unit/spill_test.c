#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "capture/capture.h"

/* ---- a directory for each test ---- */

typedef struct ground {
    char dir[64], path[160];
    spill_place place;
} ground;

static int set_up(void **state)
{
    ground *g = calloc(1, sizeof *g);
    if (!g)
        return -1;
    strcpy(g->dir, "/tmp/snug-spill-test-XXXXXX");
    *state = g;
    if (!mkdtemp(g->dir))
        return -1;
    spill_place_init(&g->place, g->dir);
    g->place.limit_bytes = 1 << 20;
    return 0;
}

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
    return remove(path);
}

static int tear_down(void **state)
{
    ground *g = *state;
    nftw(g->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(g);
    return 0;
}

static const char *path_of(ground *g, const char *name)
{
    snprintf(g->path, sizeof g->path, "%s/%s", g->dir, name);
    return g->path;
}

static void assert_file(ground *g, const char *name, const char *expected, size_t len)
{
    char *text = malloc(len + 2);
    FILE *file = fopen(path_of(g, name), "rb");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, len + 1, file), len);
    assert_memory_equal(text, expected, len);
    fclose(file);
    free(text);
}

static int count_entries(const char *path)
{
    int count = 0;
    DIR *dir = opendir(path);
    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static int count_files(ground *g)
{
    return count_entries(g->dir) - 2;
}

static int count_descriptors(void)
{
    return count_entries("/proc/self/fd");
}

static void begin(spill *s, ground *g)
{
    *s = (spill){ .state = SPILL_READY };
    spill_begin(s, &g->place, "out", 3);
}

static void write_text(spill *s, const char *text)
{
    spill_write(s, text, strlen(text));
}

/* ---- one file ---- */

TEST_WITH(a_file_has_what_was_written, set_up, tear_down)
{
    ground *g = *state;
    spill s;
    struct stat facts;
    begin(&s, g);
    write_text(&s, "one ");
    write_text(&s, "two");
    assert_null(spill_name(&s));
    spill_close(&s);
    assert_string_equal(spill_name(&s), "out-3.txt");
    assert_file(g, "out-3.txt", "one two", 7);
    assert_int_equal(stat(path_of(g, "out-3.txt"), &facts), 0);
    assert_int_equal(facts.st_mode & 07777, 0600);
    assert_int_equal(g->place.used_bytes, 7);
}

TEST_WITH(a_text_longer_than_the_buffer_is_written_whole, set_up, tear_down)
{
    ground *g = *state;
    spill s;
    size_t len = 3 * SPILL_BUFFER_BYTES + 77;
    char *text = malloc(len);
    for (size_t i = 0; i < len; i++)
        text[i] = (char)('a' + i % 23);
    begin(&s, g);
    spill_write(&s, text, 5);
    spill_write(&s, text + 5, len - 5);
    spill_close(&s);
    assert_file(g, "out-3.txt", text, len);
    free(text);
}

TEST_WITH(a_file_that_is_not_begun_stays_away, set_up, tear_down)
{
    ground *g = *state;
    spill s = { 0 };
    write_text(&s, "text");
    spill_begin(&s, &g->place, "out", 1);
    spill_close(&s);
    assert_null(spill_name(&s));
    assert_int_equal(count_files(g), 0);
}

TEST_WITH(a_closed_file_takes_no_more, set_up, tear_down)
{
    ground *g = *state;
    spill s;
    begin(&s, g);
    write_text(&s, "text");
    spill_close(&s);
    write_text(&s, "more");
    spill_close(&s);
    assert_string_equal(spill_name(&s), "out-3.txt");
    assert_file(g, "out-3.txt", "text", 4);
}

TEST_WITH(closing_gives_the_descriptor_back, set_up, tear_down)
{
    int before = count_descriptors();
    spill s;
    begin(&s, *state);
    assert_int_equal(count_descriptors(), before + 1);
    assert_true(fcntl(s.fd, F_GETFD) & FD_CLOEXEC);
    spill_close(&s);
    assert_int_equal(count_descriptors(), before);
}

/* ---- names ---- */

TEST_WITH(a_name_that_is_taken_is_left_alone, set_up, tear_down)
{
    ground *g = *state;
    spill s;
    for (int i = 0; i < 3; i++) {
        begin(&s, g);
        write_text(&s, i == 0 ? "first" : i == 1 ? "second" : "third");
        spill_close(&s);
    }
    assert_string_equal(spill_name(&s), "out-3-3.txt");
    assert_file(g, "out-3.txt", "first", 5);
    assert_file(g, "out-3-2.txt", "second", 6);
}

TEST_WITH(a_planted_link_is_not_followed, set_up, tear_down)
{
    ground *g = *state;
    spill s;
    char target[160];
    snprintf(target, sizeof target, "%s/target", g->dir);
    assert_int_equal(symlink(target, path_of(g, "out-3.txt")), 0);
    begin(&s, g);
    write_text(&s, "text");
    spill_close(&s);
    assert_string_equal(spill_name(&s), "out-3-2.txt");
    assert_int_not_equal(access(target, F_OK), 0);
}

TEST_WITH(another_directory_in_its_place_is_not_written_to, set_up, tear_down)
{
    ground *g = *state;
    spill s;
    char home[160], away[160], other[160];
    snprintf(home, sizeof home, "%s/home", g->dir);
    snprintf(away, sizeof away, "%s/away", g->dir);
    snprintf(other, sizeof other, "%s/other", g->dir);
    assert_int_equal(mkdir(home, 0700) | mkdir(other, 0700), 0);
    spill_place_init(&g->place, home);
    g->place.limit_bytes = 100;
    assert_int_equal(rename(home, away) | symlink(other, home), 0);
    begin(&s, g);
    assert_int_equal(s.state, SPILL_NONE);
    spill_close(&s);
    assert_int_equal(unlink(home) | rename(other, home), 0);
    begin(&s, g);
    assert_int_equal(s.state, SPILL_NONE);
    spill_close(&s);
    assert_int_equal(count_entries(home), 2);
}

/* ---- limits ---- */

TEST_WITH(the_file_ends_at_the_limit, set_up, tear_down)
{
    ground *g = *state;
    spill s;
    g->place.limit_bytes = 10;
    begin(&s, g);
    write_text(&s, "0123456");
    write_text(&s, "789abc");
    write_text(&s, "def");
    spill_close(&s);
    assert_file(g, "out-3.txt", "0123456789", 10);
    assert_int_equal(g->place.used_bytes, 10);
}

TEST_WITH(the_file_ends_with_a_whole_character, set_up, tear_down)
{
    ground *g = *state;
    spill s;
    g->place.limit_bytes = 9;
    begin(&s, g);
    write_text(&s, "\xe2\x98\x83\xe2\x98\x83");
    write_text(&s, "ab\xe2\x98\x83");
    spill_close(&s);
    assert_file(g, "out-3.txt",
                "\xe2\x98\x83\xe2\x98\x83"
                "ab",
                8);
    assert_int_equal(g->place.used_bytes, 8);
}

TEST_WITH(the_files_of_a_session_share_the_limit, set_up, tear_down)
{
    ground *g = *state;
    spill a, b;
    g->place.limit_bytes = 10;
    begin(&a, g);
    begin(&b, g);
    write_text(&a, "aaaaaa");
    write_text(&b, "bbbbbb");
    write_text(&a, "a");
    spill_close(&a);
    spill_close(&b);
    assert_file(g, "out-3.txt", "aaaaaa", 6);
    assert_file(g, "out-3-2.txt", "bbbb", 4);
    begin(&a, g);
    assert_int_equal(a.state, SPILL_NONE);
    spill_close(&a);
    assert_int_equal(count_files(g), 2);
}

/* ---- errors ---- */

static void fill_disk(spill *s)
{
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_int_equal(dup3(full, s->fd, O_CLOEXEC), s->fd);
    close(full);
}

TEST_WITH(a_full_disk_ends_the_spill, set_up, tear_down)
{
    ground *g = *state;
    spill s;
    static char text[SPILL_BUFFER_BYTES];
    memset(text, 'x', sizeof text);
    begin(&s, g);
    write_text(&s, "before");
    fill_disk(&s);
    spill_write(&s, text, sizeof text);
    assert_int_equal(s.state, SPILL_NONE);
    write_text(&s, "after");
    spill_close(&s);
    assert_null(spill_name(&s));
    assert_int_equal(g->place.used_bytes, 0);
}

/* Any error does that, here of a descriptor that cannot be written to. */
TEST_WITH(a_file_that_failed_is_removed, set_up, tear_down)
{
    ground *g = *state;
    spill s;
    begin(&s, g);
    int reader = open(path_of(g, s.name), O_RDONLY | O_CLOEXEC);
    assert_int_equal(dup3(reader, s.fd, O_CLOEXEC), s.fd);
    close(reader);
    write_text(&s, "text");
    spill_close(&s);
    assert_null(spill_name(&s));
    assert_int_equal(count_files(g), 0);
}

/* ---- of a capture ---- */

static uint64_t a_mebibyte(void *payload)
{
    return 1 << 20;
}

static void start(capture *c, ground *g, uint64_t limit_bytes)
{
    capture_init(c, NULL, NULL);
    capture_spill_to(c, g->dir, NULL);
    capture_reset(c, limit_bytes, 0);
    capture_allow_spill(c, 7, a_mebibyte, NULL);
}

static void print(capture *c, capture_stream which, const char *text)
{
    assert_int_equal(capture_write(c, which, text, strlen(text)), 0);
}

TEST_WITH(nothing_is_written_within_the_limit, set_up, tear_down)
{
    ground *g = *state;
    capture c;
    start(&c, g, 10);
    print(&c, CAPTURE_STDOUT, "0123");
    print(&c, CAPTURE_STDOUT, "456789");
    assert_int_equal(count_files(g), 0);
    print(&c, CAPTURE_STDOUT, "a");
    assert_int_equal(count_files(g), 1);
    capture_finish(&c);
    capture_free(&c);
}

TEST_WITH(the_file_begins_with_the_first_byte, set_up, tear_down)
{
    ground *g = *state;
    capture c;
    start(&c, g, 10);
    print(&c, CAPTURE_STDOUT, "0123");
    print(&c, CAPTURE_STDOUT, "456");
    print(&c, CAPTURE_STDOUT, "789a");
    print(&c, CAPTURE_STDOUT, "bcdef");
    capture_finish(&c);
    assert_string_equal(spill_name(&c.spills[CAPTURE_STDOUT]), "out-7.txt");
    assert_file(g, "out-7.txt", "0123456789abcdef", 16);
    capture_free(&c);
}

TEST_WITH(each_stream_has_a_file_of_its_own, set_up, tear_down)
{
    ground *g = *state;
    capture c;
    start(&c, g, 4);
    print(&c, CAPTURE_STDOUT, "output");
    print(&c, CAPTURE_STDERR, "errors");
    print(&c, CAPTURE_STDOUT, "!");
    capture_finish(&c);
    assert_string_equal(spill_name(&c.spills[CAPTURE_STDERR]), "err-7.txt");
    assert_file(g, "out-7.txt", "output!", 7);
    assert_file(g, "err-7.txt", "errors", 6);
    capture_free(&c);
}

TEST_WITH(the_next_cell_begins_anew, set_up, tear_down)
{
    ground *g = *state;
    capture c;
    start(&c, g, 4);
    print(&c, CAPTURE_STDOUT, "output");
    capture_finish(&c);
    print(&c, CAPTURE_STDOUT, "between the cells");
    capture_reset(&c, 4, 0);
    capture_allow_spill(&c, 8, a_mebibyte, NULL);
    capture_finish(&c);
    assert_null(spill_name(&c.spills[CAPTURE_STDOUT]));
    assert_file(g, "out-7.txt", "output", 6);
    capture_free(&c);
}

TEST_WITH(without_a_place_there_is_no_file, set_up, tear_down)
{
    capture c;
    capture_init(&c, NULL, NULL);
    capture_reset(&c, 4, 0);
    capture_allow_spill(&c, 1, a_mebibyte, NULL);
    print(&c, CAPTURE_STDOUT, "output");
    capture_finish(&c);
    assert_null(spill_name(&c.spills[CAPTURE_STDOUT]));
    capture_free(&c);
}

TEST_WITH(a_stop_ends_the_file_of_a_long_write, set_up, tear_down)
{
    ground *g = *state;
    static char text[5 * SPILL_BUFFER_BYTES];
    _Atomic int is_stopping = 0;
    capture c;
    start(&c, g, 4);
    c.is_stopping = &is_stopping;
    memset(text, 'x', sizeof text);
    print(&c, CAPTURE_STDOUT, "short"); /* before the stop */
    atomic_store(&is_stopping, 1);
    print(&c, CAPTURE_STDOUT, "shorter than a piece");
    assert_int_equal(capture_write(&c, CAPTURE_STDOUT, text, sizeof text), 0);
    capture_finish(&c);
    assert_non_null(spill_name(&c.spills[CAPTURE_STDOUT]));
    assert_int_equal(c.place.used_bytes, 25 + SPILL_BUFFER_BYTES);
    assert_int_equal(c.streams[CAPTURE_STDOUT].total_bytes, 25 + sizeof text);
    capture_free(&c);
}

TEST_WITH(a_writer_that_never_came_back_leaves_no_descriptor, set_up, tear_down)
{
    int before = count_descriptors();
    capture c;
    start(&c, *state, 4);
    print(&c, CAPTURE_STDOUT, "output");
    print(&c, CAPTURE_STDERR, "errors");
    pthread_mutex_lock(&c.whole); /* a fault came in the middle */
    assert_int_equal(count_descriptors(), before + 2);
    capture_finish(&c);
    assert_int_equal(count_descriptors(), before);
    print(&c, CAPTURE_STDOUT, "the next thread");
    capture_free(&c);

    start(&c, *state, 4);
    print(&c, CAPTURE_STDOUT, "output");
    capture_free(&c);
    assert_int_equal(count_descriptors(), before);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
