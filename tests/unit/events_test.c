#include "test.h"

#include "policy/events.h"

TEST(the_table_is_sorted)
{
    assert_non_null(events_name(0));
    for (size_t i = 1; events_name(i); i++)
        assert_true(strcmp(events_name(i - 1), events_name(i)) < 0);
}

TEST(every_row_is_found)
{
    size_t i = 0;
    for (; events_name(i); i++)
        assert_int_not_equal(events_verdict(events_name(i)), EVENT_DENY);
    assert_true(i > 35);
    assert_null(events_name(i));
    assert_null(events_name(i + 1));
}

TEST(an_event_without_a_row_is_denied)
{
    static const char *const events[] = { "",    "A",       "zzz",        "exec ",
                                          "exe", "open2",   "some.event", "os.execve",
                                          "sys", "import.", "Open" };
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        assert_int_equal(events_verdict(events[i]), EVENT_DENY);
}

/* What would reach the process, other sessions or the network. */
TEST(the_ways_out_are_denied)
{
    static const char *const events[] = { "builtins.breakpoint",
                                          "cpython.run_command",
                                          "cpython.run_file",
                                          "ctypes.dlopen",
                                          "ctypes.call_function",
                                          "ctypes.addressof",
                                          "ctypes.string_at",
                                          "fcntl.fcntl",
                                          "fcntl.ioctl",
                                          "gc.get_objects",
                                          "gc.get_referents",
                                          "gc.get_referrers",
                                          "mmap.__new__",
                                          "os.chdir",
                                          "os.chown",
                                          "os.exec",
                                          "os.fork",
                                          "os.forkpty",
                                          "os.getxattr",
                                          "os.kill",
                                          "os.killpg",
                                          "os.link",
                                          "os.lockf",
                                          "os.posix_spawn",
                                          "os.putenv",
                                          "os.removexattr",
                                          "os.setxattr",
                                          "os.spawn",
                                          "os.symlink",
                                          "os.system",
                                          "os.unsetenv",
                                          "pty.spawn",
                                          "resource.prlimit",
                                          "resource.setrlimit",
                                          "setopencodehook",
                                          "signal.pthread_kill",
                                          "socket.__new__",
                                          "socket.bind",
                                          "socket.connect",
                                          "socket.getaddrinfo",
                                          "sqlite3.load_extension",
                                          "subprocess.Popen",
                                          "sys._current_exceptions",
                                          "sys._current_frames",
                                          "sys.addaudithook",
                                          "sys.monitoring.register_callback",
                                          "sys.setprofile",
                                          "syslog.syslog",
                                          "urllib.Request",
                                          "winreg.OpenKey",
                                          "_thread.start_joinable_thread",
                                          "_thread.start_new_thread" };
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        assert_int_equal(events_verdict(events[i]), EVENT_DENY);
}

TEST(events_with_a_path_are_left_to_its_judge)
{
    assert_int_equal(events_verdict("open"), EVENT_OPEN);
    assert_int_equal(events_verdict("os.listdir"), EVENT_PATH);
    assert_int_equal(events_verdict("os.scandir"), EVENT_PATH);
    assert_int_equal(events_verdict("import"), EVENT_IMPORT);
    assert_int_equal(events_verdict("compile"), EVENT_COMPILE);
}

TEST(bytecode_and_tracers_are_for_nobody)
{
    assert_int_equal(events_verdict("code.__new__"), EVENT_DENY);
    assert_int_equal(events_verdict("marshal.load"), EVENT_DENY);
    assert_int_equal(events_verdict("marshal.loads"), EVENT_DENY);
    assert_int_equal(events_verdict("sys.settrace"), EVENT_DENY);
}

/* Raised by dataclasses, namedtuple, typing, asyncio.run, doctest, input and by
 * opening and closing a session, on 3.11 or 3.13. */
TEST(what_ordinary_code_raises_is_allowed)
{
    static const char *const events[] = { "array.__new__",
                                          "builtins.id",
                                          "builtins.input",
                                          "builtins.input/result",
                                          "cpython.PyInterpreterState_Clear",
                                          "cpython.PyInterpreterState_New",
                                          "cpython._PySys_ClearAuditHooks",
                                          "exec",
                                          "function.__new__",
                                          "object.__delattr__",
                                          "object.__getattr__",
                                          "object.__setattr__",
                                          "pdb.Pdb",
                                          "sys._getframe",
                                          "sys._getframemodulename",
                                          "sys.excepthook",
                                          "sys.set_asyncgen_hook_finalizer",
                                          "sys.set_asyncgen_hook_firstiter",
                                          "sys.unraisablehook",
                                          "time.sleep" };
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        assert_int_equal(events_verdict(events[i]), EVENT_ALLOW);
}

TEST(full_sessions_are_denied_what_the_kernel_would_refuse)
{
    static const char *const denied[] = { "builtins.breakpoint",
                                          "os.chdir",
                                          "os.exec",
                                          "os.fork",
                                          "os.forkpty",
                                          "os.kill",
                                          "os.killpg",
                                          "os.posix_spawn",
                                          "os.spawn",
                                          "os.system",
                                          "pty.spawn",
                                          "resource.prlimit",
                                          "resource.setrlimit",
                                          "signal.pthread_kill",
                                          "socket.__new__",
                                          "socket.bind",
                                          "socket.connect",
                                          "socket.getaddrinfo",
                                          "socket.gethostbyaddr",
                                          "socket.gethostbyname",
                                          "socket.getnameinfo",
                                          "socket.sendmsg",
                                          "socket.sendto",
                                          "subprocess.Popen",
                                          "sys.addaudithook" };
    static const char *const allowed[] = {
        "",          "code.__new__",       "compile", "ctypes.dlopen", "import", "marshal.loads",
        "os.remove", "socket.gethostname", "zzz"
    };
    for (size_t i = 0; i < sizeof denied / sizeof *denied; i++)
        assert_int_equal(events_full_verdict(denied[i]), EVENT_DENY);
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        assert_int_equal(events_full_verdict(allowed[i]), EVENT_ALLOW);
    assert_int_equal(events_full_verdict("open"), EVENT_OPEN);
    assert_int_equal(events_full_verdict("os.listdir"), EVENT_PATH);
    assert_int_equal(events_full_verdict("os.scandir"), EVENT_PATH);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
