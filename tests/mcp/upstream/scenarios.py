"""What servers that misbehave do to the cells that call them: bad_server.py through snug, each with what has to come of it.

A row is a sentence, a program of which `bad` is the server, and either what it answers or how it fails. Afterwards the
same session, another server and, where `is_lost` does not say otherwise, the bad server itself have to go on.
"""
import collections

Scenario = collections.namedtuple("Scenario", "says program answer error is_lost waits", defaults=(None, None, None, False))
MIB = 1 << 20


def answers(says, program, answer):
    return Scenario(says, program, answer=answer)


def fails(says, program, message, name="ToolError", is_lost=None, waits=False):
    """is_lost: what calls that come later are told, where the server is gone."""
    return Scenario(says, program, error=(name, message), is_lost=is_lost, waits=waits)


def waits(says, tool):
    """Its call ends by --tool-timeout."""
    return fails(says, f"bad.{tool}()", f"{{server}}.{tool}() took longer than its limit of {{timeout}}", "ToolTimeout", waits=True)


NO_MESSAGE = "the MCP server wrote a line that is not JSON-RPC"
NO_RESULT = "the MCP server answered without a result"

CALLS = [
    # ---- it says nothing, or says it slowly ----
    waits("a call that is never answered ends by its time limit", "hang"),
    # What comes of the next one stands in the midst of it.
    waits("an answer without an end ends by the time limit of its call", "drip_for_ever")._replace(is_lost=NO_MESSAGE),
    waits("a server that sends notifications without end costs the call that it does not answer", "flood_for_ever"),
    answers("an answer that comes drop by drop is read whole", "bad.drip()", "drop by drop"),

    # ---- it says too much ----
    answers("5 MB of notifications before an answer are passed over", "bad.flood_notifications()", "after 5 MB"),
    answers("5 MB on stderr hold nothing up", "bad.flood_stderr()", "after 5 MB"),
    answers("stderr without end holds nothing up", "bad.flood_stderr_for_ever()", "noisy"),
    answers("10,000 answers to calls that nobody made are passed over", "bad.flood_answers_to_nobody()", "mine"),
    answers("5,000 reports of progress that nobody asked for are passed over", "bad.flood_progress()", "done"),
    answers("an answer of 15 MiB comes whole", "a = bad.large(); [len(a), a == 'a' * len(a)]", [15 * MIB, True]),
    fails("an answer of 17 MiB is refused with its size", "bad.huge()",
          f"the answer of {{server}}.huge() has {17 * MIB + 2} bytes, more than 16 MiB"),
    fails("a line that has no end is not kept", "bad.endless_line()", "the MCP server {server} sent a message of more than 32 MiB"),
    answers("an error of a megabyte is an exception like others",
            "try: bad.long_error()\nexcept ToolError as e: n = len(str(e))\nn", 3 * 400_000 + 3),

    # ---- what it says is wrong ----
    answers("a line that is no JSON is passed over", "bad.not_json()", "behind a line"),
    fails("half an answer fails the call that waits", "bad.half_json()", NO_MESSAGE),
    fails("an answer that is not UTF-8 fails the call that waits", "bad.not_utf8()", NO_MESSAGE),
    fails("a NUL in an answer fails the call that waits", "bad.nul_in_line()", NO_MESSAGE),
    fails("a byte order mark is no JSON", "bad.byte_order_mark()", NO_MESSAGE),
    fails("JSON of 50,000 levels fails the call that waits", "bad.deep()", NO_MESSAGE),
    fails("an array of answers is not taken: the protocol has none any more", "bad.batch()", NO_MESSAGE),
    answers("an answer that leaves out the version of JSON-RPC is taken", "bad.no_version()", "without jsonrpc"),
    fails("an answer with neither result nor error is said to have none", "bad.answer_with_nothing()", NO_RESULT),
    answers("of a result and an error the result counts", "bad.answer_with_both()", "fine"),
    fails("a result that is text is none", "bad.result_is_text()", NO_RESULT),
    fails("a result that is null is none", "bad.result_is_null()", NO_RESULT),
    answers("a result without content is None", "[bad.result_is_empty()]", [None]),
    answers("content that is no list comes as it is", "bad.content_is_an_object()", {"type": "text", "text": "x"}),
    answers("a block whose text is a number comes as it is", "bad.text_is_a_number()", [{"type": "text", "text": 7}]),
    answers("a block without a type comes as it is", "bad.block_without_type()", [{"text": "x"}]),
    answers("structured content that its schema does not allow comes as it is", "bad.not_its_schema()", {"n": "seven", "more": [1]}),
    fails("an error without a word has some", "bad.fail_without_text()", "the tool failed"),
    fails("an error that is text has some words of ours", "bad.error_is_text()", "the MCP server answered with an error"),
    fails("an error without a message too", "bad.error_without_message()", "the MCP server answered with an error"),

    # ---- it answers somebody else ----
    answers("of two answers to one call the first counts, and the next call has its own",
            "[bad.answer_twice(), bad.echo(text='next')]", ["first", "next"]),
    waits("an id as text is nobody's", "id_is_text"),
    waits("an id as a float is nobody's", "id_is_a_float"),
    waits("an error for no id is nobody's", "id_is_null"),
    waits("the answer to a call that has not been made is nobody's", "id_of_the_next"),
    answers("six calls that are answered backwards have each its own answer",
            "import asyncio\nasync def call(n): return await asyncio.to_thread(bad.backwards, text=str(n))\n"
            "await asyncio.gather(*[call(n) for n in range(6)])", ["0", "1", "2", "3", "4", "5"]),
    fails("a call that was given up is not answered later", "bad.hang_and_answer_late()",
          "{server}.hang_and_answer_late() took longer than its limit of {timeout}", "ToolTimeout", waits=True),

    # ---- it asks ----
    answers("what a server asks the client is refused, except ping", "import json; json.loads(bad.ask_back())",
            [["ask-ping", "result"], ["ask-roots/list", -32601], ["ask-sampling/createMessage", -32601],
             ["ask-elicitation/create", -32601], ["ask-made/up", -32601]]),

    # ---- it goes ----
    fails("a server that dies says why, and is started again", "bad.die()", "the MCP server {server} has ended: out of disk"),
    fails("a server that is killed is told", "bad.die_by_signal()", "the MCP server {server} has ended"),
    fails("half an answer and the end are the end", "bad.die_in_an_answer()", "the MCP server {server} has ended"),
    answers("the answer of a server that dies at once counts",
            "a = bad.answer_and_die()\nwhile a:\n    try: bad.echo(text='x')\n    except ToolError: continue\n    break\na",
            "goodbye"),
    fails("a server that closes its output has ended", "bad.close_stdout()", "the MCP server {server} has ended"),
    fails("a process that a server leaves behind is not waited for", "bad.leave_a_child()",
          "{server}.leave_a_child() took longer than its limit of {timeout}", "ToolTimeout", waits=True)
    ._replace(is_lost="{server}.echo() took longer than its limit of {timeout}"),

    # ---- it changes ----
    fails("a tool that the server has taken away is an error of that server", "bad.change(); bad.goes()", "Unknown tool: goes"),
    answers("a thousand times that its tools have changed hold nothing up", "bad.change_all_the_time()", "changed"),
]

WEB_NO_MESSAGE = "the MCP server web: it answered with what is not JSON-RPC"
WEB_CLOSED = "the MCP server web: 127.0.0.1: the connection was closed without an answer"
CURL_SAYS = "the MCP server web: 127.0.0.1: ..."  # in words of libcurl's, which change

# Tools of raw_web.py, by HTTP. Each is called on a connection that has served a call before.
WEB = [
    answers("a reply that comes drop by drop is read whole", "web.drip()", "drop by drop"),
    answers("so is one in chunks of a byte", "web.chunks()", "in chunks"),
    answers("a charset and capitals in the type do no harm", "web.charset()", "h\u00e9"),
    answers("events have comments, ids, byte order marks and several lines of data", "web.lines_of_events()", "in lines"),
    answers("events of other kinds are passed over", "web.other_events()", "last"),
    answers("of two answers in a stream the first counts", "web.two_answers()", "first"),
    answers("what a stream asks does not keep its answer back", "web.asks()", "asked"),
    fails("a connection that is reset fails its call", "web.reset()", WEB_CLOSED),
    fails("one that is closed fails its call, which is not made again", "web.hang_up()", WEB_CLOSED),
    fails("half a reply fails its call", "web.cut()", CURL_SAYS),
    fails("another protocol fails its call", "web.no_http()", CURL_SAYS),
    fails("chunks that are none fail their call", "web.bad_chunk()", CURL_SAYS),
    fails("5 MB of headers are not kept", "web.many_headers()", "the MCP server web: 127.0.0.1: the headers of the reply have more than 64 KiB"),
    fails("nothing is no answer", "web.empty()", WEB_NO_MESSAGE),
    fails("no content is no answer", "web.no_content()", WEB_NO_MESSAGE),
    fails("accepted is no answer", "web.accepted()", WEB_NO_MESSAGE),
    fails("an array of answers is none", "web.array()", WEB_NO_MESSAGE),
    fails("a server that is silent costs the call its time", "web.silent()", "web.silent() took longer than its limit of {timeout}",
          "ToolTimeout"),
    fails("a stream without an end costs the call its time", "web.for_ever()", "web.for_ever() took longer than its limit of {timeout}",
          "ToolTimeout"),
]

# Words of bad_server.py, and what snug says and ends with, or what a program answers all the same.
STARTS = [
    ("a server that dies at once is told with its last words", "dies", "the MCP server bad has ended: no API key"),
    ("a server that floods before it is asked is told", "floods", "the MCP server bad sent a message of more than 32 MiB"),
    ("a server that refuses is told with its reason", "refuses", "the MCP server bad, initialize: no licence"),
    ("a server without a list of tools is told", "no-list", "the MCP server bad lists no tools"),
    ("a list that is text is told", "list-is-text", "the MCP server bad lists no tools"),
    ("a list that is refused is told with the reason", "list-error", "the MCP server bad, tools/list: the list is secret"),
]
