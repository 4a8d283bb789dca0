// What snug.hpp is used for: a line for each step, which run.py compares.
#include "snug.hpp"

#include <cstring>
#include <iostream>
#include <snug/agent.h>
#include <snug/library.h>
#include <snug/supervisor.h>
#include <snug/worker.h>
#include <string>
#include <thread>

using namespace std::chrono_literals;

static void run_cells(const snug::host &host)
{
    snug::session session(host, SNUG_SESSION_OPTIONS_INIT,
                          [](snug_stream, std::string_view text) { std::cout << "output: " << text; });

    const snug::result answer = session.run("print('hello')\n6 * 7");

    std::cout << "value: " << answer.text(SNUG_STREAM_VALUE) << "\n";
    std::jthread later([&] {
        std::this_thread::sleep_for(100ms);
        session.interrupt();
    });
    std::cout << "interrupted: " << snug_status_name(session.run("while True: pass").status()) << "\n";
    std::cout << "limited: " << snug_status_name(session.run("while True: pass", 50ms).status()) << "\n";
    std::cout << "kept: " << session.run("_1 + 1").text(SNUG_STREAM_VALUE) << "\n";
    std::cout << "json: " << session.run("1").json().substr(0, 26) << "\n";
}

static void throw_in_a_callback(const snug::host &host)
{
    snug::session session(host, SNUG_SESSION_OPTIONS_INIT, [](snug_stream, std::string_view text) {
        if (text.starts_with("no"))
            throw std::logic_error("the callback threw");
    });

    try {
        session.run("x = 5\nprint('no', flush=True)\nwhile True: pass");
    } catch (const std::logic_error &thrown) {
        std::cout << "thrown: " << thrown.what() << "\n";
    }
    std::cout << "after it: " << session.run("x").text(SNUG_STREAM_VALUE) << "\n";
}

static void fail_to_open(const snug::host &host)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;

    options.profile = "nothing-of-that-name";
    try {
        snug::session session(host, options);
    } catch (const snug::error &thrown) {
        std::cout << "error: " << snug_error_name(thrown.code()) << "\n";
    }
}

static snug::result run_in_a_host_that_is_gone(const snug_host_options &options)
{
    snug::host host(&options);

    return snug::session(host).run("'a result outlives its host'");
}

int main(int argc, char **argv)
{
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;

    if (argc > 1 && !std::strcmp(argv[1], "worker"))
        options.form = SNUG_FORM_WORKER;
    std::cout << std::unitbuf;
    try {
        {
            snug::host host(&options);

            run_cells(host);
            throw_in_a_callback(host);
            fail_to_open(host);
        }
        std::cout << "later: " << run_in_a_host_that_is_gone(options).text(SNUG_STREAM_VALUE) << "\n";
    } catch (const snug::error &thrown) {
        std::cerr << snug_error_name(thrown.code()) << ": " << thrown.what() << "\n";
        return 1;
    }
}
