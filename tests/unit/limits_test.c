#include "test.h"

#include "base/error.h"
#include "limits/limits.h"

TEST(the_table_is_in_the_order_of_the_structure)
{
    static const struct {
        const char *name;
        size_t offset;
    } fields[] = {
        { "wall_ms", offsetof(snug_limits, wall_ms) },
        { "cpu_ms", offsetof(snug_limits, cpu_ms) },
        { "session_cpu_ms", offsetof(snug_limits, session_cpu_ms) },
        { "memory_bytes", offsetof(snug_limits, memory_bytes) },
        { "output_bytes", offsetof(snug_limits, output_bytes) },
        { "disk_bytes", offsetof(snug_limits, disk_bytes) },
        { "disk_files", offsetof(snug_limits, disk_files) },
        { "source_bytes", offsetof(snug_limits, source_bytes) },
        { "value_bytes", offsetof(snug_limits, value_bytes) },
        { "display_bytes", offsetof(snug_limits, display_bytes) },
        { "list_bytes", offsetof(snug_limits, list_bytes) },
        { "threads", offsetof(snug_limits, threads) },
        { "tool_calls", offsetof(snug_limits, tool_calls) },
        { "input_ms", offsetof(snug_limits, input_ms) },
    };
    size_t count = sizeof fields / sizeof *fields;
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(snug_limit_info(i)->name, fields[i].name);
        assert_int_equal(fields[i].offset, sizeof(size_t) + i * sizeof(uint64_t));
        assert_int_equal(snug_limit_info(i)->offset, fields[i].offset);
    }
    assert_null(snug_limit_info(count));
    assert_null(snug_limit_info(SIZE_MAX));
}

TEST(every_limit_is_described)
{
    const snug_limit_description *limit;
    for (size_t i = 0; (limit = snug_limit_info(i)); i++) {
        const char *unit = strrchr(limit->name, '_');
        assert_true(strlen(limit->about) > 0);
        assert_true(!limit->option || !strncmp(limit->option, "--", 2));
        if (*limit->unit)
            assert_string_equal(unit + 1, limit->unit);
    }
}

TEST(what_is_not_set_is_the_default)
{
    snug_limits none = { 0 }, resolved = limits_resolve(&none, NULL);
    assert_int_equal(resolved.wall_ms, 30000);
    assert_int_equal(resolved.memory_bytes, 256 * 1024 * 1024);
    assert_int_equal(resolved.output_bytes, 65536);
    assert_int_equal(resolved.source_bytes, 1024 * 1024);
    assert_int_equal(resolved.threads, 0);
    assert_true(resolved.session_cpu_ms == SNUG_UNLIMITED);
    for (size_t i = 0; snug_limit_info(i); i++) {
        uint64_t value;
        memcpy(&value, (const char *)&resolved + snug_limit_info(i)->offset, sizeof value);
        assert_true(value == snug_limit_info(i)->default_value);
    }
    const snug_limits again = limits_resolve(NULL, NULL);
    assert_memory_equal(&again, &resolved, sizeof again);
}

TEST(a_cell_goes_before_its_session_and_that_before_the_table)
{
    snug_limits cell = { .size = sizeof(snug_limits), .wall_ms = 5 };
    snug_limits given = { .size = sizeof(snug_limits), .wall_ms = 7, .cpu_ms = 8, .threads = 2 };
    const snug_limits session = limits_resolve(&given, NULL);
    const snug_limits resolved = limits_resolve(&cell, &session);
    assert_int_equal(resolved.wall_ms, 5);
    assert_int_equal(resolved.cpu_ms, 8);
    assert_int_equal(resolved.threads, 2);
    assert_int_equal(resolved.tool_calls, 100);
}

TEST(no_limit_is_a_value_of_its_own)
{
    snug_limits cell = { .size = sizeof(snug_limits), .wall_ms = SNUG_UNLIMITED },
                session = { .wall_ms = 7 };
    assert_true(limits_resolve(&cell, &session).wall_ms == SNUG_UNLIMITED);
}

TEST(none_is_zero_and_zero_is_the_default)
{
    const snug_limits wanted = { .disk_bytes = SNUG_NONE, .tool_calls = SNUG_NONE };
    const snug_limits session = limits_resolve(&wanted, NULL);
    assert_int_equal(session.disk_bytes, 0);
    assert_int_equal(session.tool_calls, 0);
    assert_int_equal(session.disk_files, 1000);

    /* A cell has the session's, or its own. */
    const snug_limits of_cell = { .tool_calls = 3, .output_bytes = SNUG_NONE };
    const snug_limits cell = limits_resolve(&of_cell, &session);
    assert_int_equal(cell.disk_bytes, 0);
    assert_int_equal(cell.tool_calls, 3);
    assert_int_equal(cell.output_bytes, 0);
}

TEST(what_nothing_runs_without_cannot_be_none)
{
    const snug_limit_description *limit;
    size_t count = 0;
    for (size_t i = 0; (limit = snug_limit_info(i)); i++) {
        snug_limits given = SNUG_LIMITS_INIT, taken;
        const uint64_t none = SNUG_NONE;
        memcpy((char *)&given + limit->offset, &none, sizeof none);
        int error = limits_take(&taken, &given);
        assert_int_equal(error, limit->can_be_none ? SNUG_OK : SNUG_EINVAL);
        count += !limit->can_be_none;
        if (error)
            assert_non_null(strstr(error_message(), limit->name));
    }
    assert_int_equal(count, 6);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
