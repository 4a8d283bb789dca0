"""Reads .ask files: scenarios of `snug ask` as data.

    # a comment, before the first scenario
    == a sentence that says what is tested
    -- ask What is six times seven?
    -- code
    print(6 * 7)
    -- pass It is 42.
    -- answer It is 42.

A scenario is what stands from one `==` to the next. A line `-- word` begins a part; its text is
behind the word or on the lines below it. A line of text that begins with `-- ` or `== ` is
written with a backslash before it.

What is asked
    ask TEXT           a question; may be repeated
    options WORDS      of snug ask; here and in files $MODEL is the model's name, $ESC an
                       escape character, $CSI U+009B, $FF the byte FF
    file NAME          a file of the folder that the program runs in
    stdin              what comes there, in the place of the questions
    environment N=V    a variable
    run WORDS          of another command than `ask`, in the place of questions and options
    interrupt EVENT    SIGINT at the first event of that name
    kill EVENT         SIGKILL
    then               the next command begins, in the same folder and with the same state; what
                       is asked and what must come of it is each command's own
    embed TEXT VECTOR  what the model $MODEL-embed makes of a text that has this one
    needs LIBRARY      without which the scenario is left out; A or B where it has two numbers
    only WORDS: WHY    of openai, anthropic, stream, whole
    own WHY            asks tests/agent/endpoint.py, because aimock cannot do it

What the model says, one part a request, in this order
    reply [JSON]       the text; JSON has the fields of an aimock fixture's response, and
                       "fixture": those of the fixture; for endpoint.py see there
    code [JSON]        the same, in a fence for Python
    pass ANSWER        the judgement, with an answer that may be empty
    fail REASON

What must come of it: an answer and exit status 0, unless a status is named; as many requests as
there are replies; and what these parts say. `of N` makes those below it hold for the reply to
the Nth question of the command. Requests are counted through all commands.
    status, answer, attempts, requests, exit, verdict
    answer-has, error-has, output-has, stdout-has, stderr-has, stdout-lacks, stderr-lacks TEXT
    classes, categories WORDS     of the attempts, "-" where one did not fail
    unsupported WORDS
    events WORDS                  in this order, others may be between them
    prompt N TEXT, no-prompt N TEXT   the Nth request has, or lacks, this text
    last N TEXT, not-last N TEXT      likewise the last message of it
    messages N                    the Nth request has these messages and no others; a line each: its
                                  role, and what its text has, or behind "!" has not, with " | "
                                  between
    talk                          all requests of the scenario, and no others; a line each: the role of
                                  each message, and all marks in its text, with " | " between, as in
                                  "2: all 1 | assistant P1 | user repair KeyError"; see talks.py
    headings WORDS, WORDS         of the report, all of them
    within SECONDS                the program took less, on a machine that is quiet (pace.py)
    check EXPRESSION              of Python; r: the reply, e: the events,
                                  q: the bodies of the requests
"""
import talks

ASKED = {"ask", "options", "file", "stdin", "environment", "interrupt", "only", "own",
         "run", "kill", "then", "embed", "needs"}
SAID = {"reply", "code", "pass", "fail"}
MUST = {"of", "status", "answer", "attempts", "requests", "exit", "verdict", "answer-has",
        "error-has", "output-has", "stdout-has", "stderr-has", "stdout-lacks", "stderr-lacks",
        "classes", "categories", "unsupported", "events", "prompt", "no-prompt", "within",
        "check", "last", "not-last", "headings", "messages", "talk"}
# Words whose text is on the lines below; what is behind the word says more.
LONG = {"file", "stdin", "reply", "code", "messages", "talk"}


class Malformed(Exception):
    pass


class Part:
    def __init__(self, word, rest, where):
        self.word, self.rest, self.where = word, rest, where
        self.lines = []

    @property
    def text(self):
        below = "\n".join(self.lines).strip("\n")
        if self.word in LONG:
            return below
        return self.rest if not below else self.rest + "\n" + below if self.rest else below


class Parts:
    def __init__(self, parts):
        self.parts = parts

    def all(self, *words):
        return [part for part in self.parts if part.word in words]

    def first(self, word):
        return next(iter(self.all(word)), None)

    @property
    def demands(self):
        return [part for part in self.parts if part.word in MUST]

    @property
    def asks(self):
        return self.all("ask", "stdin", "run") or any("--code" in part.text for part in self.all("options"))


class Scenario(Parts):
    def __init__(self, title, where):
        super().__init__([])
        self.title, self.where = title, where

    @property
    def replies(self):
        return [part for part in self.parts if part.word in SAID]

    @property
    def steps(self):
        """The parts of each command."""
        steps = [[]]
        for part in self.parts:
            if part.word == "then":
                steps.append([])
            steps[-1].append(part)
        return [Parts(step) for step in steps]


def read(path):
    scenarios, part = [], None
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        where = f"{path.name}:{number}"
        if line.startswith("== "):
            scenarios.append(Scenario(line[3:].strip(), where))
            part = None
        elif not scenarios:
            if line and not line.startswith("#"):
                raise Malformed(f"{where}: text before the first scenario")
        elif line.startswith("-- "):
            word, _, rest = line[3:].strip().partition(" ")
            if word not in ASKED | SAID | MUST:
                raise Malformed(f"{where}: unknown word: {word}")
            part = Part(word, rest.strip(), where)
            scenarios[-1].parts.append(part)
        elif part:
            part.lines.append(line[1:] if line.startswith(("\\-- ", "\\== ")) else line)
        elif line:
            raise Malformed(f"{where}: text before the first part")
    for scenario in scenarios:
        if not all(step.asks for step in scenario.steps) or not scenario.demands:
            raise Malformed(f"{scenario.where}: nothing is asked, or nothing must come of it")
        check_talk(scenario)
    return scenarios


def check_talk(scenario):
    """Each question, reply and reason has a mark that is in no part before it, and each question is in a line."""
    if not (part := scenario.first("talk")):
        return
    try:
        listed = talks.Talk(part.lines).words()
    except ValueError as error:
        raise Malformed(f"{part.where}: {error}") from None
    known = set()
    for part in scenario.all("ask", "stdin", *SAID):
        text = part.text or (part.rest if "toolCalls" in part.rest else "")
        marks = talks.words_of(text)
        if text and not marks - known:
            raise Malformed(f"{part.where}: no mark of its own for the talk")
        if part.word in ("ask", "stdin") and not marks & listed:
            raise Malformed(f"{part.where}: the talk does not have it")
        known |= marks
