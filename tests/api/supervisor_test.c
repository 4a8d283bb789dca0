/* What a supervisor promises in both forms; the clock and the memory are the tests'. */
#include "supervised.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

static const uint64_t IDLE_MS = 900000;

/* ---- sessions ---- */

TEST(a_session_keeps_its_names_between_calls)
{
    rig r;
    rig_init(&r);
    rig_open(&r);
    check_run(&r, "ada", "one", "x = 5", "", SNUG_ORIGIN_NEW);
    check_run(&r, "ada", "one", "x + 1", "6", SNUG_ORIGIN_OPEN);
    check_run(&r, "ada", "two", "'x' in globals()", "False", SNUG_ORIGIN_NEW);
    check_run(&r, "bob", "one", "'x' in globals()", "False", SNUG_ORIGIN_NEW);
    rig_end(&r);
}

TEST(an_idle_session_is_saved_and_restored_with_its_files)
{
    rig r;
    rig_init(&r);
    rig_open(&r);
    check_run(&r, "ada", "one", "open('f.txt', 'w').write('kept')", "4", SNUG_ORIGIN_NEW);
    check_run(&r, "ada", "one", "x = [1, 2]", "", SNUG_ORIGIN_OPEN);
    rig_pass_ms(&r, IDLE_MS - 1);
    assert_true(reports(&r, "\"sessions\":{\"open\":1,\"saved\":0"));
    rig_pass_ms(&r, 1);
    assert_true(reports(&r, "\"sessions\":{\"open\":0,\"saved\":1"));
    check_run(&r, "ada", "one", "x, open('f.txt').read()", "([1, 2], 'kept')",
              SNUG_ORIGIN_RESTORED);
    rig_end(&r);
}

TEST(a_call_keeps_a_session_from_being_idle)
{
    rig r;
    rig_init(&r);
    rig_open(&r);
    check_run(&r, "ada", "one", "x = 1", "", SNUG_ORIGIN_NEW);
    rig_pass_ms(&r, IDLE_MS - 1);
    check_run(&r, "ada", "one", "x", "1", SNUG_ORIGIN_OPEN);
    rig_pass_ms(&r, IDLE_MS - 1);
    check_run(&r, "ada", "one", "x", "1", SNUG_ORIGIN_OPEN);
    rig_end(&r);
}

TEST(what_could_not_be_saved_is_told_at_the_restore)
{
    rig r;
    rig_init(&r);
    rig_open(&r);
    snug_lease *lease = NULL;
    check_run(&r, "ada", "one", "g = (i for i in range(3))\nx = 1", "", SNUG_ORIGIN_NEW);
    assert_int_equal(snug_lease_open(&lease, r.supervisor, "ada", "one", NULL), SNUG_OK);
    char link[4200];
    snprintf(link, sizeof link, "%s/aside", snug_session_workdir(snug_lease_session(lease)));
    assert_int_equal(symlink("/nowhere", link), 0);
    snug_lease_close(lease);
    rig_pass_ms(&r, IDLE_MS);
    snug_served *served = rig_run(&r, "ada", "one", "x");
    const snug_arrival *came = snug_served_arrival(served);
    assert_int_equal(came->origin, SNUG_ORIGIN_RESTORED);
    assert_string_equal(came->reason, "");
    assert_non_null(strstr(snug_saved_json(came->restored, NULL), "{\"name\":\"g\",\"reason\""));
    assert_non_null(strstr(came->files_left_out, "\"aside\""));
    const char *json = snug_served_json(served, NULL);
    assert_non_null(strstr(json, "\"opened\":{\"tenant\":\"ada\",\"how\":\"restored\","
                                 "\"state\":\"kept\""));
    assert_non_null(strstr(json, "\"aside\""));
    assert_non_null(strstr(json, "\"cells_lost\":0}}}"));
    snug_served_free(served);
    rig_end(&r);
}

static int bind_seven(void *payload, snug_session *session, const char *tenant_name,
                      const char *name);

static void answer_seven(void *payload, snug_call *call, const char *arguments)
{
    (void)payload, (void)arguments;
    snug_call_return(call, "7", 1);
}

static int bind_seven(void *payload, snug_session *session, const char *tenant_name,
                      const char *name)
{
    (void)payload, (void)tenant_name, (void)name;
    snug_tool tool = SNUG_TOOL_INIT;
    tool.name = "seven";
    tool.fn = answer_seven;
    return snug_session_bind_tool(session, &tool);
}

TEST(tools_are_bound_before_a_session_is_restored)
{
    rig r;
    rig_init(&r);
    r.options.on_session = bind_seven;
    rig_open(&r);
    check_run(&r, "ada", "one", "x = seven()", "", SNUG_ORIGIN_NEW);
    rig_pass_ms(&r, IDLE_MS);
    check_run(&r, "ada", "one", "x + seven()", "14", SNUG_ORIGIN_RESTORED);
    rig_end(&r);
}

static void add_text(void *payload, snug_stream stream, const char *text, size_t len)
{
    strncat(payload, text, len);
}

TEST(callbacks_are_each_call_s_own)
{
    rig r;
    rig_init(&r);
    rig_open(&r);
    char first[32] = "", second[32] = "";
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.on_output = add_text;
    for (int i = 0; i < 2; i++) {
        snug_served *served = NULL;
        options.payload = i == 0 ? first : second;
        assert_int_equal(snug_supervisor_run(&served, r.supervisor, "ada", "one", &options,
                                             i == 0 ? "print('a')" : "print('b')", 10, NULL),
                         SNUG_OK);
        snug_served_free(served);
    }
    check_run(&r, "ada", "one", "print('c')", "", SNUG_ORIGIN_OPEN);
    assert_string_equal(first, "a\n");
    assert_string_equal(second, "b\n");
    snug_served *served = rig_run(&r, "ada", "one", "input()");
    assert_string_equal(snug_result_error_name(snug_served_result(served)), "EOFError");
    snug_served_free(served);
    rig_end(&r);
}

TEST(a_lease_keeps_its_session_and_others_wait)
{
    rig r;
    rig_init(&r);
    rig_open(&r);
    snug_lease *lease = NULL;
    snug_result *result = NULL;
    assert_int_equal(snug_lease_open(&lease, r.supervisor, "ada", "one", NULL), SNUG_OK);
    assert_int_equal(snug_session_set_variable(snug_lease_session(lease), "x", "3", 1), SNUG_OK);
    rig_pass_ms(&r, 10 * IDLE_MS);
    assert_int_equal(snug_lease_run(&result, lease, "x", 1, NULL), SNUG_OK);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "3");
    snug_result_free(result);
    assert_int_equal(snug_supervisor_close(r.supervisor), SNUG_EBUSY);
    snug_lease_close(lease);
    rig_pass_ms(&r, IDLE_MS);
    check_run(&r, "ada", "one", "x", "3", SNUG_ORIGIN_RESTORED);
    rig_end(&r);
}

static snug_call *asked;

static void keep_asked(void *payload, snug_call *call)
{
    asked = call;
}

TEST(a_cell_that_waits_for_an_approval_gives_its_turn_to_others)
{
    static const snug_tool_rule ask = { "seven", 0, SNUG_TOOL_DECISION_ASK };
    rig r;
    snug_lease *lease = NULL;
    snug_result *result = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    rig_init(&r);
    r.limits.cells = 1;
    r.options.on_session = bind_seven;
    rig_open(&r);
    options.tool_rules = &ask;
    options.tool_rule_count = 1;
    options.on_approval = keep_asked;
    asked = NULL;
    assert_int_equal(snug_lease_open(&lease, r.supervisor, "ada", "one", &options), SNUG_OK);
    assert_int_equal(snug_lease_wait(&result, lease, 0), SNUG_ENOTFOUND);
    assert_int_equal(snug_lease_start(lease, "seven()", 7, NULL), SNUG_OK);
    while (!asked)
        assert_int_equal(snug_lease_wait(&result, lease, 10), SNUG_EAGAIN);
    assert_int_equal(snug_lease_rest(lease), SNUG_OK);
    check_run(&r, "bob", "two", "6 * 7", "42", SNUG_ORIGIN_NEW);
    assert_int_equal(snug_lease_wait(&result, lease, 0), SNUG_EAGAIN);

    assert_int_equal(snug_call_approve(asked, SNUG_APPROVAL_ONCE, NULL), SNUG_OK);
    assert_int_equal(snug_lease_go_on(lease), SNUG_OK);
    assert_int_equal(snug_lease_wait(&result, lease, SNUG_UNLIMITED), SNUG_OK);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "7");
    snug_result_free(result);
    assert_int_equal(snug_lease_wait(&result, lease, 0), SNUG_ENOTFOUND);
    snug_lease_close(lease);
    check_run(&r, "ada", "one", "1 + 1", "2", SNUG_ORIGIN_OPEN);
    rig_end(&r);
}

TEST(a_removed_session_is_gone_open_or_saved)
{
    rig r;
    rig_init(&r);
    rig_open(&r);
    check_run(&r, "ada", "one", "x = 1", "", SNUG_ORIGIN_NEW);
    assert_int_equal(snug_supervisor_remove_session(r.supervisor, "ada", "one"), SNUG_OK);
    check_run(&r, "ada", "one", "x = 1", "", SNUG_ORIGIN_NEW);
    rig_pass_ms(&r, IDLE_MS);
    assert_int_equal(snug_supervisor_remove_session(r.supervisor, "ada", "one"), SNUG_OK);
    assert_true(reports(&r, "\"saved\":0"));
    assert_int_equal(snug_supervisor_remove_session(r.supervisor, "ada", "one"), SNUG_ENOTFOUND);
    check_run(&r, "ada", "one", "'x' in globals()", "False", SNUG_ORIGIN_NEW);
    rig_end(&r);
}

/* ---- names ---- */

TEST(a_name_that_is_none_is_refused)
{
    static char long_name[SNUG_SUPERVISOR_NAME_BYTES + 2];
    memset(long_name, 'a', sizeof long_name - 1);
    const char *const names[] = { NULL, "", "\xff", long_name };
    snug_served *served = NULL;
    rig r;
    rig_init(&r);
    rig_open(&r);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(
            snug_supervisor_run(&served, r.supervisor, names[i], "s", NULL, "1", 1, NULL),
            SNUG_EINVAL);
        assert_int_equal(
            snug_supervisor_run(&served, r.supervisor, "t", names[i], NULL, "1", 1, NULL),
            SNUG_EINVAL);
    }
    rig_end(&r);
}

/* ---- the state folder ---- */

static void check_no_supervisor(rig *r, int error, const char *says)
{
    snug_supervisor *none = NULL;
    assert_int_equal(snug_supervisor_open(&none, &r->options), error);
    if (!strstr(snug_error_message(), says))
        fail_msg("\"%s\" is not in: %s", says, snug_error_message());
}

TEST(two_supervisors_do_not_share_a_folder)
{
    rig r;
    rig_init(&r);
    rig_open(&r);
    check_no_supervisor(&r, SNUG_EBUSY, "another supervisor");
    rig_close(&r);
    rig_open(&r);
    rig_end(&r);
}

TEST(a_folder_that_can_not_be_used_is_told)
{
    char path[128];
    rig r;
    rig_init(&r);
    r.options.state_dir = "/proc/nothing/here";
    check_no_supervisor(&r, SNUG_ESYSTEM, "/proc/nothing/here");
    snprintf(path, sizeof path, "%s/file", r.folder);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    r.options.state_dir = path;
    check_no_supervisor(&r, SNUG_ESYSTEM, "is not a folder");
    r.options.state_dir = r.folder;
    assert_int_equal(chmod(r.folder, 0750), 0);
    check_no_supervisor(&r, SNUG_EPOLICY, "mode 0750");
    r.options.state_dir = NULL;
    check_no_supervisor(&r, SNUG_EINVAL, "state_dir");
    rig_end(&r);
}

TEST(saved_sessions_are_for_their_owner_only)
{
    char path[128];
    struct stat facts;
    rig r;
    rig_init(&r);
    rig_open(&r);
    check_run(&r, "ada", "one", "x = 1", "", SNUG_ORIGIN_NEW);
    rig_pass_ms(&r, IDLE_MS);
    snprintf(path, sizeof path, "%s/ada", r.folder);
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0700);
    snprintf(path, sizeof path, "%s/ada/one.snug", r.folder);
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    rig_end(&r);
}

TEST(a_save_that_fails_keeps_the_session_open)
{
    char path[128], moved[128];
    rig r;
    rig_init(&r);
    r.limits.tenant_sessions = 1;
    rig_open(&r);
    check_run(&r, "ada", "one", "x = 1", "", SNUG_ORIGIN_NEW);
    snprintf(path, sizeof path, "%s/ada", r.folder);
    snprintf(moved, sizeof moved, "%s/moved", r.folder);
    assert_int_equal(rename(path, moved), 0);
    rig_pass_ms(&r, IDLE_MS);
    assert_int_equal(atomic_load(&r.events[SNUG_SUPERVISOR_EVENT_SAVE_FAILED]), 1);
    assert_non_null(strstr(r.last_message, "one.snug"));
    assert_true(reports(&r, "\"open\":1"));
    /* Of which path, another one is not told. */
    check_refused(&r, "ada", "two",
                  "tenant ada has 1 sessions open, as many as it may have, and none can be put "
                  "away: No such file or directory (errno 2)");
    rig_pass_ms(&r, IDLE_MS - 1); /* not at every look */
    assert_int_equal(atomic_load(&r.events[SNUG_SUPERVISOR_EVENT_SAVE_FAILED]), 1);
    assert_int_equal(snug_supervisor_drain(r.supervisor, 0), SNUG_ESTOPPED);
    assert_non_null(strstr(snug_error_message(), "one.snug"));
    assert_int_equal(rename(moved, path), 0);
    assert_int_equal(snug_supervisor_drain(r.supervisor, 0), SNUG_OK);
    rig_close(&r);
    rig_open(&r);
    check_run(&r, "ada", "one", "x", "1", SNUG_ORIGIN_RESTORED);
    rig_end(&r);
}

/* A save that takes longer than the time after which it is tried again, and fails: the folder is
 * not there. The second one puts it back, so that what tries without end has one here. */
typedef struct slow_failure {
    rig *rig;
    char path[128], moved[128];
    int waits_for_close;
    _Atomic int count;
} slow_failure;

static void await_closing(const rig *r)
{
    int is_closing = 0;
    while (!is_closing) {
        sched_yield();
        pthread_mutex_lock(&r->supervisor->lock);
        is_closing = r->supervisor->is_closing;
        pthread_mutex_unlock(&r->supervisor->lock);
    }
}

static void fail_slowly(void *payload, const snug_supervisor_event *event)
{
    slow_failure *f = payload;
    if (event->kind != SNUG_SUPERVISOR_EVENT_SAVE_FAILED)
        return;
    atomic_fetch_add(&f->rig->now_ns, 2 * IDLE_MS * MS);
    if (atomic_fetch_add(&f->count, 1) == 1)
        rename(f->moved, f->path);
    else if (f->waits_for_close)
        await_closing(f->rig);
}

static void rig_fail_slowly(slow_failure *f, rig *r)
{
    rig_init(r);
    *f = (slow_failure){ .rig = r };
    snprintf(f->path, sizeof f->path, "%s/ada", r->folder);
    snprintf(f->moved, sizeof f->moved, "%s/moved", r->folder);
    r->options.on_event = fail_slowly;
    r->options.payload = f;
}

TEST(what_fails_is_tried_once_a_look_however_slow_it_is)
{
    rig r;
    slow_failure f;
    rig_fail_slowly(&f, &r);
    r.limits.tenant_sessions = 1;
    rig_open(&r);
    check_run(&r, "ada", "one", "x = 1", "", SNUG_ORIGIN_NEW);
    assert_int_equal(rename(f.path, f.moved), 0);

    rig_pass_ms(&r, IDLE_MS);
    assert_int_equal(atomic_exchange(&f.count, 0), 1);
    check_refused(&r, "ada", "two", "none can be put away: No such file or directory");
    assert_int_equal(atomic_exchange(&f.count, 0), 1);
    rig_end(&r);
}

TEST(a_save_that_fails_does_not_keep_a_supervisor_from_closing)
{
    rig r;
    slow_failure f;
    snug_lease *lease;
    snug_result *result;
    rig_fail_slowly(&f, &r);
    f.waits_for_close = 1;
    r.limits.idle_ms = 1;
    assert_int_equal(snug_supervisor_open(&r.supervisor, &r.options), SNUG_OK); /* its own clock */
    assert_int_equal(snug_lease_open(&lease, r.supervisor, "ada", "one", NULL), SNUG_OK);
    assert_int_equal(snug_lease_run(&result, lease, "x = 1", 5, NULL), SNUG_OK);
    snug_result_free(result);
    assert_int_equal(rename(f.path, f.moved), 0);
    snug_lease_close(lease);

    while (atomic_load(&f.count) == 0)
        sched_yield();
    rig_close(&r);
    assert_int_equal(atomic_load(&f.count), 1);
    rig_end(&r);
}

TEST(a_damaged_save_is_told_and_kept_aside)
{
    char path[128];
    rig r;
    rig_init(&r);
    rig_open(&r);
    check_run(&r, "ada", "one", "x = 1", "", SNUG_ORIGIN_NEW);
    rig_pass_ms(&r, IDLE_MS);
    snprintf(path, sizeof path, "%s/ada/one.snug", r.folder);
    assert_int_equal(truncate(path, 100), 0);
    snug_served *served = rig_run(&r, "ada", "one", "'x' in globals()");
    const snug_arrival *came = snug_served_arrival(served);
    assert_int_equal(came->origin, SNUG_ORIGIN_LOST);
    assert_string_equal(came->reason, "what was saved of it cannot be restored, and is kept as "
                                      "one.damaged: it is cut: it has fewer bytes than it says");
    assert_true(came->cells_lost == UINT64_MAX);
    assert_string_equal(snug_result_text(snug_served_result(served), SNUG_STREAM_VALUE, NULL),
                        "False");
    assert_non_null(strstr(snug_served_json(served, NULL), "\"how\":\"lost\",\"state\":\"lost\""));
    snug_served_free(served);
    assert_int_equal(atomic_load(&r.events[SNUG_SUPERVISOR_EVENT_DAMAGED]), 1);
    snprintf(path, sizeof path, "%s/ada/one.damaged", r.folder);
    assert_int_equal(access(path, F_OK), 0);
    check_run(&r, "ada", "one", "x = 2", "", SNUG_ORIGIN_OPEN);
    rig_pass_ms(&r, IDLE_MS);
    check_run(&r, "ada", "one", "x", "2", SNUG_ORIGIN_RESTORED);
    rig_end(&r);
}

static void check_not_saved(rig *r, const char *session, const char *source, const char *says)
{
    snug_served *served = rig_run(r, "ada", session, source);
    assert_string_equal(snug_served_arrival(served)->not_saved, says);
    snug_served_free(served);
}

TEST(what_a_save_leaves_out_is_told_at_the_next_call)
{
    static const char says[] = "these cannot be saved, and will be gone when the session is "
                               "restored: g (a generator cannot be saved)";
    rig r;
    rig_init(&r);
    r.limits.save_idle_ms = 1000;
    rig_open(&r);
    check_run(&r, "ada", "one", "g = (i for i in [])", "", SNUG_ORIGIN_NEW);
    rig_pass_ms(&r, 1000);
    check_not_saved(&r, "one", "1", says);
    rig_pass_ms(&r, 1000);
    check_not_saved(&r, "one", "h = g", "");
    rig_pass_ms(&r, 1000);
    snug_served *served = rig_run(&r, "ada", "one", "del g, h");
    assert_non_null(strstr(snug_served_json(served, NULL), "h (a generator cannot be saved)"));
    snug_served_free(served);
    rig_pass_ms(&r, 1000);
    check_not_saved(&r, "one", "1", "");
    rig_end(&r);
}

/* ---- memory ---- */

static snug_served *run_within(rig *r, const char *source, uint64_t memory_bytes)
{
    snug_served *served = NULL;
    snug_limits limits = SNUG_LIMITS_INIT;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    limits.memory_bytes = memory_bytes;
    options.limits = &limits;
    if (snug_supervisor_run(&served, r->supervisor, "ada", "one", &options, source, strlen(source),
                            NULL) != SNUG_OK)
        return NULL;
    return served;
}

TEST(a_session_at_its_memory_limit_comes_back)
{
    static const char *const fills[] = { "b = []\nwhile True: b.append(bytearray(1 << 20))",
                                         "b = [bytes(48 << 20)]",
                                         "b = []\nwhile True: b.append((len(b), str(len(b))))" };
    rig r;
    rig_init(&r);
    for (size_t i = 0; i < sizeof fills / sizeof *fills; i++) {
        rig_open(&r);
        snug_served_free(run_within(&r, fills[i], 64 << 20));
        snug_served *served = run_within(&r, "n = len(b)", 64 << 20);
        assert_int_equal(snug_result_status(snug_served_result(served)), SNUG_STATUS_OK);
        snug_served_free(served);
        rig_pass_ms(&r, IDLE_MS);
        served = run_within(&r, "len(b) == n", 64 << 20);
        assert_non_null(served);
        assert_int_equal(snug_served_arrival(served)->origin, SNUG_ORIGIN_RESTORED);
        assert_string_equal(snug_result_text(snug_served_result(served), SNUG_STREAM_VALUE, NULL),
                            "True");
        snug_served_free(served);

        /* Its own limit is the same as before. */
        served = run_within(&r, "c = bytes(32 << 20)", 64 << 20);
        assert_int_equal(snug_result_status(snug_served_result(served)), SNUG_STATUS_MEMORY);
        snug_served_free(served);
        served = run_within(&r, "del b\nc = bytes(32 << 20)", 64 << 20);
        assert_int_equal(snug_result_status(snug_served_result(served)), SNUG_STATUS_OK);
        snug_served_free(served);
        assert_int_equal(snug_supervisor_remove_session(r.supervisor, "ada", "one"), SNUG_OK);
        rig_close(&r);
    }
    rig_end(&r);
}

TEST(what_cannot_be_restored_twice_is_lost_once)
{
    char path[128];
    rig r;
    rig_init(&r);
    rig_open(&r);
    snug_served_free(run_within(&r, "b = bytes(100 << 20)", 200 << 20));
    rig_pass_ms(&r, IDLE_MS);
    assert_null(run_within(&r, "1", 16 << 20));
    assert_string_equal(snug_error_message(),
                        "restoring session one needs more memory than the session's limit");
    snug_served *served = run_within(&r, "'b' in globals()", 16 << 20);
    assert_int_equal(snug_served_arrival(served)->origin, SNUG_ORIGIN_LOST);
    assert_string_equal(snug_served_arrival(served)->reason,
                        "what was saved of it cannot be restored, and is kept as one.damaged: "
                        "restoring session one needs more memory than the session's limit");
    assert_true(snug_served_arrival(served)->cells_lost == UINT64_MAX);
    snug_served_free(served);
    assert_int_equal(atomic_load(&r.events[SNUG_SUPERVISOR_EVENT_DAMAGED]), 1);
    assert_true(reports(&r, "\"lost\":1,\"damaged\":1"));
    snprintf(path, sizeof path, "%s/ada/one.damaged", r.folder);
    assert_int_equal(access(path, F_OK), 0);
    served = run_within(&r, "1", 16 << 20);
    assert_string_equal(snug_served_arrival(served)->reason, "");
    snug_served_free(served);
    rig_end(&r);
}

/* ---- the end ---- */

TEST(what_was_half_written_goes_at_the_next_open)
{
    char path[128];
    rig r;
    rig_init(&r);
    snprintf(path, sizeof path, "%s/ada", r.folder);
    assert_int_equal(mkdir(path, 0700), 0);
    strcat(path, "/one.snug.Ab12Cd");
    close(open(path, O_CREAT | O_WRONLY, 0600));
    rig_open(&r);
    assert_int_not_equal(access(path, F_OK), 0);
    rig_end(&r);
}

TEST(after_a_drain_every_session_is_there_again)
{
    rig r;
    rig_init(&r);
    r.limits.sessions = 6; /* some are saved before */
    rig_open(&r);
    for (int i = 0; i < 12; i++) {
        char tenant_name[8], session[8], source[16];
        snprintf(tenant_name, sizeof tenant_name, "t%d", i % 3);
        snprintf(session, sizeof session, "s%d", i);
        snprintf(source, sizeof source, "x = %d", i);
        check_run(&r, tenant_name, session, source, "", SNUG_ORIGIN_NEW);
    }
    assert_int_equal(snug_supervisor_drain(r.supervisor, 0), SNUG_OK);
    check_refused(&r, "t0", "s0", "draining");
    assert_true(reports(&r, "\"sessions\":{\"open\":0,\"saved\":12"));
    rig_close(&r);
    rig_open(&r);
    assert_true(reports(&r, "\"sessions\":{\"open\":0,\"saved\":12"));
    for (int i = 0; i < 12; i++) {
        char tenant_name[8], session[8], value[8];
        snprintf(tenant_name, sizeof tenant_name, "t%d", i % 3);
        snprintf(session, sizeof session, "s%d", i);
        snprintf(value, sizeof value, "%d", i);
        check_run(&r, tenant_name, session, "x", value, SNUG_ORIGIN_RESTORED);
    }
    rig_end(&r);
}

TEST(without_a_drain_the_loss_is_told_once)
{
    rig r;
    rig_init(&r);
    rig_open(&r);
    check_run(&r, "ada", "never saved", "x = 1", "", SNUG_ORIGIN_NEW);
    check_run(&r, "ada", "saved", "x = 1", "", SNUG_ORIGIN_NEW);
    rig_pass_ms(&r, IDLE_MS / 2);
    check_run(&r, "ada", "never saved", "x = 1", "", SNUG_ORIGIN_OPEN);
    rig_pass_ms(&r, IDLE_MS / 2);
    check_run(&r, "ada", "saved", "x = 2", "", SNUG_ORIGIN_RESTORED);
    check_run(&r, "ada", "saved", "x = 3", "", SNUG_ORIGIN_OPEN);
    rig_close(&r);
    rig_open(&r);
    snug_served *served = rig_run(&r, "ada", "never saved", "'x' in globals()");
    assert_int_equal(snug_served_arrival(served)->origin, SNUG_ORIGIN_LOST);
    assert_int_equal(snug_served_arrival(served)->cells_lost, 2);
    snug_served_free(served);
    served = rig_run(&r, "ada", "saved", "x");
    assert_string_equal(snug_result_text(snug_served_result(served), SNUG_STREAM_VALUE, NULL), "1");
    assert_int_equal(snug_served_arrival(served)->origin, SNUG_ORIGIN_RESTORED);
    assert_int_equal(snug_served_arrival(served)->cells_lost, 2);
    assert_non_null(strstr(snug_served_arrival(served)->reason, "before it was saved"));
    snug_served_free(served);
    check_run(&r, "ada", "saved", "x", "1", SNUG_ORIGIN_OPEN);
    served = rig_run(&r, "ada", "saved", "x");
    assert_string_equal(snug_served_arrival(served)->reason, "");
    snug_served_free(served);
    rig_end(&r);
}

/* As a full disk leaves it: empty, or cut. */
TEST(how_many_cells_are_lost_is_not_known_where_the_mark_could_not_be_written)
{
    char path[128];
    rig r;
    rig_init(&r);
    snprintf(path, sizeof path, "%s/ada/one.open", r.folder);
    for (int bytes = 0; bytes <= 20; bytes += 10) {
        rig_open(&r);
        snug_served_free(rig_run(&r, "ada", "one", "x = 1"));
        rig_close(&r);
        assert_int_equal(truncate(path, bytes), 0);
        rig_open(&r);
        snug_served *served = rig_run(&r, "ada", "one", "'x' in globals()");
        const snug_arrival *came = snug_served_arrival(served);
        assert_int_equal(came->origin, SNUG_ORIGIN_LOST);
        assert_true(came->cells_lost == UINT64_MAX);
        assert_string_equal(came->reason, "its process ended, and cells that have run since it was "
                                          "saved may be lost: how many is not known");
        assert_non_null(strstr(snug_served_json(served, NULL), "\"cells_lost\":null"));
        snug_served_free(served);
        rig_close(&r);
    }
    rig_end(&r);
}

TEST(a_session_is_saved_after_so_many_cells)
{
    rig r;
    rig_init(&r);
    r.limits.save_every_cells = 2;
    rig_open(&r);
    for (int i = 0; i < 5; i++)
        check_run(&r, "ada", "one", i == 0 ? "x = 0" : "x += 1", "",
                  i == 0 ? SNUG_ORIGIN_NEW : SNUG_ORIGIN_OPEN);
    assert_int_equal(atomic_load(&r.events[SNUG_SUPERVISOR_EVENT_SAVED]), 2);
    rig_close(&r);
    rig_open(&r);
    snug_served *served = rig_run(&r, "ada", "one", "x");
    assert_string_equal(snug_result_text(snug_served_result(served), SNUG_STREAM_VALUE, NULL), "3");
    assert_int_equal(snug_served_arrival(served)->cells_lost, 1);
    snug_served_free(served);
    rig_end(&r);
}

/* What a kill costs: what was done since. */
TEST(a_session_that_is_used_is_saved_when_it_has_rested)
{
    rig r;
    rig_init(&r);
    r.limits.save_idle_ms = 1000;
    rig_open(&r);
    check_run(&r, "ada", "one", "x = 1", "", SNUG_ORIGIN_NEW);
    rig_pass_ms(&r, 999);
    assert_true(reports(&r, "\"open\":1,\"saved\":0"));
    rig_pass_ms(&r, 1);
    rig_pass_ms(&r, 1000);
    assert_true(reports(&r, "\"open\":1,\"saved\":1"));
    assert_int_equal(atomic_load(&r.events[SNUG_SUPERVISOR_EVENT_SAVED]), 1);
    rig_close(&r);

    rig_open(&r);
    snug_served *served = rig_run(&r, "ada", "one", "x += 1\nx");
    assert_string_equal(snug_result_text(snug_served_result(served), SNUG_STREAM_VALUE, NULL), "2");
    assert_string_equal(snug_served_arrival(served)->reason, "");
    snug_served_free(served);
    rig_close(&r);

    rig_open(&r);
    served = rig_run(&r, "ada", "one", "x");
    assert_string_equal(snug_result_text(snug_served_result(served), SNUG_STREAM_VALUE, NULL), "1");
    assert_int_equal(snug_served_arrival(served)->cells_lost, 1);
    snug_served_free(served);
    rig_end(&r);
}

/* ---- threads ---- */

/* A call on a thread of its own. While it prints, it waits for go, where it has one. */
typedef struct caller {
    rig *r;
    const char *tenant_name;
    char session[16];
    const char *source;
    _Atomic int *is_printing, *go;
    char *order; /* the first letter of its tenant goes there when it runs */
    pthread_t thread;
    int error;
    char message[1024];
    snug_status status;
} caller;

static pthread_mutex_t order_lock = PTHREAD_MUTEX_INITIALIZER;

static void when_it_prints(void *payload, snug_stream stream, const char *text, size_t len)
{
    caller *c = payload;
    (void)stream, (void)len;
    if (*text == '\n')
        return;
    if (c->order) {
        pthread_mutex_lock(&order_lock);
        strncat(c->order, c->tenant_name, 1);
        pthread_mutex_unlock(&order_lock);
    }
    if (c->is_printing)
        atomic_fetch_add(c->is_printing, 1);
    while (c->go && !atomic_load(c->go))
        sched_yield();
}

static void *call(void *arg)
{
    caller *c = arg;
    snug_served *served = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.on_output = when_it_prints;
    options.payload = c;
    const char *source = c->source ? c->source : "print('now', flush=True)";
    c->error = snug_supervisor_run(&served, c->r->supervisor, c->tenant_name, c->session, &options,
                                   source, strlen(source), NULL);
    if (c->error)
        snprintf(c->message, sizeof c->message, "%s", snug_error_message());
    else
        c->status = snug_result_status(snug_served_result(served));
    snug_served_free(served);
    return NULL;
}

static void start_call(caller *c, rig *r, const char *tenant_name, int session)
{
    c->r = r;
    c->tenant_name = tenant_name;
    snprintf(c->session, sizeof c->session, "s%d", session);
    assert_int_equal(pthread_create(&c->thread, NULL, call, c), 0);
}

static void wait_for(_Atomic int *word, int value)
{
    while (atomic_load(word) < value)
        sched_yield();
}

static void wait_for_queue(rig *r, size_t count)
{
    size_t waiting;
    do {
        sched_yield();
        pthread_mutex_lock(&r->supervisor->lock);
        waiting = r->supervisor->waiting;
        pthread_mutex_unlock(&r->supervisor->lock);
    } while (waiting < count);
}

TEST(turns_go_round_the_tenants)
{
    enum { MANY = 20 };
    static caller first, many[MANY], other[2], third;
    _Atomic int is_printing = 0, go = 0;
    char order[64] = "";
    rig r;
    rig_init(&r);
    r.limits.cells = 1;
    rig_open(&r);
    first = (caller){ .is_printing = &is_printing, .go = &go };
    start_call(&first, &r, "x", 0);
    wait_for(&is_printing, 1);
    for (int i = 0; i < MANY; i++) {
        many[i] = (caller){ .order = order };
        start_call(&many[i], &r, "a", i % 4);
        wait_for_queue(&r, (size_t)i + 1);
    }
    for (int i = 0; i < 2; i++) {
        other[i] = (caller){ .order = order };
        start_call(&other[i], &r, "b", i);
        wait_for_queue(&r, (size_t)(MANY + i + 1));
    }
    third = (caller){ .order = order };
    start_call(&third, &r, "c", 0);
    wait_for_queue(&r, MANY + 3);
    atomic_store(&go, 1);
    pthread_join(first.thread, NULL);
    for (int i = 0; i < MANY; i++)
        pthread_join(many[i].thread, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(other[i].thread, NULL);
    pthread_join(third.thread, NULL);
    assert_string_equal(order, "abcabaaaaaaaaaaaaaaaaaa");
    assert_true(reports(&r, "\"waited\":23"));
    rig_end(&r);
}

TEST(a_busy_session_lets_others_of_its_tenant_pass)
{
    static caller first, same, other;
    _Atomic int is_printing = 0, go = 0, other_prints = 0;
    rig r;
    rig_init(&r);
    r.limits.cells = 2;
    rig_open(&r);
    first = (caller){ .is_printing = &is_printing, .go = &go };
    same = (caller){ 0 };
    other = (caller){ .is_printing = &other_prints };
    start_call(&first, &r, "a", 0);
    wait_for(&is_printing, 1);
    start_call(&same, &r, "a", 0);
    wait_for_queue(&r, 1);
    start_call(&other, &r, "a", 1);
    wait_for(&other_prints, 1);
    atomic_store(&go, 1);
    pthread_join(first.thread, NULL);
    pthread_join(same.thread, NULL);
    pthread_join(other.thread, NULL);
    assert_int_equal(same.error, SNUG_OK);
    rig_end(&r);
}

TEST(a_full_queue_and_a_long_wait_are_refused)
{
    static caller first, second;
    _Atomic int is_printing = 0, go = 0;
    rig r;
    rig_init(&r);
    r.limits.cells = 1;
    r.limits.waiting = 1;
    r.limits.wait_ms = 5000;
    rig_open(&r);
    first = (caller){ .is_printing = &is_printing, .go = &go };
    second = (caller){ 0 };
    start_call(&first, &r, "a", 0);
    wait_for(&is_printing, 1);
    start_call(&second, &r, "a", 1);
    wait_for_queue(&r, 1);
    check_refused(&r, "a", "s2", "1 calls waiting already");
    rig_pass_ms(&r, 4999);
    assert_int_equal(r.supervisor->waiting, 1);
    rig_pass_ms(&r, 1);
    pthread_join(second.thread, NULL);
    assert_int_equal(second.error, SNUG_EBUSY);
    assert_non_null(strstr(second.message, "no turn within 5000 ms"));
    atomic_store(&go, 1);
    pthread_join(first.thread, NULL);
    assert_int_equal(first.error, SNUG_OK);
    assert_true(reports(&r, "\"refused\":{\"queue\":1,\"wait\":1"));
    check_run(&r, "a", "s1", "1", "1", SNUG_ORIGIN_NEW);
    rig_end(&r);
}

TEST(no_more_cells_run_at_once_than_are_allowed)
{
    enum { CALLERS = 6, MOST = 2 };
    static caller callers[CALLERS];
    _Atomic int is_printing = 0, go = 0;
    rig r;
    rig_init(&r);
    r.limits.cells = MOST;
    rig_open(&r);
    for (int i = 0; i < CALLERS; i++) {
        callers[i] = (caller){ .is_printing = &is_printing, .go = &go };
        start_call(&callers[i], &r, i % 2 ? "a" : "b", i);
    }
    wait_for_queue(&r, CALLERS - MOST);
    wait_for(&is_printing, MOST);
    assert_int_equal(r.supervisor->running, MOST);
    assert_int_equal(atomic_load(&is_printing), MOST);
    atomic_store(&go, 1);
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(callers[i].thread, NULL);
        assert_int_equal(callers[i].error, SNUG_OK);
    }
    rig_end(&r);
}

TEST(a_cell_is_interrupted_by_the_name_of_its_session)
{
    static caller one;
    _Atomic int is_printing = 0;
    rig r;
    rig_init(&r);
    rig_open(&r);
    one = (caller){ .is_printing = &is_printing,
                    .source = "x = 1\nprint('now', flush=True)\nwhile True: pass" };
    assert_int_equal(snug_supervisor_interrupt(r.supervisor, "a", "s0"), SNUG_ENOTFOUND);
    start_call(&one, &r, "a", 0);
    wait_for(&is_printing, 1);
    assert_int_equal(snug_supervisor_interrupt(r.supervisor, "a", "s0"), SNUG_OK);
    pthread_join(one.thread, NULL);
    assert_int_equal(one.status, SNUG_STATUS_INTERRUPTED);
    check_run(&r, "a", "s0", "x", "1", SNUG_ORIGIN_OPEN);
    rig_end(&r);
}

TEST(a_drain_refuses_who_waits_and_interrupts_who_stays)
{
    static caller running, waits;
    _Atomic int is_printing = 0;
    rig r;
    rig_init(&r);
    r.limits.cells = 1;
    rig_open(&r);
    running = (caller){ .is_printing = &is_printing,
                        .source = "x = 1\nprint('now', flush=True)\nwhile True: pass" };
    waits = (caller){ 0 };
    start_call(&running, &r, "a", 0);
    wait_for(&is_printing, 1);
    start_call(&waits, &r, "a", 1);
    wait_for_queue(&r, 1);
    assert_int_equal(snug_supervisor_drain(r.supervisor, 1), SNUG_OK);
    pthread_join(running.thread, NULL);
    pthread_join(waits.thread, NULL);
    assert_int_equal(running.status, SNUG_STATUS_INTERRUPTED);
    assert_int_equal(waits.error, SNUG_EBUSY);
    rig_close(&r);
    rig_open(&r);
    check_run(&r, "a", "s0", "x", "1", SNUG_ORIGIN_RESTORED);
    rig_end(&r);
}

TEST(a_drain_does_not_take_a_lease)
{
    snug_lease *lease = NULL;
    rig r;
    rig_init(&r);
    rig_open(&r);
    assert_int_equal(snug_lease_open(&lease, r.supervisor, "a", "s", NULL), SNUG_OK);
    assert_int_equal(snug_session_set_variable(snug_lease_session(lease), "x", "1", 1), SNUG_OK);
    assert_int_equal(snug_supervisor_drain(r.supervisor, 1), SNUG_EBUSY);
    snug_lease_close(lease);
    assert_int_equal(snug_supervisor_drain(r.supervisor, 1), SNUG_OK);
    rig_close(&r);
    rig_open(&r);
    check_run(&r, "a", "s", "x", "1", SNUG_ORIGIN_RESTORED);
    rig_end(&r);
}

/* ---- room ---- */

TEST(over_the_budget_the_oldest_go_and_then_opens_are_refused)
{
    rig r;
    rig_init(&r);
    r.limits.memory_bytes = 1000;
    rig_open(&r);
    for (int i = 0; i < 3; i++) {
        char session[8];
        snprintf(session, sizeof session, "s%d", i);
        atomic_fetch_add(&r.now_ns, MS);
        check_run(&r, "a", session, "x = 1", "", SNUG_ORIGIN_NEW);
    }
    snug_lease *lease = NULL;
    assert_int_equal(snug_lease_open(&lease, r.supervisor, "a", "s1", NULL), SNUG_OK);
    atomic_store(&r.memory_bytes, 1001);
    check_refused(&r, "a", "new", "1001 bytes of memory are in use, more than the limit of 1000");
    assert_true(reports(&r, "\"sessions\":{\"open\":1,\"saved\":2"));
    assert_true(reports(&r, "\"memory\":2"));
    snug_lease_close(lease);
    check_run(&r, "a", "s1", "x", "1", SNUG_ORIGIN_OPEN); /* what is there may go on */
    atomic_store(&r.memory_bytes, 1000);
    check_run(&r, "a", "s0", "x", "1", SNUG_ORIGIN_RESTORED);
    atomic_store(&r.memory_bytes, 2000);
    supervisor_sweep(r.supervisor);
    assert_true(reports(&r, "\"sessions\":{\"open\":0,\"saved\":3"));
    rig_end(&r);
}

/* Falls to nothing as soon as one session was put away. */
static uint64_t memory_of_open(void *payload)
{
    rig *r = payload;
    return atomic_load(&r->events[SNUG_SUPERVISOR_EVENT_PUT_AWAY]) > 0 ? 0 : 2000;
}

TEST(over_the_budget_no_more_go_than_must)
{
    rig r;
    const supervise_world world = { rig_now, memory_of_open, &r };
    rig_init(&r);
    atomic_store(&r.events[SNUG_SUPERVISOR_EVENT_PUT_AWAY], 1);
    r.limits.memory_bytes = 1000;
    assert_int_equal(supervisor_open_in(&r.supervisor, &r.options, &world), SNUG_OK);
    for (int i = 0; i < 3; i++) {
        char session[8];
        snprintf(session, sizeof session, "s%d", i);
        atomic_fetch_add(&r.now_ns, MS);
        check_run(&r, "a", session, "x = 1", "", SNUG_ORIGIN_NEW);
    }
    atomic_fetch_add(&r.now_ns, MS);
    check_run(&r, "a", "s0", "x", "1", SNUG_ORIGIN_OPEN); /* s1 is the oldest now */
    atomic_store(&r.events[SNUG_SUPERVISOR_EVENT_PUT_AWAY], 0);
    supervisor_sweep(r.supervisor);
    assert_true(reports(&r, "\"sessions\":{\"open\":2,\"saved\":1"));
    check_run(&r, "a", "s1", "x", "1", SNUG_ORIGIN_RESTORED);
    check_run(&r, "a", "s0", "x", "1", SNUG_ORIGIN_OPEN);
    rig_end(&r);
}

TEST(where_all_places_are_taken_the_oldest_goes)
{
    rig r;
    rig_init(&r);
    r.limits.sessions = 3;
    r.limits.tenant_sessions = 2;
    rig_open(&r);
    check_run(&r, "a", "one", "x = 1", "", SNUG_ORIGIN_NEW);
    atomic_fetch_add(&r.now_ns, MS);
    check_run(&r, "b", "one", "x = 1", "", SNUG_ORIGIN_NEW);
    atomic_fetch_add(&r.now_ns, MS);
    check_run(&r, "b", "two", "x = 1", "", SNUG_ORIGIN_NEW);
    atomic_fetch_add(&r.now_ns, MS);
    check_run(&r, "b", "three", "x = 1", "", SNUG_ORIGIN_NEW); /* b's oldest, not a's */
    check_run(&r, "a", "one", "x", "1", SNUG_ORIGIN_OPEN);
    snug_lease *leases[3] = { NULL };
    assert_int_equal(snug_lease_open(&leases[0], r.supervisor, "b", "two", NULL), SNUG_OK);
    assert_int_equal(snug_lease_open(&leases[1], r.supervisor, "b", "three", NULL), SNUG_OK);
    check_refused(&r, "b", "four", "tenant b has 2 sessions open");
    assert_int_equal(snug_lease_open(&leases[2], r.supervisor, "a", "one", NULL), SNUG_OK);
    check_refused(&r, "c", "one", "3 sessions are open");
    for (int i = 0; i < 3; i++)
        snug_lease_close(leases[i]);
    check_run(&r, "c", "one", "1", "1", SNUG_ORIGIN_NEW);
    rig_end(&r);
}

/* ---- what is written ---- */

TEST(the_table_of_limits_is_in_the_manual)
{
    static char text[65536];
    FILE *file = fopen(MANUAL, "re");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    size_t count = 0;
    const snug_limit_description *limit;
    for (; (limit = snug_supervisor_limit_info(count)); count++) {
        char row[256], value[32];
        if (limit->default_value == SNUG_UNLIMITED)
            snprintf(value, sizeof value, "none");
        else
            snprintf(value, sizeof value, "%llu", (unsigned long long)limit->default_value);
        snprintf(row, sizeof row, "| `%s` | %s | %s |", limit->name, value, limit->about);
        if (!strstr(text, row))
            fail_msg("docs/supervisor.md has no row %s", row);
    }
    assert_int_equal(sizeof(size_t) + count * sizeof(uint64_t), sizeof(snug_supervisor_limits));
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
