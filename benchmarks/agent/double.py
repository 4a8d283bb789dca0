"""The double of a weak model, over HTTP: what it says depends on the task, on what it has said of it
before, and on what a request contains. It never looks at who asks.

A request's last message says what is wanted: a verdict as JSON, a verdict as YES or NO, an answer in
words, or a program. Of a question it says the first reply of its list. It goes on to the next one
when it has said the last one as often as the list wants, and the request has
- the question itself; in a conversation also the one before it, or its program,
- the program that failed, or the words that were none,
- the error: what that reply's pattern finds,
- the facts that the reply `needs`.
Else it says the same once more, as a model does that was not told what was wrong.
"""
import json
import re
import threading

from . import answers

# ---- the ways in which a program is wrapped ------------------------------------------------

FENCE = "```python\n{}\n```"


def transcript(text):
    lines = text.splitlines()
    return "\n".join((">>> " if line and not line[0].isspace() and not line.startswith(")") else "... ") + line
                     for line in lines if line)


def two_fences(text):
    return "First the function:\n\n{}\n\nThen its use:\n\n{}".format(
        *(FENCE.format(part.strip()) for part in text.split("# --")))


FORMS = {
    "fence": FENCE.format,
    "bare": str,
    "prose around fence": lambda text: f"Sure! Here is a program for that:\n\n{FENCE.format(text)}\n\n"
    "It goes through all cases and prints the result. Let me know if you need anything else!",
    "prose before fence": lambda text: f"Certainly. The following program does it:\n\n{FENCE.format(text)}",
    "prose before, no fence": lambda text: f"Here is the program that you asked for:\n\n{text}",
    "no fence, prose after": lambda text: f"{text}\n\nThis program reads the file and counts the vowels in it.",
    "prose, fence not closed": lambda text: f"Here is the program:\n\n```python\n{text}",
    "tildes": "~~~python\n{}\n~~~".format,
    "tags": "<code>\n{}\n</code>".format,
    "json": lambda text: json.dumps({"language": "python", "code": text}),
    "transcript": transcript,
    "install first": lambda text: "Install what is needed:\n\n```bash\npip install more-itertools\n```\n\n"
    f"Then run this:\n\n{FENCE.format(text)}",
    "two fences": two_fences,
    "typographic quotes": lambda text: FENCE.format(re.sub('"([^"]*)"', "“\\1”", text)),
}

THINKING = ("Let me think about this step by step before I write the program. What is given has to be read "
            "first, and each case has to be looked at on its own, so that none is counted twice. ")


def think(characters, mark=""):
    """Thinking aloud of that length, each line behind a mark."""
    width = 100 - len(mark)
    text = THINKING * (characters // len(THINKING) + 2)
    lines = [mark + text[at:at + width] for at in range(0, characters, width)]
    return "\n".join(lines)[:characters - 1] + "\n"


def wrap(said, server):
    """The whole text of a reply."""
    if "words" in said:
        return said["words"]
    text = FORMS[said["form"]](said["program"])
    if said.get("before"):
        return think(4 * said["before"]) + "\n" + text
    if "#cut\n" in text:  # as many comments before it as make the server's bound fall there
        at = text.index("#cut\n")
        head, fence = text[:at], FENCE.partition("{}")[0]
        padding = think(4 * server["default"] - len(head), "# ")
        return fence + padding + head[len(fence):] + text[at + len("#cut\n"):]
    return text


# ---- what a request contains -----------------------------------------------------------------


def plain(text):
    return " ".join(text.split())


def text_of(message):
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


class Request:
    def __init__(self, body):
        texts = [text_of(message) for message in body["messages"]]
        self.text, self.last = "\n".join(texts), texts[-1]
        self.flat = plain(self.text)
        self.characters = sum(map(len, texts))
        self.most = body.get("max_completion_tokens") or body.get("max_tokens")

    def has(self, text):
        return plain(text) in self.flat

    @property
    def wants(self):
        if '"verdict"' in self.last:
            return "verdict"
        if re.search(r"\bYES\b", self.last) and re.search(r"\bNO\b", self.last):
            return "yes or no"
        if "Write the answer" in self.last:
            return "answer"
        return "program"

    @property
    def output(self):
        """What a program gave, or an answer in words, as it is quoted last."""
        found = re.findall(r"(?:[Oo]utput[^\n]*|Answer):\s*\n+```\w*\n(.*?)\n```", self.text, re.DOTALL)
        return found[-1] if found else ""


FACTS = {
    "columns": "the names of all columns of the task's files",
    "told that it repeats": "words that say that the same error came again, or ask for another way",
    "answer offered": "the offer to answer in words behind ANSWER:",
    "names promised": "words that say that variables of earlier programs still exist",
}


def columns_of(task):
    return [name for text in task["files"].values() for name in text.split("\n")[0].split(",")]


def fact(name, request, task):
    if name.startswith(("answer not", "names not")):
        return not fact(name.replace(" not", "", 1), request, task)
    if name == "columns":
        return all(re.search(rf"\b{re.escape(column)}\b", request.text) for column in columns_of(task))
    if name == "told that it repeats":
        return bool(re.search(r"times in a row|same error|again the same|different (way|approach)", request.text))
    if name == "answer offered":
        return "ANSWER:" in request.text
    assert name == "names promised", name
    return bool(re.search(r"session lives on|variables .{0,40}still exist|Variables that exist", request.text))


# ---- verdicts --------------------------------------------------------------------------------

JUDGES = {
    "honest": "passes what is right, and fails what is wrong with a reason that helps",
    "sees programs only": "honest where the request has the program, and passes anything where it has not: the "
    "output alone looks plausible",
    "passes all": "passes a wrong output",
    "wants a unit": "fails a right output for want of its unit",
    "fails all": "fails a right output again and again",
    "says no verdict": "comments on the output, and gives a verdict only when it hears that none could be read",
    "decorates": "honest, with a greeting and a fence around JSON, and with asterisks around YES",
    "mistypes the answer": "passes, and swaps two digits where it words the answer; corrects itself when told",
    "cannot tell": "says that it is unsure of a right output",
    "needs the talk": "honest where the request has the question before; else it fails what it cannot understand",
}


def decide(task, at, said, request):
    """(verdict, reason); None: neither."""
    question = task["questions"][at]
    judge, _, unit = question["judge"].partition(": ")
    honest = ("fail", question.get("why", "That is not what was asked for."))
    if answers.is_right(task, at, request.output):
        honest = ("pass", "The output answers the question.")
    if judge == "sees programs only" and not request.has(said):
        return "pass", "That looks plausible."
    if judge == "passes all":
        return "pass", "That looks plausible."
    if judge == "wants a unit" and unit not in request.output:
        return "fail", f"It must state the unit, {unit}."
    if judge == "fails all":
        return "fail", "The number does not look like what I would expect."
    if judge == "says no verdict" and "could not be read" not in request.last:
        return None
    if judge == "cannot tell":
        return "unsure", "I cannot check that."
    if judge == "needs the talk" and not request.has(task["questions"][at - 1]["ask"]):
        return "fail", "It is not clear which number is meant."
    return honest


COMMENT = ("The program goes through the data once and prints a number. Means of this kind are common where "
           "things come in different quantities.")


def word_answer(output):
    return "The answer is: " + "; ".join(line.strip() for line in output.splitlines() if line.strip())


def swap_digits(text):
    return re.sub(r"(\d)(\d)(\d)\b", r"\1\3\2", text)


def say_verdict(task, at, said, request):
    decided = decide(task, at, said, request)
    judge = task["questions"][at]["judge"]
    if not decided:
        return COMMENT
    verdict, reason = decided
    if request.wants == "yes or no":
        text = {"pass": "YES", "fail": f"NO: {reason}", "unsure": f"I am not sure. {reason}"}[verdict]
        return f"**{text}** - {reason}" if judge == "decorates" else text
    answer = word_answer(request.output) if verdict == "pass" else ""
    if judge == "mistypes the answer":
        answer = swap_digits(answer)
    text = json.dumps({"verdict": verdict, "reason": reason, "answer": answer})
    if judge == "decorates":
        return f"Here is my evaluation:\n\n```json\n{text}\n```\n\nI hope this helps!"
    return text


# ---- the double ------------------------------------------------------------------------------

ANALYSIS = {"root_cause": "The program did not do what it should.", "severity": "medium",
            "scope": "the whole program", "recommendations": ["correct it"]}


KINDS = ["first program", "further program", "verdict", "answer"]


class Talk:
    """What the double has said to one loop, of one task."""

    def __init__(self, task):
        self.task, self.at = task, 0
        self.reply, self.times = 0, 0  # the one that it said last, and how often
        self.said = self.part = self.before = ""  # its program; the end of its text; that before
        self.is_further = False
        self.used = {kind: [0, 0, 0] for kind in KINDS}  # requests, characters of them and of replies

    def program(self, request):
        """The text of a reply, from the list of the question."""
        questions = self.task["questions"]
        asked = [at for at, one in enumerate(questions) if request.has(one["ask"])]
        if not asked:
            return "What should the program do?"
        if asked[-1] > self.at:
            self.at, self.reply, self.times, self.is_further = asked[-1], 0, 0, False
            self.before, self.said = self.said, ""
        if self.at > 0 and not (request.has(questions[self.at - 1]["ask"]) or request.has(self.before)):
            return "What do you refer to?"
        says = questions[self.at]["says"]
        if self.times and self.may_go_on(says[self.reply], request):
            self.reply, self.times = self.reply + 1, 0
        while "unless" in says[self.reply] and all(self.facts(says[self.reply]["unless"], request)):
            self.reply, self.times = self.reply + 1, 0
        self.times += 1
        self.said = says[self.reply].get("program", "").replace("#cut\n", "") or says[self.reply]["words"]
        text = wrap(says[self.reply], self.task["server"])
        if "root_cause" in request.last and "program" in says[self.reply]:
            return f"```json\n{json.dumps(ANALYSIS)}\n```\n{text}"
        return text

    def facts(self, names, request):
        return [fact(name, request, self.task) for name in names]

    def may_go_on(self, said, request):
        is_last = said is self.task["questions"][self.at]["says"][-1]
        return (not is_last and self.times >= said.get("times", 1) and self.has_reply(request)
                and re.search(said.get("error", "."), request.text)
                and all(self.facts(said.get("needs", []), request)))

    def has_reply(self, request):
        """Its own program, or the part of it that came."""
        lines = [line for line in self.said.split("\n# --\n")[0].split("\n") if line.strip()]
        return request.has(lines[0]) or request.has(lines[0].replace('"', '\\"')) or request.has(self.part)

    def answer(self, body):
        request = Request(body)
        kind = wants = request.wants
        if wants == "program":
            text = self.program(request)
            kind = "further program" if self.is_further else "first program"
            self.is_further = True
        elif wants == "answer":
            text = word_answer(request.output)
        else:
            text, kind = say_verdict(self.task, self.at, self.said, request), "verdict"
        server = self.task["server"]
        bounds = [request.most or server.get("default"), server.get("most")]
        most = 4 * min(filter(None, bounds), default=1 << 20)
        is_cut = len(text) > most
        text = text[:most]
        if wants == "program":
            self.part = text[-60:]
        used = (1, request.characters, len(text))
        self.used[kind] = [before + more for before, more in zip(self.used[kind], used)]
        return {"content": text, **({"reason": "length"} if is_cut else {}),
                "usage": {"input": request.characters // 4, "output": len(text) // 4}}


class Double:
    """answer is for Endpoint of tests/agent/endpoint.py; a model's name is that of a talk."""

    def __init__(self):
        self.talks, self.lock = {}, threading.Lock()

    def begin(self, model, task):
        self.talks[model] = Talk(task)
        return self.talks[model]

    def answer(self, body, _):
        with self.lock:
            return self.talks[body["model"]].answer(body)
