#include "policy/events.h"

#include <stdlib.h>
#include <string.h>

typedef struct event_row {
    const char *event;
    event_verdict verdict;
} event_row;

/*
 * Sorted by strcmp. From PySys_Audit in the C sources and sys.audit in Lib/ of
 * 3.11, 3.13 and 3.14, and from what ordinary programs raise there.
 *
 * Missing, and so denied, among others:
 * - sys._current_frames, sys._current_exceptions: walk every interpreter of the
 *   process. sys.addaudithook: would see the events of the library itself.
 * - gc.get_objects, gc.get_referrers, gc.get_referents: on 3.11 they hand out
 *   objects that sessions share.
 * - ctypes.*, mmap.__new__, fcntl.*, resource.*, signal.pthread_kill, syslog.*,
 *   socket.*, subprocess.Popen, pty.spawn, os.fork, os.forkpty, os.exec,
 *   os.posix_spawn, os.spawn, os.system, os.kill, os.killpg: reach the process
 *   or others.
 * - os.chdir, setopencodehook: belong to the process. os.putenv and os.unsetenv
 *   are functions of our own, which raise nothing.
 * - os.link, os.symlink, os.chown: links that lead out, owners.
 * - code.__new__, marshal.load, marshal.loads: bytecode of a cell's own would be
 *   the way to read beyond a tuple's end. The importer's is read by py/guard/loader.c.
 * - sys.settrace: a tracer would run inside the standard library's frames.
 * - sqlite3.*, but for connect: extensions.
 * - _thread.start_new_thread, _thread.start_joinable_thread (3.13; 3.11 raises
 *   nothing): where the limit allows a session threads, py/running/threads.c makes them.
 * - sys.remote_exec, cpython.remote_debugger_script (3.14), cpython.PyConfig_Set: have a process,
 *   this one or another, run a script, or change its settings.
 * - builtins.breakpoint, sys.setprofile, sys.monitoring.register_callback,
 *   cpython.run_*: debuggers and programs.
 */
static const event_row rows[] = {
    { "array.__new__", EVENT_ALLOW },
    { "builtins.id", EVENT_ALLOW },
    { "builtins.input", EVENT_ALLOW },
    { "builtins.input/result", EVENT_ALLOW },
    /* compile, exec, eval, ast.parse; namedtuple and dataclasses too. */
    { "compile", EVENT_COMPILE },
    /* Raised while the library opens and closes sessions. A cell has no module
     * that makes an interpreter. */
    { "cpython.PyInterpreterState_Clear", EVENT_ALLOW },
    { "cpython.PyInterpreterState_New", EVENT_ALLOW },
    { "cpython._PySys_ClearAuditHooks", EVENT_ALLOW },
    /* The code was judged when it was compiled, and what it does is when it runs. */
    { "exec", EVENT_ALLOW },
    { "function.__new__", EVENT_ALLOW },
    /* glob.glob, os.walk and pathlib only announce themselves: each folder raises
     * os.scandir or os.listdir, with a plain string where these have a Path. */
    { "glob.glob", EVENT_ALLOW },
    { "glob.glob/2", EVENT_ALLOW },
    { "import", EVENT_IMPORT },
    { "marshal.dumps", EVENT_ALLOW },
    /* Of code, frames, functions' __code__ and __defaults__, types' __bases__. */
    { "object.__delattr__", EVENT_ALLOW },
    { "object.__getattr__", EVENT_ALLOW },
    { "object.__setattr__", EVENT_ALLOW },
    { "open", EVENT_OPEN },
    /* What py/guard/posix.c has judged before it calls Python's function. */
    { "os.chmod", EVENT_ALLOW },
    { "os.fwalk", EVENT_ALLOW },
    /* The importer raises it for the folders of sys.path. The argument of both may
     * be None (the current folder) or a descriptor. */
    { "os.listdir", EVENT_PATH },
    { "os.mkdir", EVENT_ALLOW },
    { "os.remove", EVENT_ALLOW },
    { "os.rename", EVENT_ALLOW },
    { "os.rmdir", EVENT_ALLOW },
    { "os.scandir", EVENT_PATH },
    { "os.truncate", EVENT_ALLOW },
    { "os.utime", EVENT_ALLOW },
    { "os.walk", EVENT_ALLOW },
    { "pathlib.Path.glob", EVENT_ALLOW },
    { "pathlib.Path.rglob", EVENT_ALLOW },
    { "pathlib.Path.walk", EVENT_ALLOW },
    /* doctest makes one for each run, without starting it. */
    { "pdb.Pdb", EVENT_ALLOW },
    /* The import of the module that it names is judged by itself. */
    { "pickle.find_class", EVENT_ALLOW },
    /* These announce what they do with os's functions. */
    { "shutil.copyfile", EVENT_ALLOW },
    { "shutil.copymode", EVENT_ALLOW },
    { "shutil.copystat", EVENT_ALLOW },
    { "shutil.copytree", EVENT_ALLOW },
    { "shutil.make_archive", EVENT_ALLOW },
    { "shutil.move", EVENT_ALLOW },
    { "shutil.rmtree", EVENT_ALLOW },
    { "shutil.unpack_archive", EVENT_ALLOW },
    { "sqlite3.connect", EVENT_DATABASE },
    { "sqlite3.connect/handle", EVENT_CONNECTED },
    /* namedtuple, enum, typing, warnings and logging look at their caller. */
    { "sys._getframe", EVENT_ALLOW },
    { "sys._getframemodulename", EVENT_ALLOW }, /* 3.12 */
    { "sys.excepthook", EVENT_ALLOW },
    /* Per thread, set by every event loop. */
    { "sys.set_asyncgen_hook_finalizer", EVENT_ALLOW },
    { "sys.set_asyncgen_hook_firstiter", EVENT_ALLOW },
    { "sys.unraisablehook", EVENT_ALLOW },
    /* The file or folder is judged by open and os.mkdir. */
    { "tempfile.mkdtemp", EVENT_ALLOW },
    { "tempfile.mkstemp", EVENT_ALLOW },
    { "time.sleep", EVENT_ALLOW }, /* 3.13 */
};

static int compare_events(const void *key, const void *row)
{
    return strcmp(key, ((const event_row *)row)->event);
}

event_verdict events_verdict(const char *event)
{
    const event_row *row =
        bsearch(event, rows, sizeof rows / sizeof *rows, sizeof *rows, compare_events);

    return row ? row->verdict : EVENT_DENY;
}

/* Sorted. What the kernel would refuse anyway, so that a cell hears why; and hooks, which nobody
 * can take away again. */
static const event_row full_rows[] = {
    { "builtins.breakpoint", EVENT_DENY },
    { "open", EVENT_OPEN },
    { "os.chdir", EVENT_DENY },
    { "os.exec", EVENT_DENY },
    { "os.fork", EVENT_DENY },
    { "os.forkpty", EVENT_DENY },
    { "os.kill", EVENT_DENY },
    { "os.killpg", EVENT_DENY },
    { "os.listdir", EVENT_PATH },
    { "os.posix_spawn", EVENT_DENY },
    { "os.scandir", EVENT_PATH },
    { "os.spawn", EVENT_DENY },
    { "os.system", EVENT_DENY },
    { "pty.spawn", EVENT_DENY },
    { "resource.prlimit", EVENT_DENY },
    { "resource.setrlimit", EVENT_DENY },
    { "signal.pthread_kill", EVENT_DENY },
    { "socket.__new__", EVENT_DENY },
    { "socket.bind", EVENT_DENY },
    { "socket.connect", EVENT_DENY },
    { "socket.getaddrinfo", EVENT_DENY },
    { "socket.gethostbyaddr", EVENT_DENY },
    { "socket.gethostbyname", EVENT_DENY },
    { "socket.getnameinfo", EVENT_DENY },
    { "socket.sendmsg", EVENT_DENY },
    { "socket.sendto", EVENT_DENY },
    { "subprocess.Popen", EVENT_DENY },
    { "sys.addaudithook", EVENT_DENY },
};

event_verdict events_full_verdict(const char *event)
{
    const event_row *row = bsearch(event, full_rows, sizeof full_rows / sizeof *full_rows,
                                   sizeof *full_rows, compare_events);

    return row ? row->verdict : EVENT_ALLOW;
}

const char *events_name(size_t index)
{
    return index < sizeof rows / sizeof *rows ? rows[index].event : NULL;
}
