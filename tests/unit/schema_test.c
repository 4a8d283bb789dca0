#include "test.h"

#include <snug/snug.h>

#include "cli/upstream/schema.h"

static jsontext_span span_of(const char *text)
{
    return (jsontext_span){ text, strlen(text) };
}

static str type_of(const char *schema)
{
    schema_document d;
    str out = { 0 };
    schema_document_init(&d, span_of(schema));
    assert_int_equal(schema_write_type(&out, &d, d.root, 0), SNUG_OK);
    return out;
}

static str shape_of(const char *schema)
{
    schema_document d;
    str out = { 0 };
    schema_document_init(&d, span_of(schema));
    assert_int_equal(schema_write_type(&out, &d, d.root, 1), SNUG_OK);
    return out;
}

TEST(a_schema_is_a_type_of_python)
{
    static const struct {
        const char *schema, *type;
    } cases[] = {
        { "{\"type\": \"string\"}", "str" },
        { "{\"type\": \"number\"}", "float" },
        { "{\"type\": [\"string\", \"null\"]}", "str | None" },
        { "{\"type\": []}", "Any" },
        { "{\"type\": \"array\"}", "list" },
        { "{\"type\": \"array\", \"items\": {\"type\": \"integer\"}}", "list[int]" },
        { "{\"type\": \"array\", \"items\": [{\"type\": \"integer\"}]}", "list" },
        { "{\"type\": \"object\", \"properties\": {\"a\": {}}}", "dict" },
        { "{\"type\": \"object\", \"additionalProperties\": {\"type\": \"boolean\"}}", "dict" },
        { "{\"properties\": {\"a\": {}}}", "dict" },
        { "{\"enum\": [\"open\", \"closed\"], \"type\": \"string\"}",
          "Literal[\"open\", \"closed\"]" },
        { "{\"enum\": [1, null, true, \"\\/\\ud83d\\ude00\"]}",
          "Literal[1, None, True, \"/\xf0\x9f\x98\x80\"]" },
        { "{\"enum\": [1.5], \"type\": \"number\"}", "float" },
        { "{\"enum\": [{}], \"type\": \"object\"}", "dict" },
        { "{\"enum\": []}", "Any" },
        { "{\"const\": \"a\"}", "Literal[\"a\"]" },
        { "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"null\"}]}", "str | None" },
        { "{\"oneOf\": [{\"type\": \"array\", \"items\": {\"type\": \"string\"}}, {\"type\": "
          "\"string\"}]}",
          "list[str] | str" },
        { "{\"anyOf\": []}", "Any" },
        { "{\"anyOf\": [{\"const\": \"an int here\"}, {\"type\": \"integer\"}]}",
          "Literal[\"an int here\"] | int" },
        { "{\"allOf\": [{\"type\": \"string\"}]}", "Any" },
        { "{\"type\": \"array\", \"prefixItems\": [{\"type\": \"string\"}], "
          "\"items\": {\"type\": \"integer\"}}",
          "list" },
        { "{\"$ref\": \"#/x\"}", "Any" },
        { "{\"anyOf\": [{}, {\"type\": \"null\"}]}", "Any" },
        { "{\"type\": \"object\", \"anyOf\": [{\"required\": [\"a\"]}]}", "dict" },
        { "true", "Any" },
        { "{}", "Any" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        str out = type_of(cases[i].schema);
        assert_string_equal(str_text(&out), cases[i].type);
        str_free(&out);
    }
}

TEST(a_shape_says_what_dicts_have)
{
    static const struct {
        const char *schema, *shape;
    } cases[] = {
        { "{\"type\": \"array\", \"items\": {\"type\": \"object\", \"required\": [\"name\"], "
          "\"properties\": {\"name\": {\"type\": \"string\"}, \"tags\": {\"type\": \"array\", "
          "\"items\": {\"type\": \"string\"}}}}}",
          "list[{\"name\": str, \"tags\"?: list[str]}]" },
        { "{\"type\": \"object\"}", "dict" },
        { "{\"type\": \"string\"}", "str" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        str out = shape_of(cases[i].schema);
        assert_string_equal(str_text(&out), cases[i].shape);
        str_free(&out);
    }
}

#define DEFS                                                                                       \
    "\"$defs\": {\"n\": {\"type\": \"integer\"}, \"a/b~c d\": {\"type\": \"string\"}, "            \
    "\"\\u00e9\": "                                                                                \
    "{\"type\": \"null\"}, \"r\": {\"$ref\": \"#/$defs/n\"}, \"o\": {\"$ref\": \"#/$defs/p\"}, "   \
    "\"p\": {\"$ref\": \"#/$defs/o\"}, \"c\": {\"enum\": [\"x\", \"y\"], \"description\": "        \
    "\"C.\"}, "                                                                                    \
    "\"i\": {\"type\": \"object\", \"required\": [\"n\"], \"properties\": {\"n\": {\"$ref\": "     \
    "\"#/$defs/n\"}}}, \"t\": {\"type\": \"object\", \"properties\": {\"name\": {\"type\": "       \
    "\"string\"}, "                                                                                \
    "\"sub\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/t\"}}}}, \"j\": {\"anyOf\": "  \
    "[{\"type\": \"string\"}, {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/j\"}}, "       \
    "{\"type\": "                                                                                  \
    "\"object\", \"additionalProperties\": {\"$ref\": \"#/$defs/j\"}}]}, \"0\": {\"anyOf\": [{}, " \
    "{\"type\": \"boolean\"}]}}, \"definitions\": {\"n\": {\"type\": \"number\"}}"
#define REF(to) "{\"$ref\": \"" to "\", " DEFS "}"

TEST(a_local_reference_is_followed)
{
    static const struct {
        const char *schema, *type, *shape;
    } cases[] = {
        { REF("#/$defs/n"), "int", "int" },
        { REF("#/definitions/n"), "float", "float" },
        { REF("#/$defs/r"), "int", "int" },
        { REF("#/$defs/c"), "Literal[\"x\", \"y\"]", "Literal[\"x\", \"y\"]" },
        { REF("#/$defs/i"), "dict", "{\"n\": int}" },
        { "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/i\"}, " DEFS "}", "list[dict]",
          "list[{\"n\": int}]" },
        { "{\"anyOf\": [{\"$ref\": \"#/$defs/n\"}, {\"type\": \"null\"}], " DEFS "}", "int | None",
          "int | None" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        str type = type_of(cases[i].schema), shape = shape_of(cases[i].schema);
        assert_string_equal(str_text(&type), cases[i].type);
        assert_string_equal(str_text(&shape), cases[i].shape);
        str_free(&type);
        str_free(&shape);
    }
}

TEST(what_is_within_itself_ends)
{
    str out = shape_of(REF("#/$defs/t"));
    assert_string_equal(out.data, "{\"name\"?: str, \"sub\"?: list[dict]}");
    str_free(&out);
    out = type_of(REF("#/$defs/j"));
    assert_string_equal(out.data, "str | list[Any] | dict");
    str_free(&out);
}

TEST(a_reference_that_leads_nowhere_is_any)
{
    static const char *const cases[] = {
        REF("#/$defs/z"),
        REF("#/$defs"),
        REF("#/$defs/o"),
        REF("#/$defs/n/"),
        REF("#/$defs/n/type"),
        REF("#/$defs/a~1b~0c%20d"),
        REF("#/$defs/i/properties/n"),
        REF("#/$defs/a~2b"),
        REF("#/$defs/a~"),
        REF("#/$defs/%zz"),
        REF("#/$defs/%2"),
        REF("#/$defs/0/anyOf/01"),
        REF("#/$defs/0/anyOf/2"),
        REF("#/$defs/0/anyOf/99999999999999999999"),
        REF("#n"),
        REF("#"),
        REF(""),
        REF("other.json"),
        REF("other.json#/$defs/n"),
        REF("https://example.org/schema#/$defs/n"),
        REF("/etc/passwd"),
        "{\"$ref\": 3, " DEFS "}",
        "{\"$ref\": \"#/$defs/n\", \"$defs\": []}",
        "{\"$ref\": \"#/$defs/n\", \"$defs\": {\"n\": true}}",
        "{\"$ref\": \"#/$defs/m\", \"$defs\": {\"m\": {\"$id\": \"m\", \"$ref\": "
        "\"#/$defs/n\"}, \"n\": {\"type\": \"integer\"}}}",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        str type = type_of(cases[i]);
        assert_string_equal(type.data, "Any");
        str_free(&type);
    }
}

/* format with the number in the place of "@". */
static void add_numbered(str *out, const char *format, size_t number)
{
    for (; *format; format++)
        if (*format == '@')
            str_printf(out, "%zu", number);
        else
            str_append(out, format, 1);
}

/* Definitions, each of which names the next one forty times. */
static str laughs_of(const char *before, const char *part, const char *behind)
{
    enum { DEFINITIONS = 30, TIMES = 40 };
    str out = { 0 };

    str_add(&out, "{\"$ref\": \"#/$defs/d0\", \"$defs\": {");
    for (int i = 0; i < DEFINITIONS; i++) {
        str_printf(&out, "\"d%d\": %s", i, before);
        for (int k = 0; k < TIMES; k++) {
            str_add(&out, k > 0 ? ", " : "");
            if (*before == '{' && strstr(before, "properties"))
                str_printf(&out, "\"m%d\": ", k);
            add_numbered(&out, part, (size_t)i + 1);
        }
        str_printf(&out, "%s, ", behind);
    }
    str_printf(&out, "\"d%d\": {\"type\": \"string\"}}}", DEFINITIONS);
    return out;
}

/* It would take years otherwise. */
TEST(references_do_not_multiply)
{
    static const char *const cases[][3] = {
        { "{\"anyOf\": [", "{\"$ref\": \"#/$defs/d@\"}", "]}" },
        { "{\"anyOf\": [",
          "{\"type\": [\"array\", \"null\"], \"items\": {\"$ref\": \"#/$defs/d@\"}}", "]}" },
        { "{\"type\": \"object\", \"properties\": {", "{\"$ref\": \"#/$defs/d@\"}", "}}" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        str schema = laughs_of(cases[i][0], cases[i][1], cases[i][2]);
        str type = type_of(schema.data), shape = shape_of(schema.data);
        assert_in_range(type.len, 1, 1600);
        assert_in_range(shape.len, 1, 5000);
        str_free(&schema);
        str_free(&type);
        str_free(&shape);
    }
}

TEST(depth_ends_in_any)
{
    str schema = { 0 };
    for (int i = 0; i < 100; i++)
        str_add(&schema, "{\"type\": \"array\", \"items\": ");
    str_add(&schema, "{}");
    for (int i = 0; i < 100; i++)
        str_add(&schema, "}");
    str out = type_of(schema.data);
    assert_string_equal(out.data, "list[list[list[list[list[list[Any]]]]]]");
    str_free(&schema);
    str_free(&out);
}

/* count schemas, or names of types, in brackets. */
static str list_of(size_t count, const char *format)
{
    str out = { 0 };
    for (size_t i = 0; i < count; i++) {
        str_add(&out, i > 0 ? ", " : "[");
        add_numbered(&out, format, i);
    }
    str_add(&out, "]");
    return out;
}

static void expect_of_list(const char *name, str list, const char *wanted)
{
    str schema = { 0 };
    str_printf(&schema, "{\"%s\": %s}", name, list.data);
    str out = type_of(schema.data);
    assert_string_equal(out.data, wanted);
    str_free(&list);
    str_free(&schema);
    str_free(&out);
}

TEST(what_is_too_long_to_be_told_is_wider)
{
    static const char text[] = "\"@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@\"";
    expect_of_list("anyOf", list_of(200, "{\"const\": \"c@\"}"), "Any");
    expect_of_list("type", list_of(1000, "\"string\""), "Any");
    expect_of_list("enum", list_of(40, text), "Any");
}

TEST(a_number_that_python_does_not_read_is_no_choice)
{
    str schema = { 0 };
    str_add(&schema, "{\"type\": \"integer\", \"enum\": [1");
    for (int i = 0; i < 1000; i++)
        str_add(&schema, "0");
    str_add(&schema, "]}");
    str out = type_of(schema.data);
    assert_string_equal(out.data, "int");
    str_free(&schema);
    str_free(&out);
}

/* An object of eight members, each with what is inside. */
static void wrap(str *schema)
{
    str outer = { 0 };
    str_add(&outer, "{\"type\": \"object\", \"properties\": {");
    for (int i = 0; i < 8; i++)
        str_printf(&outer, "%s\"member%d\": %s", i > 0 ? ", " : "", i, schema->data);
    str_add(&outer, "}}");
    str_free(schema);
    *schema = outer;
}

TEST(a_long_shape_ends_in_any)
{
    str schema = { 0 };
    str_add(&schema, "{}");
    for (int i = 0; i < 4; i++)
        wrap(&schema);
    str out = shape_of(schema.data);
    assert_in_range(out.len, 1500, 2500);
    assert_non_null(strstr(out.data, "\"member7\"?: Any"));
    str_free(&schema);
    str_free(&out);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
