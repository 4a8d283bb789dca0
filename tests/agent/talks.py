"""The part `talk` of a scenario: every request that a model was sent, compared message by message.

    -- talk
    O1 = 5040
    H1: history Q1 P1b O1
    1: system python | user Q1
    2: all 1 | assistant P1 | user repair 2/3 NameError
    3: system python | user H1 Q2
    4: talk 3 | assistant P2 | user evaluate Q2

A line `N: ...` is the Nth request: its messages, each with its role and the marks that are in its text, in their
order and as often as they are there. Marks that are not listed are not there. A mark is

- a word of a capital letter, a digit and perhaps a small letter: Q1, P1b. Each question, reply and reason of the
  talk has one of its own in its text.
- a word of MARKS below, which stands for what templates begin with or say, for a call or for a picture; and what
  COUNTS makes: 2/3 is "The next one is attempt 2 of 3", 11_left is "Cells left: 11".
- the name of an exception that ends in Error or Exit, where the role is neither system nor assistant.
- what a line `NAME = TEXT` gives a name.

A mark with `+` behind it may come several times in a row, and one with `?` need not come; they are for places where
what comes is known not to be what should come. A line `NAME: MARKS` is a shorthand for these. `all N` are the
messages of the Nth request again, without a byte changed; `talk N` is the same without the message of the system.
The result of a call has the role `tool` in both dialects.
"""
import json
import re

ROLES = {"system", "user", "assistant", "tool"}
# Of the templates of docs/agent-prompts.md, most under their names.
MARKS = {
    "python": r"You answer questions by writing Python",
    "bash": r"You answer questions by writing bash",
    "act": r"You solve a task in small steps by running Python",
    "act_bash": r"You solve a task in small steps by running bash",
    "history": r"The conversation so far:",
    "summary": r"Summary of what came before:",
    "material": r"<material>",
    "data": r"Data given with the question:",
    "names": r"Variables that exist in the session(?: now)?:",
    "files": r"Files in the work directory:",
    "repair": r"Your program failed\.",
    "changed": r"already changed the following|Changed: (?=names|files|calls)",
    "findings": r"Your program was refused before it ran\.",
    "no_code": r"Your reply holds no (?:Python|bash) program\.",
    "evaluate": r"Judge whether ",
    "evaluate_again": r"Your judgement could not be read\.",
    "reply": r"Answer the question from the output of the last program",
    "reply_again": r"Your answer has numbers that are neither",
    "plan": r"Plan how to answer the question",
    "plan_again": r"There is no plan in your reply\.|Your plan has more than ",
    "step": r"Write the program for this step only:",
    "this": r"\(this step\)",
    "done": r"\(done\)",
    "gave": r"The cell gave:|Before that it gave:",
    "failed": r"The cell failed",
    "refused": r"The cell was refused",
    "answer_now": r"There are no cells left\. Answer",
    "unknown_tool": r"There is no tool of that name\.",
    "explain": r"Explain a Python program",
    "checks": r"these must hold:|These checks passed:",
    "left_out": r"The block [\w ]+ was not run",
    "summarise": r"Summarise this part of a conversation",
    "repeats": r"\d+ times in a row|has been run \d+ times",
    "call": r'"type": "(?:function|tool_use)"',
    "image": r'"type": "image(?:_url)?"',
    "cut": r"(?:is|are) left out here",
    "no_answer": r"No answer: ",
    "option": r"--max-\w+|--reply-tokens|--timeout",
    "picture": r"[Pp]ictures? came with this question",
    "renewed": r"The session was lost and is new",
}
WORD = r"(?<!\w)[A-Z]\d[a-z]?(?!\w)"
# Chosen at random, so that its end may look like a word.
ID = r'(?<="id": ")[^"]*(?=")|(?<=_id": ")[^"]*(?=")'
# How it is written, by what stands there.
COUNTS = {"{}/{}": r"The next one is attempt (\d+) of (\d+)", "{}_left": r"Cells left: (\d+)"}
ERROR = r"(?<!\w)[A-Z]\w*(?:Error|Exit)(?!\w)"


def words_of(text):
    return set(re.findall(WORD, text))


class Talk:
    """The lines of a part. Raises ValueError where they are not right."""

    def __init__(self, lines):
        self.texts, self.rows, short = {}, [], {}
        for line in filter(None, (line.strip() for line in lines)):
            if found := re.fullmatch(r"([A-Za-z]\w*) = (.+)", line):
                self.texts[found[1]] = found[2]
            elif found := re.fullmatch(r"([A-Za-z]\w*): (.+)", line):
                short[found[1]] = [word for mark in found[2].split() for word in short.get(mark, [mark])]
            elif found := re.fullmatch(r"(\d+): (.+)", line):
                self.add_row(int(found[1]), found[2], short)
            else:
                raise ValueError("not a line of a talk: " + line)

    def add_row(self, number, text, short):
        if number != len(self.rows) + 1:
            raise ValueError(f"request {len(self.rows) + 1} is missing before {number}")
        row = []
        for message in text.split(" | "):
            role, *marks = message.split()
            if role in ("all", "talk"):
                row += self.again(role, int(marks[0]))
            elif role in ROLES:
                row.append((role, [word for mark in marks for word in short.get(mark, [mark])], None))
            else:
                raise ValueError("not a role: " + role)
        self.rows.append(row)

    def again(self, which, number):
        """The messages of an earlier request, each with where it was."""
        if not 0 < number <= len(self.rows):
            raise ValueError(f"there is no request {number} before this one")
        return [(role, marks, (number - 1, index))
                for index, (role, marks, _) in enumerate(self.rows[number - 1])
                if which == "all" or role != "system"]

    def words(self):
        """The marks that are listed anywhere."""
        return {mark.rstrip("+?") for row in self.rows for _, marks, _ in row for mark in marks}

    def marks_in(self, role, text):
        known = {f"t{index}": text for index, text in enumerate(self.texts.values())}
        names = dict(zip(known, self.texts))
        patterns = [f"(?P<{group}>{bounded(text)})" for group, text in known.items()]
        patterns += [f"(?P<{name}>{pattern})" for name, pattern in MARKS.items()]
        patterns += [f"(?P<COUNT>{'|'.join(COUNTS.values())})", f"(?P<WORD>{WORD})"]
        if role not in ("system", "assistant"):
            patterns.append(f"(?P<ERROR>{ERROR})")
        found = []
        for match in re.finditer("|".join(patterns), re.sub(ID, "", text)):
            group = next(name for name, value in match.groupdict().items() if value)
            if group == "COUNT":
                form = next(form for form, pattern in COUNTS.items() if re.match(pattern, match[0]))
                found.append(form.format(*re.findall(r"\d+", match[0])))
            else:
                found.append(match[0] if group in ("WORD", "ERROR") else names.get(group, group))
        return found

    def compare(self, requests):
        """None, or a sentence of what is not as it should be."""
        told = [[(role, self.marks_in(role, text), text) for role, text in messages_of(request)]
                for request in requests]
        for number, (row, messages) in enumerate(zip(self.rows, told), 1):
            for index, ((role, marks, before), (was, found, text)) in enumerate(zip(row, messages), 1):
                where = f"request {number}, message {index}: "
                if role != was or not are_listed(found, marks):
                    return f"{where}{was} {' '.join(found)}\n{shown(told, number)}\n{text}"
                if before and text != told[before[0]][before[1]][2]:
                    return f"{where}not what it was in request {before[0] + 1}: {text}"
            if len(row) != len(messages):
                return f"request {number} has {len(messages)} messages\n{shown(told, number)}"
        if len(self.rows) != len(requests):
            return f"{len(requests)} requests came\n{shown(told, len(told))}"
        return None


def are_listed(found, marks):
    pattern = "".join(f"(?:{re.escape(mark.rstrip('+?'))} ){mark[len(mark.rstrip('+?')):]}" for mark in marks)
    return re.fullmatch(pattern, "".join(mark + " " for mark in found))


def bounded(text):
    """A pattern for the text where it is no part of a longer word or number."""
    before = r"(?<![\w.])" if re.match(r"\w", text) else ""
    after = r"(?!\w|\.\d)" if re.search(r"\w$", text) else ""
    return before + re.escape(text) + after


def shown(told, number):
    """All requests as lines of a talk, and which of them it is about."""
    rows = (" | ".join(" ".join([role, *found]) for role, found, _ in messages) for messages in told)
    return "\n".join(f"    {'>' if index == number else ' '}{index}: {row}" for index, row in enumerate(rows, 1))


# ---- messages of both dialects -----------------------------------------------------------


def text_of(content):
    """What is no text, a call or a picture, is shown as JSON; pictures come first."""
    if isinstance(content, str):
        return content
    blocks = sorted(content or [], key=lambda block: "image" not in block.get("type", ""))
    return "\n".join(block["text"] if block.get("type") == "text" else json.dumps(block, ensure_ascii=False)
                     for block in blocks)


def messages_of(request):
    """[(role, text)]"""
    system = request.get("system")
    messages = [("system", text_of(system))] if system else []
    for one in request["messages"]:
        content = one.get("content")
        blocks = content if isinstance(content, list) else []
        results = [block for block in blocks if block.get("type") == "tool_result"]
        messages += [("tool", text_of(block["content"])) for block in results]
        if not results:
            calls = "\n".join(json.dumps(call, ensure_ascii=False) for call in one.get("tool_calls") or [])
            messages.append((one["role"], text_of(content) + calls))
        elif len(results) < len(blocks):
            messages.append((one["role"], text_of([block for block in blocks if block not in results])))
    return messages
