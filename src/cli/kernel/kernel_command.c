/* snug kernel: a kernel for Jupyter's front ends, and what makes it known to them. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <snug/snug.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/file.h"
#include "cli/kernel/connection.h"
#include "cli/kernel/kernel.h"
#include "cli/packages/modules.h"
#include "cli/program/command.h"
#include "cli/program/option_table.h"
#include "cli/program/options.h"
#include "cli/program/parents.h"
#include "wire/json.h"

/* ---- kernelspec ---- */

/* What tells Jupyter's front ends of a kernel: a folder with a file kernel.json in
 * one of the places that they look into.
 * https://jupyter-client.readthedocs.io/en/stable/kernels.html#kernel-specs */

static const char default_prefix[] = "/usr/local";
static const char file_name[] = "kernel.json";
enum { MOST_BYTES = 256 * 1024 };

/* ---- places ---- */

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static const char *virtual_environment(void)
{
    const char *path = variable("VIRTUAL_ENV");
    return path ? path : variable("CONDA_PREFIX");
}

/* Where a user's kernels are, as jupyter_core has it. */
static int user_folder(str *out)
{
    const char *jupyter = variable("JUPYTER_DATA_DIR"), *data = variable("XDG_DATA_HOME");
    const char *home = variable("HOME");

    if (jupyter)
        return str_printf(out, "%s/kernels", jupyter);
    if (data)
        return str_printf(out, "%s/jupyter/kernels", data);
    return home ? str_printf(out, "%s/.local/share/jupyter/kernels", home) : SNUG_ENOTFOUND;
}

static int prefix_folder(str *out, const char *prefix)
{
    return str_printf(out, "%s/share/jupyter/kernels", prefix);
}

/* The folder that the options name. EXIT_FINE, or EXIT_USAGE after one sentence. */
static int chosen_folder(str *out, const kernel_options *k)
{
    const char *environment = virtual_environment();
    int error;

    if ((k->prefix != NULL) + k->is_user + k->is_sys_prefix > 1)
        return command_fail(EXIT_USAGE, "--user, --prefix and --sys-prefix exclude each other");
    if (k->is_sys_prefix && !environment)
        return command_fail(EXIT_USAGE, "--sys-prefix: no virtual environment is active "
                                        "(VIRTUAL_ENV, CONDA_PREFIX)");
    if (k->is_user)
        error = user_folder(out);
    else if (k->is_sys_prefix)
        error = prefix_folder(out, environment);
    else
        error = prefix_folder(out, k->prefix ? k->prefix : default_prefix);

    if (error == SNUG_ENOTFOUND)
        return command_fail(EXIT_USAGE, "--user: the variable HOME is not set");
    return error ? command_fail_memory() : EXIT_FINE;
}

/* Folders in the order in which front ends look through them. */
typedef struct folders {
    str *items;
    size_t count, cap;
} folders;

static void free_folders(folders *f)
{
    for (size_t i = 0; i < f->count; i++)
        str_free(&f->items[i]);
    free(f->items);
}

/* Room for one more; NULL if memory ran out. */
static str *next_folder(folders *f)
{
    if (array_reserve(&f->items, &f->cap, f->count + 1, sizeof *f->items))
        return NULL;
    f->items[f->count] = (str){ 0 };
    return &f->items[f->count++];
}

static int add_prefix(folders *f, const char *prefix)
{
    str *folder = prefix ? next_folder(f) : NULL;
    if (!prefix)
        return SNUG_OK;
    return folder ? prefix_folder(folder, prefix) : SNUG_ENOMEM;
}

static int add_user(folders *f)
{
    str *folder = next_folder(f);
    if (!folder)
        return SNUG_ENOMEM;

    int error = user_folder(folder);
    f->count -= error == SNUG_ENOTFOUND;
    return error == SNUG_ENOTFOUND ? SNUG_OK : error;
}

/* The folders that install has, and /usr, those that are not there as well. EXIT_FINE, or another
 * one after a sentence. */
static int all_folders(folders *f, const kernel_options *k)
{
    const char *environment = virtual_environment();
    int failed;

    if (k->prefix || k->is_user || k->is_sys_prefix) {
        str *folder = next_folder(f);
        return folder ? chosen_folder(folder, k) : command_fail_memory();
    }

    failed = add_user(f) || add_prefix(f, environment);
    failed |= add_prefix(f, default_prefix) || add_prefix(f, "/usr");
    return failed ? command_fail_memory() : EXIT_FINE;
}

/* ---- kinds of sessions ---- */

typedef struct variant {
    int isolation;
    const char *word, *name, *display_name, *language;
} variant;

static const variant variants[] = {
    { IN_WORKER, "worker", "snug", "Python 3 (snug)", "python" },
    { IN_PROCESS, "local", "snug-local", "Python 3 (snug, local)", "python" },
    { AS_FULL, "full", "snug-full", "Python 3 (snug, packages)", "python" },
    { AS_BASH, "bash", "snug-bash", "Bash (snug)", "bash" },
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

/* ---- kernel.json ---- */

/* What people's notebooks import, as far as it is there. */
static int add_packages(cJSON *argv, const options *o, const char *report)
{
    text_list usual = { 0 };
    int error = SNUG_OK;

    char *folder = packages_folder(o, report);
    if (folder)
        error = usual_add(&usual, folder);
    for (size_t i = 0; i < usual.count && !error; i++)
        error = json_add_text(argv, NULL, "--allow") || json_add_text(argv, NULL, usual.items[i]);
    free(folder);
    free(usual.items);
    return error;
}

/* What a kernel is started with; the rest is for install. */
static int is_of_kernels(const option_row *row)
{
    return (row->commands & FOR_CELLS) && (row->commands & FOR_KERNEL) && row->name &&
           strcmp(row->name, "--isolation") != 0 && strcmp(row->name, "--help") != 0;
}

static int add_options(cJSON *argv, const options *o)
{
    int error = SNUG_OK;

    for (size_t i = 0; i < option_count; i++)
        for (size_t j = 0; is_of_kernels(&option_rows[i]) && j < o->given[i].count; j++) {
            error |= json_add_text(argv, NULL, option_rows[i].name);
            if (option_rows[i].value)
                error |= json_add_text(argv, NULL, o->given[i].items[j]);
        }
    return error;
}

static int add_argv(cJSON *root, const options *o, const variant *v, const char *report)
{
    static const char *const first[] = { "kernel", "-f", "{connection_file}", "--isolation" };
    char program[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    cJSON *argv = json_add_array(root, "argv");

    if (len < 0 || !argv)
        return SNUG_ENOMEM;
    program[len] = '\0';
    int error = json_add_text(argv, NULL, program);
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
        error |= json_add_text(argv, NULL, first[i]);
    error |= json_add_text(argv, NULL, v->word) || add_options(argv, o);
    if (v->isolation == AS_FULL && !options_given(o, "--allow"))
        error |= add_packages(argv, o, report);
    return error;
}

/* NULL if memory ran out. */
static char *spec_text(const options *o, const variant *v, const char *display_name,
                       const char *report)
{
    cJSON *root = cJSON_CreateObject();
    int failed = !root || add_argv(root, o, v, report);

    failed |= json_add_text(root, "display_name", display_name);
    failed |= json_add_text(root, "language", v->language);
    failed |= json_add_text(root, "interrupt_mode", "message");
    cJSON *metadata = failed ? NULL : json_add_object(root, "metadata");
    cJSON *ours = metadata ? json_add_object(metadata, "snug") : NULL;
    failed |= !ours || json_add_text(ours, "version", snug_version());
    char *text = failed ? NULL : cJSON_Print(root);
    cJSON_Delete(root);
    return text;
}

/* ---- install ---- */

static int check_name(const char *name)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    if (*name && *name != '.' && strspn(name, allowed) == strlen(name))
        return EXIT_FINE;
    return command_fail(EXIT_USAGE,
                        "--name \"%s\": expected letters, digits, \".\", \"_\" and \"-\"", name);
}

static int write_spec(char *folder, const char *text)
{
    unsigned made;
    str path = { 0 };
    const struct iovec pieces[] = { { (void *)(uintptr_t)text, strlen(text) },
                                    { (char[]){ "\n" }, 1 } };

    if (parents_make(&made, folder, 0755) || (mkdir(folder, 0755) && errno != EEXIST))
        return command_fail(EXIT_USAGE, "%s cannot be made: %s", folder, strerror(errno));

    int status = EXIT_FINE;
    if (str_printf(&path, "%s/%s", folder, file_name))
        status = command_fail_memory();
    else if (file_replace(path.data, pieces, 2))
        status = command_fail(EXIT_USAGE, "%s", error_message());
    else if (chmod(path.data, 0644))
        status = command_fail(EXIT_USAGE, "%s: %s", path.data, strerror(errno));
    str_free(&path);
    return status;
}

/* The specification in a folder; NULL: there is none of snug's. Free with cJSON_Delete. */
static cJSON *read_spec(const char *folder)
{
    str path = { 0 }, text = { 0 };
    cJSON *root = NULL;

    if (!str_printf(&path, "%s/%s", folder, file_name) && !file_read(&text, path.data, MOST_BYTES))
        json_parse(&root, str_text(&text), text.len);
    const cJSON *metadata = cJSON_GetObjectItemCaseSensitive(root, "metadata");
    if (root && !cJSON_GetObjectItemCaseSensitive(metadata, "snug")) {
        cJSON_Delete(root);
        root = NULL;
    }
    str_free(&path);
    str_free(&text);
    return root;
}

/* Another program's is not replaced: nobody would have it back. */
static int check_owner(const char *folder)
{
    str path = { 0 };
    int status = EXIT_FINE;

    if (str_printf(&path, "%s/%s", folder, file_name))
        return command_fail_memory();
    if (access(path.data, F_OK) == 0) {
        cJSON *own = read_spec(folder);
        if (!own)
            status = command_fail(EXIT_USAGE,
                                  "%s is the kernel of another program: choose another --name, or "
                                  "remove that folder",
                                  folder);
        cJSON_Delete(own);
    }
    str_free(&path);
    return status;
}

/* A front end would show no more than a kernel that dies. */
static int open_trial(snug_host **out, const options *o, const variant *v, const char *name)
{
    snug_session_options wanted = SNUG_SESSION_OPTIONS_INIT;
    snug_session *session = NULL;
    options how = *o;

    how.isolation = v->isolation;
    wanted.kind = v->isolation == AS_BASH ? SNUG_KIND_BASH : SNUG_KIND_RESTRICTED;
    if (command_make_host(out, &how, NULL) || snug_session_open(&session, *out, &wanted))
        return command_fail(EXIT_USAGE,
                            "the kernel %s is not installed, its sessions cannot start: %s", name,
                            snug_error_message());
    snug_session_close(session);
    return EXIT_FINE;
}

static int install_variant(const options *o, const variant *v, const char *where)
{
    const char *name = o->kernel.name ? o->kernel.name : v->name;
    const char *display = o->kernel.display_name ? o->kernel.display_name : v->display_name;
    snug_host *host = NULL;
    str folder = { 0 };
    char *text = NULL;
    int status = check_name(name);

    if (!status)
        status = open_trial(&host, o, v, name);
    if (!status)
        text = spec_text(o, v, display, snug_host_report(host));
    if (!status && (!text || str_printf(&folder, "%s/%s", where, name)))
        status = command_fail_memory();
    if (!status)
        status = check_owner(folder.data);
    if (!status)
        status = write_spec(folder.data, text);
    if (!status)
        printf("%s: %s\n", folder.data, display);
    str_free(&folder);
    free(text);
    snug_host_close(host);
    return status;
}

static int fail_argument(const options *o, const char *verb, size_t takes)
{
    return command_fail(EXIT_USAGE, "kernel %s takes %s, but \"%s\" was given", verb,
                        takes ? "one name" : "no argument", o->inputs[takes + 1].text);
}

/* The verbs of snug kernel. EXIT_FINE, or EXIT_USAGE after one sentence. */
static int kernelspec_install(const options *o)
{
    str where = { 0 };

    if (o->input_count > 1)
        return fail_argument(o, "install", 0);
    if (o->kernel.is_all && (o->kernel.name || o->kernel.display_name))
        return command_fail(EXIT_USAGE,
                            "kernel install: --all names the kernels itself, and %s is "
                            "of one",
                            o->kernel.name ? "--name" : "--display-name");
    int status = chosen_folder(&where, &o->kernel), failed = 0;
    for (size_t i = 0; i < VARIANTS && !status; i++)
        if (o->kernel.is_all || variants[i].isolation == o->isolation)
            failed |= install_variant(o, &variants[i], where.data);
    str_free(&where);
    return status ? status : failed;
}

/* ---- list, uninstall ---- */

static void list_spec(const char *folder, const char *name, cJSON *spec)
{
    const cJSON *display = cJSON_GetObjectItemCaseSensitive(spec, "display_name");
    printf("%-16s %-28s %s/%s\n", name, cJSON_IsString(display) ? display->valuestring : "", folder,
           name);
}

static int list_folder(const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort), failed = 0;

    for (int i = 0; i < count; i++) {
        str path = { 0 };
        cJSON *spec = NULL;
        failed |= str_printf(&path, "%s/%s", folder, entries[i]->d_name) != SNUG_OK;
        if (entries[i]->d_name[0] != '.' && path.data && (spec = read_spec(path.data)))
            list_spec(folder, entries[i]->d_name, spec);
        cJSON_Delete(spec);
        str_free(&path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return failed;
}

static int kernelspec_list(const options *o)
{
    folders all = { 0 };

    if (o->input_count > 1)
        return fail_argument(o, "list", 0);
    int status = all_folders(&all, &o->kernel);
    for (size_t i = 0; i < all.count && !status; i++)
        if (list_folder(str_text(&all.items[i])))
            status = command_fail_memory();
    free_folders(&all);
    return status;
}

/* 1: it is gone; 0: it is not there; -1 after one sentence. */
static int remove_spec(const char *where, const char *name)
{
    str folder = { 0 }, file = { 0 };
    int answer = 0;

    if (str_printf(&folder, "%s/%s", where, name) ||
        str_printf(&file, "%s/%s", folder.data, file_name)) {
        command_fail_memory();
        answer = -1;
    }

    cJSON *spec = answer ? NULL : read_spec(folder.data);
    if (spec && (unlink(file.data) || (rmdir(folder.data) && errno != ENOTEMPTY))) {
        command_fail(EXIT_USAGE, "%s cannot be removed: %s", folder.data, strerror(errno));
        answer = -1;
    } else if (spec) {
        printf("%s is removed\n", folder.data);
        answer = 1;
    }
    cJSON_Delete(spec);
    str_free(&file);
    str_free(&folder);
    return answer;
}

static int kernelspec_uninstall(const options *o)
{
    folders all = { 0 };
    int removed = 0;

    if (o->input_count < 2)
        return command_fail(EXIT_USAGE, "kernel uninstall takes the name of a kernel; snug kernel "
                                        "list shows those of snug");
    if (o->input_count > 2)
        return fail_argument(o, "uninstall", 1);

    const char *name = o->inputs[1].text;
    int status = check_name(name);
    if (!status)
        status = all_folders(&all, &o->kernel);
    for (size_t i = 0; i < all.count && !status; i++) {
        int answer = remove_spec(str_text(&all.items[i]), name);
        removed += answer > 0;
        status = answer < 0 ? EXIT_USAGE : EXIT_FINE;
    }
    free_folders(&all);
    if (!status && !removed)
        return command_fail(EXIT_USAGE,
                            "no kernel \"%s\" of snug is installed; snug kernel list "
                            "shows those that are",
                            name);
    return status;
}

/* ---- a kernel ---- */

/* What tools ask about signals: there are none. The attendant has them. */
static signals no_signals = { .lock = PTHREAD_MUTEX_INITIALIZER, .pipe = { -1, -1 } };

/* "3.11.2", of the report's line about Python. */
static void learn_python(kernel *k)
{
    static const char key[] = "\npython: ";
    const char *python = strstr(snug_host_report(k->host), key);

    if (!python)
        return;
    python += strlen(key);
    snprintf(k->python_text, sizeof k->python_text, "%.*s", (int)strcspn(python, " \n"), python);
    atomic_store(&k->python, k->python_text);
}

static int open_session(kernel *k)
{
    snug_session_options wanted = k->options->session;

    wanted.on_output = kernel_on_output;
    wanted.on_display = kernel_on_display;
    wanted.on_input = kernel_on_input;
    wanted.on_approval = kernel_on_approval;
    wanted.payload = k;
    int status = tools_open(&k->tools, k->options, &no_signals);
    if (!status)
        status = command_open_host(&k->host, k->options, &no_signals);
    if (status)
        return status;

    wanted.journal = k->tools.journal;
    learn_python(k);
    if (snug_session_open(&k->session, k->host, &wanted) || tools_bind(&k->tools, k->session))
        return command_fail_host();
    attendant_set_session(&k->attendant, k->session);
    return EXIT_FINE;
}

/* Sockets first: who asks what the kernel is has an answer while Python starts. */
static int open_kernel(kernel *k, const char *path)
{
    int error = connection_read(&k->where, path);
    if (!error)
        error = zmq_library_load();
    if (!error)
        error = attendant_prepare(&k->attendant, k);
    if (!error)
        error = channels_open(&k->channels, &k->where);
    if (!error)
        error = publisher_open(&k->publisher, &k->channels, &k->where);
    if (!error)
        error = signer_open(&k->signer, &k->where.key, &k->where.digest);
    if (!error)
        error = attendant_start(&k->attendant);
    if (error)
        return command_fail(EXIT_USAGE, "%s", error_message());

    iopub_status(&k->publisher, NULL, "starting");
    int status = open_session(k);
    if (!status)
        iopub_status(&k->publisher, NULL, "idle");
    return status;
}

/* Its end has been announced: finalizers have little time. */
enum { CLOSE_MS = 1000 };

static void close_kernel(kernel *k)
{
    attendant_set_session(&k->attendant, NULL);
    snug_session_close_within(k->session, CLOSE_MS);
    tools_close(&k->tools);
    snug_host_close(k->host);
    attendant_close(&k->attendant);
    publisher_close(&k->publisher);
    signer_close(k->signer);
    if (k->channels.context)
        channels_close(&k->channels);
    connection_free(&k->where);
    history_free(&k->history);
}

static int run_kernel(const options *o, const char *path)
{
    kernel k = { .options = o,
                 .limits = SNUG_LIMITS_INIT,
                 .python = SNUG_PYTHON_NUMBER,
                 .publisher = { .timer_fd = -1 } };

    int status = open_kernel(&k, path);
    if (!status) {
        kernel_serve(&k);
        status = k.attendant.status;
    }
    close_kernel(&k);
    return status;
}

/* ---- the command ---- */

static const struct {
    const char *name;
    int (*run)(const options *o);
} verbs[] = {
    { "install", kernelspec_install },
    { "list", kernelspec_list },
    { "uninstall", kernelspec_uninstall },
};

int command_kernel(const options *o)
{
    const char *verb = o->input_count > 0 ? o->inputs[0].text : NULL;

    if (!verb && o->kernel.connection_file)
        return run_kernel(o, o->kernel.connection_file);
    if (!verb)
        return command_fail(EXIT_USAGE,
                            "kernel: -f CONNECTION_FILE is missing; front ends give it, "
                            "once snug kernel install has told them of the kernel");

    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (!strcmp(verbs[i].name, verb))
            return verbs[i].run(o);
    return command_fail(EXIT_USAGE,
                        "kernel: unknown verb \"%s\"; there are install, list and "
                        "uninstall",
                        verb);
}
