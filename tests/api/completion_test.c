/* What completes a source that is being written. */
#include "../unit/test.h"

#include <sys/stat.h>

#include "test_host.h"

#include <snug/snug.h>

static int open_session(void **state)
{
    snug_session *session = NULL;
    int error = snug_session_open(&session, host, NULL);
    *state = session;
    return error;
}

static int close_session(void **state)
{
    snug_session_close(*state);
    return 0;
}

/* The text of a stream of the cell, which raises nothing. */
static void run(char *out, size_t size, snug_session *session, const char *source,
                snug_stream stream)
{
    snug_result *result = NULL;
    assert_int_equal(snug_session_run(&result, session, source, strlen(source), NULL), SNUG_OK);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL), "");
    snprintf(out, size, "%s", snug_result_text(result, stream, NULL));
    snug_result_free(result);
}

static void run_quietly(snug_session *session, const char *source)
{
    char value[8];
    run(value, sizeof value, session, source, SNUG_STREAM_VALUE);
}

static snug_completion *complete(snug_session *session, const char *source)
{
    const size_t len = strlen(source);
    snug_completion *found = NULL;
    assert_int_equal(snug_session_complete(&found, session, source, len, len), SNUG_OK);
    return found;
}

/* Those of one type, a blank between two. */
static void join_matches(char *out, size_t size, const snug_completion *found, const char *type)
{
    size_t used = 0;

    *out = '\0';
    for (size_t i = 0; i < snug_completion_match_count(found); i++) {
        if (strcmp(snug_completion_type(found, i), type) == 0)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? " " : "",
                                     snug_completion_match(found, i));
        assert_true(used < size);
    }
}

typedef struct place {
    const char *source, *matches;
    size_t start; /* where there are matches */
} place;

static void check_places(snug_session *session, const place *places, size_t count, const char *type)
{
    char found[2000];

    for (size_t i = 0; i < count; i++) {
        snug_completion *completion = complete(session, places[i].source);
        join_matches(found, sizeof found, completion, type);
        if (strcmp(found, places[i].matches) != 0)
            fail_msg("%s: %s", places[i].source, found);
        if (*found && snug_completion_start(completion) != places[i].start)
            fail_msg("%s: %zu", places[i].source, snug_completion_start(completion));
        snug_completion_free(completion);
    }
}

#define CHECK_PLACES(session, places, type) \
    check_places(session, places, sizeof(places) / sizeof *(places), type)

/* ---- magics ---- */

TEST_WITH(a_magic_is_completed_with_its_marks, open_session, close_session)
{
    static const place places[] = {
        { "%ls", "%lsmagic", 0 },
        { "%ti", "%time %%time %timeit %%timeit", 0 },
        { "%%ti", "%%time %%timeit", 0 },
        { "\n  %%cap", "%%capture", 3 },
        { "%cap", "%%capture", 0 },
        { "x = 1\n%ti", "%time %timeit", 6 },
        { "x = 1\n%%ti", "", 0 },
        { "if x:\n    %who_", "%who_ls", 10 },
        { "x = %ti", "%time %timeit", 4 },
        { "'\xf0\x9f\x8e\xb2'; x = %who_", "%who_ls", 12 },
        { "x = %%ti", "", 0 },
        { "x %ti", "", 0 },
        { "(x,\n%ti", "", 0 },
        { "'%ti", "", 0 },
        { "%nothing", "", 0 },
    };
    CHECK_PLACES(*state, places, "magic");
}

/* ---- keys ---- */

TEST_WITH(a_key_is_spelled_as_the_literal_that_it_is_in, open_session, close_session)
{
    static const place places[] = {
        { "d[\"na", "name name's", 3 },
        { "d['na", "name name\\'s", 3 },
        { "d[r'na", "name", 4 },
        { "d[ \"na", "name name's", 4 },
        { "d['_", "_id", 3 },
        { "d['sa", "say \"a\\\\b\"", 3 },
        { "d[\"sa", "say \\\"a\\\\b\\\"", 3 },
        { "d['gr\xc3\xb6",
          "gr\xc3\xb6\xc3\x9f"
          "e",
          3 },
        { "'\xf0\x9f\x8e\xb2'; d['nam", "name name\\'s", 11 },
        { "d[",
          "'_id' 'gr\xc3\xb6\xc3\x9f"
          "e' 'name' 'name\\'s' 'say \"a\\\\b\"'",
          2 },
        { "box.d['na", "name name\\'s", 7 },
        { "nested['in'][0]['la", "last", 17 },
        { "print(d['na", "name name\\'s", 9 },
        { "d[b'na", "", 0 },
        { "d[f'na", "", 0 },
        { "d['''na", "", 0 },
        { "d['na\n", "", 0 },
        { "['na", "", 0 },
        { "rows['na", "", 0 },
        { "nested['in'][9]['la", "", 0 },
        { "nothing['na", "", 0 },
        { "f()['na", "", 0 },
    };
    run_quietly(*state,
                "d = {'name': 1, \"name's\": 2, '_id': 3, 'say \"a\\\\b\"': 4, 'größe': 5,\n"
                "     'name\\n': 6, 7: 8, 'name' * 100: 9, 'name\\udc00': 10}\n"
                "class Box: pass\n"
                "box = Box()\n"
                "box.d = d\n"
                "rows = ['name']\n"
                "nested = {'in': [{'last': 1}]}\n"
                "def f(): return d");
    CHECK_PLACES(*state, places, "dict key");
}

TEST_WITH(keys_are_found_without_code_of_the_session, open_session, close_session)
{
    static const place places[] = {
        { "more['na", "", 0 },  { "lazy.d['na", "", 0 },    { "any.d['na", "", 0 },
        { "keyed['na", "", 0 }, { "lazy.more['na", "", 0 }, { "d[hook()]['na", "", 0 },
    };
    char value[40];
    run_quietly(*state,
                "calls = []\n"
                "class More(dict):\n"
                "    def keys(self): calls.append('keys'); return ['name']\n"
                "    def __iter__(self): calls.append('iter'); return iter(['name'])\n"
                "class Lazy:\n"
                "    @property\n"
                "    def d(self): calls.append('d'); return {'name': 1}\n"
                "class Any:\n"
                "    def __getattr__(self, name): calls.append(name); return {'name': 1}\n"
                "class Keyed:\n"
                "    def _ipython_key_completions_(self): calls.append(1); return ['name']\n"
                "    def __getitem__(self, key): calls.append(key)\n"
                "def hook(): calls.append('hook')\n"
                "d, more, lazy, any, keyed = {}, More(name=1), Lazy(), Any(), Keyed()\n");
    CHECK_PLACES(*state, places, "dict key");
    run(value, sizeof value, *state, "calls", SNUG_STREAM_VALUE);
    assert_string_equal(value, "[]");
}

TEST_WITH(a_dict_of_many_keys_offers_some, open_session, close_session)
{
    run_quietly(*state, "d = {f'k{i}': i for i in range(300_000)}");
    snug_completion *completion = complete(*state, "d['k");
    assert_in_range(snug_completion_match_count(completion), 1000, 10000);
    snug_completion_free(completion);
}

/* ---- files ---- */

static void make_file(const char *folder, const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static void make_folder(char out[200], const char *folder, const char *name)
{
    snprintf(out, 200, "%s/%s", folder, name);
    assert_int_equal(mkdir(out, 0700), 0);
}

static void remove_folder(const char *folder)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): of this test's own name */
}

TEST(a_literal_is_completed_by_files_that_the_session_may_read)
{
    static const place places[] = {
        { "open('da", "data.csv data/", 6 },
        { "open(r\"da", "data.csv data/", 7 },
        { "open('data/o", "data/one.txt", 6 },
        { "open('./data/o", "./data/one.txt", 6 },
        { "open('", "data.csv data/ it\\'s mnt/ way", 6 },
        { "open(\"it", "it's", 6 },
        { "open('.h", ".hidden", 6 },
        { "open('mnt/d", "mnt/deep/", 6 },
        { "open('mnt/deep/", "mnt/deep/x", 6 },
        { "'\xf0\x9f\x8e\xb2'; open('data/o", "data/one.txt", 14 },
        { "open(f'da", "", 0 },
        { "open('''da", "", 0 },
        { "open('data/../da", "", 0 },
        { "open('../", "", 0 },
        { "open('/et", "", 0 },
        { "open('/usr/lib/", "", 0 },
        { "open('way/", "", 0 },
        { "open('~/", "", 0 },
        { "# open('da", "", 0 },
    };
    char folder[] = "/tmp/snug-files-XXXXXX", other[] = "/tmp/snug-mount-XXXXXX";
    char inner[200], path[200];

    assert_non_null(mkdtemp(folder));
    assert_non_null(mkdtemp(other));
    make_file(folder, "data.csv");
    make_file(folder, "it's");
    make_file(folder, ".hidden");
    make_file(folder, "data\n");
    make_folder(inner, folder, "data");
    make_file(inner, "one.txt");
    make_folder(inner, other, "deep");
    make_file(inner, "x");
    snprintf(path, sizeof path, "%s/way", folder);
    assert_int_equal(symlink("/usr", path), 0);

    const snug_mount mount = { other, "mnt", 0 };
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.workdir = folder;
    options.mounts = &mount;
    options.mount_count = 1;
    snug_session *session = NULL;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    CHECK_PLACES(session, places, "path");

    snprintf(path, sizeof path, "open('%s/data/o", folder);
    snprintf(inner, sizeof inner, "%s/data/one.txt", folder);
    const place absolute[] = { { path, inner, 6 } };
    CHECK_PLACES(session, absolute, "path");
    snug_session_close(session);
    remove_folder(folder);
    remove_folder(other);
}

int main(void)
{
    return run_all_tests(open_host, close_host);
}
