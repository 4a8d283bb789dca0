/* A Python that is not the one snug was built for. */
#include "../unit/test.h"

#include <snug/snug.h>

/* The program's definition stands before libpython's, as another library's would. */
__attribute__((visibility("default"))) const char *Py_GetVersion(void);
const char *Py_GetVersion(void)
{
    return "3.11.99 (another build)";
}

TEST(another_python_is_refused_by_its_version)
{
    snug_host *host = NULL;
    assert_int_equal(snug_host_open(&host, NULL), SNUG_EPYTHON);
    assert_non_null(strstr(snug_error_message(), "Python 3.11.99 is loaded"));
    assert_null(host);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
