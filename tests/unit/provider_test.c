#include "test.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>

#include "agent/model/provider.h"
#include "base/error.h"

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in \"%s\"", part, text);
}

static const provider *found(const char *name, const char *expected)
{
    const provider *p = NULL;
    const char *rest = NULL;
    if (provider_find(&p, &rest, name))
        fail_msg("%s: %s", name, error_message());
    assert_string_equal(rest, expected);
    return p;
}

static void a_name_is_a_provider_and_its_model(void **state)
{
    assert_string_equal(found("openai:gpt-4o", "gpt-4o")->key_variable, "OPENAI_API_KEY");
    assert_ptr_equal(found("anthropic:claude-x", "claude-x")->dialect, &dialect_anthropic);
    assert_ptr_equal(found("ollama:qwen3:8b", "qwen3:8b")->dialect, &dialect_openai);
    found("vllm:org/model-7B", "org/model-7B");
    found("llamacpp:any", "any");
    assert_false(found("lmstudio:any", "any")->needs_key);
}

static void a_name_that_is_none_is_refused_by_what_is_wrong(void **state)
{
    static const char *const cases[][2] = {
        { "gpt-4o", "\"gpt-4o\" has no provider: the form is PROVIDER:MODEL" },
        { "opnai:gpt-4o", "there is no provider \"opnai\"; is it \"openai\"?" },
        { "Anthropic:x", "is it \"anthropic\"?" },
        { "qwen3:8b", "there is no provider \"qwen3\"; there are openai, anthropic, ollama" },
        { ":x", "there is no provider \"\"" },
        { "openai:", "\"openai:\" names a provider and no model" },
        { "", "a model's name is PROVIDER:MODEL" },
        { "openai:a b", "without spaces" },
        { "openai:a\n", "without spaces" },
        { "openai:\xff", "a model's name is" },
    };
    const provider *p;
    const char *rest;
    char longest[300];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(provider_find(&p, &rest, cases[i][0]), SNUG_EINVAL);
        assert_has(error_message(), cases[i][1]);
    }
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(provider_find(&p, &rest, longest), SNUG_EINVAL);
}

static void assert_place(const char *name, const char *base_url, const char *url, const char *host,
                         int is_loopback)
{
    provider_place place;
    if (provider_locate(&place, found(name, strchr(name, ':') + 1), "m", base_url))
        fail_msg("%s", error_message());
    assert_string_equal(str_text(&place.url), url);
    assert_string_equal(str_text(&place.host), host);
    assert_int_equal(place.is_loopback, is_loopback);
    provider_place_free(&place);
}

static void an_address_is_the_callers_or_the_variables_or_the_providers(void **state)
{
    unsetenv("OPENAI_BASE_URL");
    unsetenv("ANTHROPIC_BASE_URL");
    unsetenv("OLLAMA_HOST");
    assert_place("openai:m", NULL, "https://api.openai.com/v1/chat/completions", "api.openai.com",
                 0);
    assert_place("anthropic:m", NULL, "https://api.anthropic.com/v1/messages", "api.anthropic.com",
                 0);
    assert_place("ollama:m", NULL, "http://localhost:11434/v1/chat/completions", "localhost:11434",
                 1);
    unsetenv("OPENROUTER_BASE_URL");
    unsetenv("GEMINI_BASE_URL");
    assert_place("openrouter:a/b", NULL, "https://openrouter.ai/api/v1/chat/completions",
                 "openrouter.ai", 0);
    assert_place("gemini:m", NULL,
                 "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions",
                 "generativelanguage.googleapis.com", 0);
    setenv("OPENAI_BASE_URL", "", 1);
    assert_place("openai:m", NULL, "https://api.openai.com/v1/chat/completions", "api.openai.com",
                 0);
    setenv("OPENAI_BASE_URL", "https://other.example/v1/", 1);
    assert_place("openai:m", NULL, "https://other.example/v1/chat/completions", "other.example", 0);
    assert_place("openai:m", "http://127.0.0.1:9//", "http://127.0.0.1:9/chat/completions",
                 "127.0.0.1:9", 1);
    /* With /v1 or without. */
    assert_place("anthropic:m", "http://[::1]:9/v1", "http://[::1]:9/v1/messages", "[::1]:9", 1);
    assert_place("anthropic:m", "http://a.example", "http://a.example/v1/messages", "a.example", 0);
    unsetenv("OPENAI_BASE_URL");
}

static void a_deployment_of_azure_has_an_address_of_its_own(void **state)
{
    static const char *const cases[][2] = {
        { "https://r.openai.azure.com",
          "https://r.openai.azure.com/openai/deployments/my%20gpt/chat/completions?api-version="
          "2024-10-21" },
        { "https://r.openai.azure.com/openai/",
          "https://r.openai.azure.com/openai/deployments/my%20gpt/chat/completions?api-version="
          "2024-10-21" },
        { "https://r.openai.azure.com/openai/v1/",
          "https://r.openai.azure.com/openai/v1/chat/completions" },
    };
    const provider *azure = found("azure:d", "d");
    provider_place place;
    unsetenv("AZURE_OPENAI_ENDPOINT");
    unsetenv("OPENAI_API_VERSION");
    assert_string_equal(provider_key_header(azure), "api-key: ");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(provider_locate(&place, azure, "my gpt", cases[i][0]), SNUG_OK);
        assert_string_equal(str_text(&place.url), cases[i][1]);
        provider_place_free(&place);
    }
    assert_int_equal(provider_locate(&place, azure, "d", NULL), SNUG_EINVAL);
    assert_has(error_message(), "set the variable AZURE_OPENAI_ENDPOINT or the base URL");

    setenv("AZURE_OPENAI_ENDPOINT", "https://r.example", 1);
    setenv("OPENAI_API_VERSION", "2025-01-01-preview", 1);
    assert_int_equal(provider_locate(&place, azure, "d", NULL), SNUG_OK);
    assert_has(str_text(&place.url),
               "/deployments/d/chat/completions?api-version=2025-01-01-preview");
    provider_place_free(&place);
    setenv("OPENAI_API_VERSION", "1&x=y", 1);
    assert_int_equal(provider_locate(&place, azure, "d", NULL), SNUG_EINVAL);
    assert_has(error_message(), "OPENAI_API_VERSION is not a version");
    unsetenv("OPENAI_API_VERSION");
    unsetenv("AZURE_OPENAI_ENDPOINT");
}

static void ollama_host_is_what_ollama_takes_for_one(void **state)
{
    static const char *const cases[][2] = {
        { "box", "http://box:11434/v1" },
        { "box:99", "http://box:99/v1" },
        { ":99", "http://localhost:99/v1" },
        { "0.0.0.0", "http://localhost:11434/v1" },
        { "0.0.0.0:99", "http://localhost:99/v1" },
        { "http://box", "http://box/v1" },
        { "https://box:99/", "https://box:99/v1" },
        { "http://box/ollama/v1", "http://box/ollama/v1" },
        { "[::1]", "http://[::1]:11434/v1" },
        { "[::1]:99", "http://[::1]:99/v1" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        provider_place place;
        str expected = { 0 };
        setenv("OLLAMA_HOST", cases[i][0], 1);
        if (provider_locate(&place, found("ollama:m", "m"), "m", NULL))
            fail_msg("%s: %s", cases[i][0], error_message());
        assert_int_equal(str_printf(&expected, "%s/chat/completions", cases[i][1]), SNUG_OK);
        assert_string_equal(str_text(&place.url), str_text(&expected));
        str_free(&expected);
        provider_place_free(&place);
    }
    unsetenv("OLLAMA_HOST");
}

static void an_address_that_is_none_is_refused(void **state)
{
    static const char *const cases[][2] = {
        { "", "the base URL is not an http or https URL" },
        { "api.example/v1", "is not an http or https URL: api.example/v1" },
        { "ftp://a.example", "is not an http or https URL" },
        { "file:///etc/passwd", "is not an http or https URL" },
        { "http://", "is not an http or https URL" },
        { "http://a b/", "is not an http or https URL" },
        { "https://user:sekrit@a.example/v1", "has a user name in it" },
        { "https://a.example/v1?x=1", "has a \"?\" in it" },
    };
    provider_place place;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(provider_locate(&place, found("openai:m", "m"), "m", cases[i][0]),
                         SNUG_EINVAL);
        assert_has(error_message(), cases[i][1]);
        assert_null(strstr(error_message(), "sekrit"));
    }
    setenv("OPENAI_BASE_URL", "nothing", 1);
    assert_int_equal(provider_locate(&place, found("openai:m", "m"), "m", NULL), SNUG_EINVAL);
    assert_has(error_message(), "OPENAI_BASE_URL is not an http");
    unsetenv("OPENAI_BASE_URL");
}

static int check(const char *url, int is_callers)
{
    provider_place place;
    setenv("OPENAI_BASE_URL", url, 1);
    assert_int_equal(provider_locate(&place, found("openai:m", "m"), "m", is_callers ? url : NULL),
                     SNUG_OK);
    int error = provider_check_key(&place, is_callers);
    provider_place_free(&place);
    unsetenv("OPENAI_BASE_URL");
    return error;
}

static void a_key_goes_unencrypted_to_this_machine_or_where_the_caller_says(void **state)
{
    assert_int_equal(check("https://a.example/v1", 0), SNUG_OK);
    assert_int_equal(check("http://localhost:1/v1", 0), SNUG_OK);
    assert_int_equal(check("http://127.8.9.1/v1", 0), SNUG_OK);
    assert_int_equal(check("http://[::1]/v1", 0), SNUG_OK);
    assert_int_equal(check("http://a.example/v1", 1), SNUG_OK);
    static const char *const refused[] = { "http://a.example/v1", "http://127.0.0.1.a.example/v1",
                                           "http://localhost.a.example", "http://10.0.0.1/v1",
                                           "http://a.localhost/v1" };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(check(refused[i], 0), SNUG_EINVAL);
        assert_has(error_message(), "OPENAI_BASE_URL is http: the key would go to ");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_a_provider_and_its_model),
        cmocka_unit_test(a_name_that_is_none_is_refused_by_what_is_wrong),
        cmocka_unit_test(an_address_is_the_callers_or_the_variables_or_the_providers),
        cmocka_unit_test(a_deployment_of_azure_has_an_address_of_its_own),
        cmocka_unit_test(ollama_host_is_what_ollama_takes_for_one),
        cmocka_unit_test(an_address_that_is_none_is_refused),
        cmocka_unit_test(a_key_goes_unencrypted_to_this_machine_or_where_the_caller_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
