#include "test.h"

#include <snug/snug.h>

#include "cli/upstream/mcptool.h"

static jsontext_span span_of(const char *text)
{
    return (jsontext_span){ text, strlen(text) };
}

TEST(a_description_becomes_a_function)
{
    static const struct {
        const char *description, *name, *signature, *doc;
    } cases[] = {
        { "{\"name\": \"a\"}", "a", "**others", "" },
        { "{\"name\": \"a\", \"inputSchema\": {\"properties\": {}}}", "a", "", "" },
        { "{\"name\": \"a\", \"inputSchema\": {\"additionalProperties\": false}}", "a", "", "" },
        { "{\"name\": \"get-page.2\", \"description\": \"x\\ny\"}", "get_page_2", "**others",
          "x\ny" },
        { "{\"name\": \"3d\"}", "_3d", "**others", "" },
        { "{\"name\": \"import\"}", "import_", "**others", "" },
        { "{\"name\": \"\xc3\xbc\xc3\xbc\"}", "tool___", "**others", "" },
        { "{\"name\": \"3\"}", "tool__3", "**others", "" },
        { "{\"name\": \"Out\"}", "tool_Out", "**others", "" },
        { "{\"name\": \"__builtins__\"}", "tool___builtins__", "**others", "" },
        { "{\"name\": \"_a\"}", "_a", "**others", "" },
        { "{\"name\": \"f\", \"inputSchema\": {\"required\": [\"z\", \"y\"], \"properties\": {"
          "\"a\": {\"type\": \"string\"}, \"z\": {\"type\": \"array\"}, \"b\": {\"type\": "
          "[\"string\", \"null\"]}, \"y\": {\"type\": \"boolean\", \"description\": \"Or "
          "not.\"}}}}",
          "f", "z: list, y: bool, a: str = None, b=None", "Arguments:\n    y: Or not." },
        { "{\"name\": \"f\", \"inputSchema\": {\"required\": [\"a-b\"], \"properties\": {\"a-b\": "
          "{}, \"c\": {\"type\": \"number\"}, \"None\": {}}}}",
          "f", "c: float = None, **others", "" },
        { "{\"name\": \"f\", \"inputSchema\": {\"properties\": 3, \"required\": {}}}", "f", "",
          "" },
        { "{\"name\": \"f\", \"inputSchema\": {\"properties\": {\"others\": {}, \"a-b\": {}}}}",
          "f", "others=None, **others_", "" },
        { "{\"name\": \"f\", \"inputSchema\": {\"properties\": {\"a\": {}, \"a\": {\"type\": "
          "\"string\"}, \"\\u0061\": {}}}}",
          "f", "a: str = None, **others", "" },
        { "{\"name\": \"f\", \"inputSchema\": {\"required\": [\"u\"], \"properties\": {"
          "\"u\": {\"type\": \"string\", \"enum\": [\"c\", \"k\"], \"description\": \"Of it.\"}, "
          "\"n\": {\"enum\": [1, null, {}]}, \"e\": {\"enum\": []}}}}",
          "f", "u: str, n=None, e=None", "Arguments:\n    u: Of it. One of \"c\", \"k\"." },
        { "{\"name\": \"f\", \"inputSchema\": {\"required\": [\"z\"], \"properties\": {"
          "\"z\": {\"default\": 3}, \"a\": {\"type\": \"integer\", \"default\": -1}, "
          "\"b\": {\"default\": true}, \"c\": {\"type\": \"string\", \"default\": \"x, y\"}, "
          "\"d\": {\"default\": null}, \"e\": {\"default\": [1]}, \"g\": {\"default\": \"\\n\"}, "
          "\"h\": {\"default\": \")\"}, \"i\": {\"default\": 1.5e3}}}}",
          "f", "z, a: int = -1, b=True, c: str = \"x, y\", d=None, e=None, g=None, h=None, i=1.5e3",
          "" },
        { "{\"name\": \"f\", \"inputSchema\": {\"properties\": {\"__snug_call__\": {}}}}", "f",
          "**others", "" },
        { "{\"name\": \"f\", \"inputSchema\": {\"properties\": {\"__a\": {}, \"_b\": {}}}}", "f",
          "_b=None, **others", "" },
        { "{\"name\": \"f\", \"inputSchema\": {\"properties\": {\"a\": {}}, "
          "\"patternProperties\": {\"^x\": {}}}}",
          "f", "a=None, **others", "" },
        { "{\"name\": \"f\", \"inputSchema\": {\"properties\": {\"a\": {}}, "
          "\"additionalProperties\": true}}",
          "f", "a=None, **others", "" },
        { "{\"name\": \"f\", \"inputSchema\": {\"properties\": {\"a\": {}}, "
          "\"additionalProperties\": false, \"required\": [\"a\"]}}",
          "f", "a", "" },
        { "{\"name\": \"f\", \"inputSchema\": {\"properties\": {\"a\": {}}, "
          "\"required\": [\"z\"]}}",
          "f", "a=None", "" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mcptool t;
        assert_int_equal(mcptool_read(&t, span_of(cases[i].description)), SNUG_OK);
        assert_string_equal(t.name, cases[i].name);
        assert_string_equal(t.signature, cases[i].signature);
        assert_string_equal(t.doc, cases[i].doc);
        mcptool_free(&t);
    }
}

/* Arguments that another schema describes, in part or wholly. */
TEST(arguments_are_read_where_a_reference_leads)
{
#define ARGS                                                                                       \
    "\"$defs\": {\"A\": {\"type\": \"object\", \"required\": [\"id\"], \"properties\": {\"id\": {" \
    "\"$ref\": \"#/$defs/Id\", \"description\": \"Of it.\"}, \"how\": {\"$ref\": "                 \
    "\"#/$defs/How\", "                                                                            \
    "\"default\": \"up\"}}}, \"Id\": {\"type\": \"integer\", \"description\": \"Any.\"}, "         \
    "\"How\": {"                                                                                   \
    "\"enum\": [\"up\", \"down\"], \"type\": \"string\", \"description\": \"Where to.\"}}"
#define DOC "Arguments:\n    id: Of it.\n    how: Where to. One of \"up\", \"down\"."
    static const struct {
        const char *schema, *signature, *types, *doc;
    } cases[] = {
        { "{\"$ref\": \"#/$defs/A\", " ARGS "}", "id: int, how: str = \"up\"",
          "(id: int, how: Literal[\"up\", \"down\"] = \"up\") -> Any", DOC },
        { "{\"allOf\": [{\"$ref\": \"#/$defs/A\"}, {\"required\": [\"b\"]}], " ARGS "}", "**others",
          "(**others: Any) -> Any", "" },
        /* What is not known may have others. */
        { "{\"properties\": {\"a\": {}}, \"$ref\": \"other.json\"}", "**others",
          "(**others: Any) -> Any", "" },
        { "{\"$ref\": \"#\"}", "**others", "(**others: Any) -> Any", "" },
        { "{\"properties\": {\"a\": {}}, \"anyOf\": [{\"properties\": {\"b\": {}}}]}",
          "a=None, **others", "(a: Any = ..., **others: Any) -> Any", "" },
        { "{\"patternProperties\": {\"^x\": {}}, \"additionalProperties\": false}", "**others",
          "(**others: Any) -> Any", "" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        str text = { 0 };
        mcptool t;
        str_printf(&text, "{\"name\": \"f\", \"inputSchema\": %s}", cases[i].schema);
        assert_int_equal(mcptool_read(&t, span_of(text.data)), SNUG_OK);
        assert_string_equal(t.signature, cases[i].signature);
        assert_string_equal(t.types, cases[i].types);
        assert_string_equal(t.doc, cases[i].doc);
        mcptool_free(&t);
        str_free(&text);
    }
}

/* 200 parameters, each of which leads to all of a megabyte. */
TEST(a_large_schema_is_read_in_a_moment)
{
    enum { DEFINITIONS = 10000, PARAMETERS = 200 };
    str text = { 0 };
    mcptool t;
    str_add(&text, "{\"name\": \"f\", \"inputSchema\": {\"properties\": {");
    for (int i = 0; i < PARAMETERS; i++)
        str_printf(&text, "%s\"p%d\": {\"$ref\": \"#/$defs/d%d\"}", i > 0 ? ", " : "", i, i % 10);
    str_add(&text, "}, \"$defs\": {\"d\": {}");
    for (int i = 0; i < DEFINITIONS; i++)
        str_printf(&text,
                   ", \"d%d\": {\"anyOf\": [{\"$ref\": \"#\"}, {\"type\": \"array\", \"items\": "
                   "{\"$ref\": \"#/$defs\"}}, {\"$ref\": \"#/properties/p%d\"}]}",
                   i, i % PARAMETERS);
    str_add(&text, "}}}");
    assert_int_equal(mcptool_read(&t, span_of(text.data)), SNUG_OK);
    assert_in_range(strlen(t.types), PARAMETERS, 1700 * PARAMETERS);
    mcptool_free(&t);
    str_free(&text);
}

/* A server chooses how many. */
TEST(of_very_many_parameters_the_first_have_names)
{
    enum { MANY = 20000 };
    str text = { 0 };
    mcptool t;
    str_add(&text, "{\"name\": \"f\", \"inputSchema\": {\"properties\": {");
    for (int i = 0; i < MANY; i++)
        str_printf(&text, "%s\"p%d\": {}", i > 0 ? ", " : "", i);
    str_add(&text, "}, \"required\": [");
    for (int i = 0; i < MANY; i++)
        str_printf(&text, "%s\"p%d\"", i > 0 ? ", " : "", i);
    str_add(&text, "]}}");
    assert_int_equal(mcptool_read(&t, span_of(text.data)), SNUG_OK);
    assert_non_null(strstr(t.signature, "p199"));
    assert_null(strstr(t.signature, "p200"));
    assert_non_null(strstr(t.signature, ", **others"));
    mcptool_free(&t);
    str_free(&text);
}

TEST(a_stub_keeps_what_the_signature_cannot_say)
{
    static const char description[] =
        "{\"name\": \"f\", \"description\": \"Do it.\", \"inputSchema\": {\"required\": [\"u\", "
        "\"a-b\"], \"properties\": {\"u\": {\"type\": \"string\", \"enum\": [\"c\", \"k\"]}, "
        "\"n\": {\"type\": \"integer\", \"default\": 3}, \"s\": {\"type\": \"array\", \"items\": "
        "{\"type\": \"object\", \"properties\": {\"x\": {\"type\": \"number\"}}}}, \"a-b\": {}}}, "
        "\"outputSchema\": {\"type\": \"object\", \"required\": [\"ok\"], \"properties\": {\"ok\": "
        "{\"type\": \"boolean\"}}}}";
    mcptool t;
    assert_int_equal(mcptool_read(&t, span_of(description)), SNUG_OK);
    assert_string_equal(t.signature, "u: str, n: int = 3, s: list = None, **others");
    assert_string_equal(t.types, "(u: Literal[\"c\", \"k\"], n: int = 3, s: list[dict] = ..., "
                                 "**others: Any) -> dict");
    assert_string_equal(t.doc, "Do it.\n\nArguments:\n    u: One of \"c\", \"k\".\n    s: "
                               "(list[{\"x\"?: float}])\n\nReturns: {\"ok\": bool}");
    mcptool_free(&t);
}

TEST(a_long_name_leaves_room_for_a_number)
{
    char text[400] = "{\"name\": \"";
    mcptool t;
    memset(text + strlen(text), 'x', 300);
    strcat(text, "\"}");
    assert_int_equal(mcptool_read(&t, span_of(text)), SNUG_OK);
    assert_int_equal(strlen(t.name), 200);
    assert_int_equal(strlen(t.remote), 300);
    assert_int_equal(mcptool_rename(&t, 2), SNUG_OK);
    assert_int_equal(strlen(t.name), 202);
    mcptool_free(&t);
}

TEST(a_description_without_a_name_is_refused)
{
    mcptool t;
    assert_int_equal(mcptool_read(&t, span_of("{}")), SNUG_EINVAL);
    assert_int_equal(mcptool_read(&t, span_of("{\"name\": \"\"}")), SNUG_EINVAL);
    assert_int_equal(mcptool_read(&t, span_of("{\"name\": 3}")), SNUG_EINVAL);
    assert_int_equal(mcptool_read(&t, span_of("[]")), SNUG_EINVAL);
}

TEST(what_is_optional_and_none_is_left_out)
{
    mcptool t;
    str out = { 0 };
    mcptool_read(&t, span_of("{\"name\": \"f\", \"inputSchema\": {\"required\": [\"a\"], "
                             "\"properties\": {\"a\": {}, \"b\": {}, \"c\": {}}}}"));
    mcptool_write_arguments(&out, &t, "{\"a\": null, \"b\": null, \"c\": [null], \"d\": null}");
    assert_string_equal(out.data, "{\"a\": null, \"c\": [null], \"d\": null}");
    str_clear(&out);
    mcptool_write_arguments(&out, &t, "{}");
    assert_string_equal(out.data, "{}");
    str_free(&out);
    mcptool_free(&t);
}

TEST(a_result_becomes_an_answer)
{
    static const struct {
        const char *result;
        int is_fine;
        const char *answer;
    } cases[] = {
        { "{\"content\": [{\"type\": \"text\", \"text\": \"a\\nb\"}]}", 1, "\"a\\nb\"" },
        { "{\"content\": [{\"type\": \"text\", \"text\": \"a\"}, {\"type\": \"text\", \"text\": "
          "\"b\"}]}",
          1, "\"a\\nb\"" },
        { "{\"content\": []}", 1, "\"\"" },
        { "{}", 1, "null" },
        { "{\"content\": [{\"type\": \"image\"}]}", 1, "[{\"type\": \"image\"}]" },
        { "{\"content\": [], \"structuredContent\": {\"a\": 1}}", 1, "{\"a\": 1}" },
        { "{\"content\": [{\"type\": \"text\", \"text\": \"a\"}], \"structuredContent\": null}", 1,
          "\"a\"" },
        { "{\"content\": [{\"type\": \"text\", \"text\": \"why\"}], \"isError\": true}", 0, "why" },
        { "{\"structuredContent\": {}, \"isError\": true}", 0, "the tool failed" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        str out = { 0 };
        int is_fine = -1;
        assert_int_equal(mcptool_read_result(&out, &is_fine, span_of(cases[i].result)), SNUG_OK);
        assert_int_equal(is_fine, cases[i].is_fine);
        assert_string_equal(str_text(&out), cases[i].answer);
        str_free(&out);
    }
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
