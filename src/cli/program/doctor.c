/* snug doctor: what this machine offers, and the limits. */
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "cli/program/command.h"
#include "cli/program/jsonline.h"
#include "cli/program/level.h"
#include "cli/program/quantity.h"
#include "cli/program/secrets.h"
#include "cli/terminal/term.h"
#include "wire/json.h"

/* ---- what the kernel offers ---- */

/* The first line of a small file; "" if it cannot be read. */
static void read_first_line(const char *path, char *out, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, out, size - 1);
    if (fd >= 0)
        close(fd);
    out[got > 0 ? got : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
}

static void tell_release(str *text)
{
    struct utsname name;
    uname(&name);
    str_printf(text, "%s %s", name.release, name.machine);
}

static void tell_landlock(str *text)
{
    long abi =
        syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, LANDLOCK_CREATE_RULESET_VERSION);
    if (abi > 0)
        str_printf(text, "ABI %ld", abi);
    else
        str_printf(text, "no (%s)", strerror(errno));
}

static void tell_seccomp(str *text)
{
    char actions[256];

    read_first_line("/proc/sys/kernel/seccomp/actions_avail", actions, sizeof actions);
    /* 2: a filter is already in force, of a container for example. */
    int mode = prctl(PR_GET_SECCOMP);
    if (*actions)
        str_printf(text, "%s%s", actions, mode == 2 ? " (a filter is in force)" : "");
    else
        str_printf(text, "%s", mode >= 0 ? "yes" : "no");
}

/* *refused, an int: the errno; 0: it is permitted. */
static void *try_unshare(void *refused)
{
    *(int *)refused = unshare(CLONE_FS) ? errno : 0;
    return NULL;
}

/* On a thread of its own: it cannot be taken back. */
static void tell_unshare_fs(str *text)
{
    pthread_t thread;
    int refused = 0;
    int error = pthread_create(&thread, NULL, try_unshare, &refused);

    if (!error) {
        pthread_join(thread, NULL);
        error = refused;
    }
    str_add(text, error ? strerror(error) : "permitted");
}

static void tell_map_count(str *text)
{
    char number[64];
    read_first_line("/proc/sys/vm/max_map_count", number, sizeof number);
    str_printf(text, "%s", *number ? number : "unknown");
}

static void tell_overcommit(str *text)
{
    static const char *const modes[] = { "heuristic", "always", "never" };
    char mode[8];
    read_first_line("/proc/sys/vm/overcommit_memory", mode, sizeof mode);
    unsigned index = (unsigned)(mode[0] - '0');
    str_printf(text, "%s", index < 3 ? modes[index] : "unknown");
}

static void tell_thread_count(str *text)
{
    char number[64];
    read_first_line("/proc/sys/kernel/threads-max", number, sizeof number);
    str_printf(text, "%s", *number ? number : "unknown");
}

static void tell_rlimit(str *text, __rlimit_resource_t resource)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY)
        str_add(text, "unlimited");
    else
        str_printf(text, "%llu", (unsigned long long)limit.rlim_cur);
}

static void tell_descriptors(str *text)
{
    tell_rlimit(text, RLIMIT_NOFILE);
}

static void tell_processes(str *text)
{
    tell_rlimit(text, RLIMIT_NPROC);
}

static void tell_address_space(str *text)
{
    tell_rlimit(text, RLIMIT_AS);
}

static void tell_stack(str *text)
{
    tell_rlimit(text, RLIMIT_STACK);
}

static const struct {
    const char *name;
    void (*tell)(str *text);
} facts[] = {
    { "kernel", tell_release },
    { "Landlock", tell_landlock },
    { "seccomp", tell_seccomp },
    { "unshare(CLONE_FS)", tell_unshare_fs },
    { "vm.max_map_count", tell_map_count },
    { "overcommit", tell_overcommit },
    { "threads-max", tell_thread_count },
    { "RLIMIT_NPROC", tell_processes },
    { "RLIMIT_NOFILE", tell_descriptors },
    { "RLIMIT_AS", tell_address_space },
    { "RLIMIT_STACK", tell_stack },
};

/* The name of the fact at index; NULL past the end. */
static const char *kernel_fact_name(size_t index)
{
    return index < sizeof facts / sizeof *facts ? facts[index].name : NULL;
}

/* Appends what is so here, in a few words. index is that of a fact. */
static void kernel_fact_tell(str *text, size_t index)
{
    facts[index].tell(text);
}

typedef const snug_limit_description *(*limit_table)(size_t index);

/* option_width: the column of options takes that much. */
static void print_limits(const char *title, limit_table table, int option_width)
{
    const snug_limit_description *limit;

    printf("\n%s:\n", title);
    for (size_t i = 0; (limit = table(i)); i++) {
        char amount[32];
        quantity_text(amount, sizeof amount, limit->default_value, limit->unit);
        printf("  %-15s %-*s %-9s %s\n", limit->name, option_width,
               limit->option ? limit->option : "", amount, limit->about);
    }
}

static void print_kernel(void)
{
    const char *name;

    puts("\nKernel:");
    for (size_t i = 0; (name = kernel_fact_name(i)); i++) {
        str text = { 0 };
        kernel_fact_tell(&text, i);
        printf("  %-18s %s\n", name, str_text(&text));
        str_free(&text);
    }
}

/* The kinds of sessions in a worker. */
static const struct {
    const char *name;
    snug_kind kind;
} kinds[] = { { "worker", SNUG_KIND_RESTRICTED },
              { "full", SNUG_KIND_FULL },
              { "bash", SNUG_KIND_BASH } };
enum { KINDS = sizeof kinds / sizeof *kinds };

/* A line of the report, in its own words. */
static void tell_line(str *text, const snug_host *host, const char *before, const char *name)
{
    const char *line = strstr(snug_host_report(host), name);
    line = line ? line + strlen(name) : "";
    str_printf(text, "%s%.*s", before, (int)strcspn(line, "\n"), line);
}

/* The user that a process runs as; this one's where it is not told. */
static unsigned user_of(int64_t process)
{
    char path[64], line[256];
    unsigned user = geteuid();

    snprintf(path, sizeof path, "/proc/%lld/status", (long long)process);
    FILE *status = fopen(path, "re");
    while (status && fgets(line, sizeof line, status) && sscanf(line, "Uid: %u", &user) != 1)
        ;
    if (status)
        fclose(status);
    return user;
}

/* Of root's sessions the kernel bounds the processes only where they are another user's. */
static void tell_bash(str *text, const snug_host *host, const snug_session *session)
{
    str_printf(text, "works, under bubblewrap");
    if (geteuid() == 0 && user_of(snug_session_process(session)) != 0)
        str_add(text, ", as a user of its own");
    else if (geteuid() == 0)
        str_add(text, ", as root");
    tell_line(text, host, "; cgroup ", "\ncgroup: ");
}

/* Whether one opens here: the library's own sentence where it does not. */
static void try_kind(str *text, snug_kind kind)
{
    snug_host_options in = SNUG_HOST_OPTIONS_INIT;
    snug_session_options wanted = SNUG_SESSION_OPTIONS_INIT;
    snug_host *host = NULL;
    snug_session *session = NULL;

    in.form = SNUG_FORM_WORKER;
    wanted.kind = kind;
    int error = snug_host_open(&host, &in);
    if (!error)
        error = snug_session_open(&session, host, &wanted);
    if (error) {
        str_add(text, secrets_error_message());
    } else if (kind == SNUG_KIND_BASH) {
        tell_bash(text, host, session);
    } else {
        tell_line(text, host, "works: ", "\nprocess: ");
        tell_line(text, host, "; bounds: ", "\nbounds: ");
    }

    snug_session_close(session);
    snug_host_close(host);
}

static void print_kinds(void)
{
    puts("\nSessions in a process of their own:");
    for (int i = 0; i < KINDS; i++) {
        str text = { 0 };
        try_kind(&text, kinds[i].kind);
        printf("  %-18s %s\n", kinds[i].name, str_text(&text));
        str_free(&text);
    }
}

/* Of --model. */
typedef struct trial {
    const char *model; /* NULL: none is tried */
    str fault;         /* empty: it answers */
    double seconds;
} trial;

static void try_model(trial *t, const options *o)
{
    const uint64_t begun_ns = clock_now_ns();

    *t = (trial){ .model = o->agent.model };
    if (t->model && snug_agent_try_model(&o->agent, 0))
        str_add(&t->fault, secrets_error_message());
    t->seconds = (double)(clock_now_ns() - begun_ns) / NS_PER_S;
}

static void print_model(const trial *t)
{
    if (!t->model)
        return;
    puts("\nModel:");
    if (t->fault.len)
        term_printf(stdout, "  %-18s does not answer: %s\n", t->model, t->fault.data);
    else
        term_printf(stdout, "  %-18s answers, after %.1f s\n", t->model, t->seconds);
}

static void print_level(void)
{
    str text = { 0 };
    level_tell(&text);
    printf("python fixes: %s\n", str_text(&text));
    str_free(&text);
}

static int print_report_text(const char *report, const trial *t)
{
    if (report)
        fputs(report, stdout);
    else
        printf("snug: %s\n", snug_version());

    print_level();
    print_limits("Limits", snug_limit_info, 15);
    print_limits("Limits of a question to snug ask", snug_agent_limit_info, 22);
    print_limits("Limits of snug mcp", mcp_limit_info, 16);
    print_kernel();
    print_kinds();
    print_model(t);
    return EXIT_FINE;
}

/* ---- as JSON ---- */

/* "key: value" is a member; a line without a colon is passed over. */
static int add_report_line(cJSON *object, const char *line, size_t len)
{
    const char *colon = memchr(line, ':', len);
    if (!colon)
        return SNUG_OK;

    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)(colon - line), line);

    const char *value = colon + 1 + strspn(colon + 1, " "), *end = line + len;
    str text = { 0 };
    int error = SNUG_OK;
    if (value < end)
        error = str_append(&text, value, (size_t)(end - value));
    if (!error)
        error = json_add_text(object, name, str_text(&text));
    str_free(&text);
    return error;
}

static int add_report(cJSON *object, const char *report)
{
    int error = SNUG_OK;

    while (*report && !error) {
        size_t len = strcspn(report, "\n");
        error = add_report_line(object, report, len);
        report += len + (report[len] == '\n');
    }

    return error;
}

static int add_limit(cJSON *limits, const snug_limit_description *limit)
{
    cJSON *row = json_add_object(limits, NULL);
    int failed = json_add_text(row, "name", limit->name);

    if (limit->option)
        failed |= json_add_text(row, "option", limit->option);
    else
        failed |= json_add_null(row, "option");

    failed |= json_add_text(row, "unit", limit->unit);
    if (limit->default_value == SNUG_UNLIMITED)
        failed |= json_add_null(row, "default");
    else
        failed |= json_add_number(row, "default", (double)limit->default_value);

    failed |= json_add_text(row, "about", limit->about);
    return failed;
}

static int add_limits(cJSON *object, const char *name, limit_table info)
{
    cJSON *limits = json_add_array(object, name);
    const snug_limit_description *limit;
    int failed = !limits;

    for (size_t i = 0; !failed && (limit = info(i)); i++)
        failed = add_limit(limits, limit);
    return failed;
}

static int add_kernel(cJSON *object)
{
    cJSON *kernel = json_add_object(object, "kernel");
    const char *name;
    int failed = !kernel;

    for (size_t i = 0; !failed && (name = kernel_fact_name(i)); i++) {
        str text = { 0 };
        kernel_fact_tell(&text, i);
        failed = json_add_text(kernel, name, str_text(&text));
        str_free(&text);
    }

    return failed;
}

static int add_kinds(cJSON *object)
{
    int error = SNUG_OK;

    for (int i = 0; i < KINDS && !error; i++) {
        str text = { 0 };
        try_kind(&text, kinds[i].kind);
        error = json_add_text(object, kinds[i].name, str_text(&text));
        str_free(&text);
    }

    return error;
}

static int add_level(cJSON *object)
{
    str installed = { 0 };
    cJSON *level = json_add_object(object, "python_fixes");
    level_state state = level_compare(&installed);
    int error = level ? SNUG_OK : SNUG_ENOMEM;

    if (!error && level_built_in()[0])
        error = json_add_text(level, "built_in", level_built_in());
    if (!error && str_text(&installed)[0])
        error = json_add_text(level, "installed", str_text(&installed));
    if (!error && (state == LEVEL_SAME || state == LEVEL_DIFFERS))
        error = json_add_bool(level, "is_same", state == LEVEL_SAME);
    str_free(&installed);
    return error;
}

static int add_host(cJSON *object, const char *report)
{
    cJSON *host = json_add_object(object, "host");
    if (!host)
        return SNUG_ENOMEM;
    if (report)
        return add_report(host, report);
    return SNUG_OK;
}

static int add_model(cJSON *object, const trial *t)
{
    cJSON *model = t->model ? json_add_object(object, "model") : NULL;
    if (!t->model)
        return SNUG_OK;

    int failed = !model || json_add_text(model, "name", t->model);
    if (!failed)
        failed = t->fault.len ? json_add_text(model, "fault", t->fault.data)
                              : json_add_null(model, "fault");
    return failed || json_add_number(model, "seconds", t->seconds);
}

/* report: of the host; NULL: there is none. */
static int fill_report(cJSON *object, const char *report, const trial *t)
{
    int failed = json_add_text(object, "schema", "snug.doctor/1");

    failed |= json_add_text(object, "version", snug_version());
    failed |= add_host(object, report);
    failed |= add_limits(object, "limits", snug_limit_info);
    failed |= add_limits(object, "agent_limits", snug_agent_limit_info);
    failed |= add_limits(object, "mcp_limits", mcp_limit_info);
    failed |= add_level(object);
    failed |= add_kinds(object);
    failed |= add_kernel(object);
    failed |= add_model(object, t);
    return failed;
}

static int print_report_json(const char *report, const trial *t)
{
    cJSON *object = cJSON_CreateObject();
    return jsonline_print(object, !object || fill_report(object, report, t));
}

int command_doctor(const options *o)
{
    snug_host *host = NULL;
    trial t;
    int status = command_open_host(&host, o, NULL);

    /* Without a host the facts about the machine remain. */
    const char *report = host ? snug_host_report(host) : NULL;
    try_model(&t, o);
    int printed = o->is_json ? print_report_json(report, &t) : print_report_text(report, &t);
    if (!printed && t.fault.len)
        printed = EXIT_FAILED;

    str_free(&t.fault);
    snug_host_close(host);
    return status ? status : printed;
}
