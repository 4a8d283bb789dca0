/*
 * snug-worker - serves sessions to a host in another process, over standard input and output.
 *
 * It is started by libsnug, or by a command that brings it elsewhere (ssh, bwrap, docker run -i).
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <snug/snug.h>
#include <snug/worker.h>

static int usage(FILE *to, int status)
{
    fprintf(to,
            "usage: snug-worker [--bash]\n"
            "\n"
            "Serves sessions of snug over standard input and output, by the protocol of this\n"
            "version. A host of form SNUG_FORM_WORKER starts it; the option --worker-command of\n"
            "the program snug brings it into a container or to another machine.\n"
            "\n"
            "  --bash      one session of bash, in a sandbox that bwrap has made\n"
            "  --version   the version and the Python\n");
    return status;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return printf("snug-worker %s, for %s\n", snug_version(), SNUG_BUILT_FOR) < 0;
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return usage(stdout, 0);
    if (argc > 1 && strcmp(argv[1], "--zygote") == 0)
        return snug_worker_zygote(argv + 2);
    if (argc > 1 && strcmp(argv[1], "--sandbox") == 0)
        return snug_worker_sandbox(argv + 2);

    const int is_bash = argc == 2 && strcmp(argv[1], "--bash") == 0;
    if (argc > 1 && !is_bash)
        return usage(stderr, 2);
    if (isatty(0)) {
        fputs("snug-worker: standard input is a terminal, and a host is expected there\n", stderr);
        return 2;
    }

    return is_bash ? snug_worker_serve_bash(0, 1) : snug_worker_serve(0, 1);
}
