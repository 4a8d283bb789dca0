#!/usr/bin/env python3
"""A plain code agent, as tutorials of LangGraph build it: generate -> check -> execute -> evaluate,
and back to generate while there are retries left.

usage: graph_loop.py --model NAME [--max-retries 3] [--timeout 30] [--lenient] QUESTION...

The graph is a state, nodes that return what they change of it, and edges, some of which ask a
function where to go: what StateGraph does, in thirty lines, so that nothing has to be installed.
The model is asked by OPENAI_BASE_URL and OPENAI_API_KEY for chat completions. All questions are one
conversation. A line of JSON is printed for each: succeeded, answer, attempts.

A verdict is YES where the reply begins with it. --lenient takes a YES anywhere in a reply without NO.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request

END = "end"
MAX_CODE_LINES = 100
FORBIDDEN_PATTERNS = [r"\bos\.system\b", r"\bos\.popen\b", r"\bsubprocess\b", r"\bshutil\.rmtree\b",
                      r"\bos\.remove\b", r"\beval\(", r"\bexec\(", r"\b__import__\b"]

SYSTEM_PROMPT = """You are a Python expert. Write Python code that does what the user asks for.

Rules:
- Return ONLY executable Python code: no explanations, no markdown.
- Use print() to show the result.
- Include all imports that are needed.
- Use only the standard library."""

RETRY_PROMPT = """Your previous code failed. Attempt {attempt} of {max_retries}.

Previous code:
{code}

Error:
{error}

Fix the code. Return ONLY the corrected Python code."""

EVALUATION_PROMPT = """A user asked for this:
{question}

The code that was written for it gave this output:
```
{output}
```

Does the output answer what the user asked for? Reply with YES if it does, or with
NO: <reason> if it does not."""


class Graph:
    def __init__(self):
        self.nodes, self.edges = {}, {}

    def add_node(self, name, function):
        self.nodes[name] = function

    def add_edge(self, name, following):
        self.edges[name] = lambda state: following

    def add_conditional_edges(self, name, route):
        self.edges[name] = route

    def invoke(self, name, state):
        while name != END:
            changed = self.nodes[name](state)
            messages = state["messages"] + changed.pop("messages", [])  # they are only ever added
            state = {**state, **changed, "messages": messages}
            name = self.edges[name](state)
        return state


def said(role, text):
    return {"role": role, "content": text}


def ask_model(model, messages):
    body = json.dumps({"model": model, "messages": messages, "temperature": 0}).encode()
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + "/chat/completions", body,
        {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]})
    with urllib.request.urlopen(request, timeout=120) as reply:
        return json.load(reply)["choices"][0]["message"]["content"]


def strip_fences(text):
    """The first block, where there is one; else the text without fences at its ends."""
    block = re.search(r"```\w*[ \t]*\n(.*?)```", text, re.DOTALL)
    if block:
        return block[1].strip()
    text = re.sub(r"\A\s*```\w*[ \t]*\n", "", text)
    return re.sub(r"```\s*\Z", "", text).strip()


# ---- nodes -------------------------------------------------------------------------------


def generate(state):
    asked = []
    if state["retry_count"] > 0:
        asked = [said("user", RETRY_PROMPT.format(
            attempt=state["retry_count"] + 1, max_retries=state["max_retries"], code=state["code"],
            error=state["error"]))]
    reply = ask_model(state["model"], [said("system", SYSTEM_PROMPT), *state["messages"], *asked])
    return {"code": strip_fences(reply), "messages": [*asked, said("assistant", reply)]}


def check(state):
    """What the code must not have; it is told to the model as an error is."""
    code = state["code"]
    found = [pattern for pattern in FORBIDDEN_PATTERNS if re.search(pattern, code)]
    lines = len(code.splitlines())
    if found:
        error = "The code has a forbidden pattern: " + ", ".join(found)
    elif lines > MAX_CODE_LINES:
        error = f"The code has {lines} lines; at most {MAX_CODE_LINES} are allowed."
    else:
        return {"is_safe": True}
    return {"is_safe": False, "succeeded": False, "error": error,
            "retry_count": state["retry_count"] + 1}


def execute(state):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(state["code"])
        try:
            ended = subprocess.run([sys.executable, path], capture_output=True, text=True,
                                   stdin=subprocess.DEVNULL, timeout=state["timeout"])
        except subprocess.TimeoutExpired:
            return {"succeeded": False, "output": "",
                    "error": f"Code timed out after {state['timeout']} seconds"}
    if ended.returncode != 0:
        return {"succeeded": False, "output": ended.stdout, "error": ended.stderr.strip()}
    return {"succeeded": True, "output": ended.stdout.strip() or "(No output)", "error": ""}


def is_yes(verdict, is_lenient):
    if is_lenient:
        return bool(re.search(r"\bYES\b", verdict) and not re.search(r"\bNO\b", verdict))
    return verdict.upper().startswith("YES")


def evaluate(state):
    if not state["succeeded"]:
        return {"retry_count": state["retry_count"] + 1}
    prompt = EVALUATION_PROMPT.format(question=state["question"], output=state["output"])
    verdict = ask_model(state["model"], [said("user", prompt)]).strip()
    if is_yes(verdict, state["is_lenient"]):
        return {"messages": [said("assistant", "Result: " + state["output"])]}
    return {"succeeded": False, "retry_count": state["retry_count"] + 1,
            "error": f"The code ran, but its output is wrong.\nOutput: {state['output']}\n"
                     f"Evaluation: {verdict}"}


# ---- edges -------------------------------------------------------------------------------


def after_check(state):
    return "execute" if state["is_safe"] else should_retry(state)


def should_retry(state):
    if state["succeeded"] or state["retry_count"] >= state["max_retries"]:
        return END
    return "generate"


def build():
    graph = Graph()
    for node in generate, check, execute, evaluate:
        graph.add_node(node.__name__, node)
    graph.add_edge("generate", "check")
    graph.add_conditional_edges("check", after_check)
    graph.add_edge("execute", "evaluate")
    graph.add_conditional_edges("evaluate", should_retry)
    return graph


def main():
    parser = argparse.ArgumentParser(description="A plain code agent, for benchmarks/agent_tasks.py.")
    parser.add_argument("--model", required=True)
    parser.add_argument("--max-retries", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=30)
    parser.add_argument("--lenient", action="store_true")
    parser.add_argument("questions", nargs="+", metavar="QUESTION")
    options = parser.parse_args()
    graph, messages = build(), []
    for question in options.questions:
        state = graph.invoke("generate", {
            "model": options.model, "timeout": options.timeout, "max_retries": options.max_retries,
            "is_lenient": options.lenient, "question": question, "messages": [*messages, said("user", question)],
            "code": "", "output": "", "error": "", "is_safe": False, "succeeded": False,
            "retry_count": 0})
        messages = state["messages"]
        attempts = state["retry_count"] + state["succeeded"]
        print(json.dumps({"succeeded": state["succeeded"], "attempts": attempts,
                          "answer": state["output"] if state["succeeded"] else None,
                          "error": state["error"] or None}), flush=True)


if __name__ == "__main__":
    main()
