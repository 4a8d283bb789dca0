#include "test.h"

#include "cli/run/name_use.h"

TEST(a_name_that_is_only_used_keeps_its_meaning)
{
    static const char *const texts[] = {
        "",
        "github.search()\nx = github.search(q='github2') == 1",
        "github.a == 1",
        "x.github = 1\nmygithub = 1\ngithubs = 1",
        "print(github.find)\nawait github.get(1)",
        "github(1)",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(name_may_be_bound(texts[i], "github", strlen("github")));
}

TEST(one_that_may_be_bound_may_not)
{
    static const char *const texts[] = {
        "github = 1",
        "import github",
        "import os, github",
        "import github.auth",
        "for github in x: pass",
        "def github(x): pass",
        "class \tgithub(A): pass",
        "with open(x) as github:",
        "github.find = f",
        "github.a.b=1",
        "setattr(github, 'find', f)",
        "globals()['github'] = 1",
        "# what github is",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_true(name_may_be_bound(texts[i], "github", strlen("github")));
}

TEST(a_text_may_bind_names_that_it_does_not_have)
{
    assert_true(name_any_may_be_bound("from math import *"));
    assert_true(name_any_may_be_bound("exec(text)"));
    assert_true(name_any_may_be_bound("%run a.py"));
    assert_false(name_any_may_be_bound("from math import pi\nvars(x)"));
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
