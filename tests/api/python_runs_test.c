/* What a host meets before it has a Python. */
#include "../unit/test.h"

#include <dlfcn.h>

#include <snug/snug.h>

TEST(a_home_without_a_standard_library_is_named)
{
    snug_host *host = NULL;
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    options.python_home = "/nonexistent";
    assert_int_equal(snug_host_open(&host, &options), SNUG_EPYTHON);
    assert_non_null(strstr(snug_error_message(), "/nonexistent/lib/python3"));
    assert_null(host);
}

/* Through the loader: this program is not built with Python's headers. */
TEST(a_running_python_is_left_alone)
{
    void (*initialise)(int) = NULL;
    void *address = dlsym(RTLD_DEFAULT, "Py_InitializeEx");
    assert_non_null(address);
    memcpy(&initialise, &address, sizeof initialise);
    initialise(0);
    snug_host *host = NULL;
    assert_int_equal(snug_host_open(&host, NULL), SNUG_EPYTHON);
    assert_non_null(strstr(snug_error_message(), "already runs"));
    assert_null(host);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
