"""What lists of tools cost a model: of five MCP servers by themselves, and of snug mcp in front of them.

usage: SNUG=PROGRAM benchmarks/tool_tokens.py

Prints the bytes of the tools as tools/list has them, and a quarter of that, which is about the number of tokens. The
servers are installed by: npm ci --ignore-scripts --prefix benchmarks/npm/mcp
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent / "npm/mcp/node_modules/@modelcontextprotocol"
# name: the words behind the program
SERVERS = {"everything": ["stdio"], "filesystem": [tempfile.gettempdir()], "github": [], "memory": [], "sequential-thinking": []}
QUERY = "create an issue"
SHOWN = ("description", "inputSchema", "name")  # what clients hand on to a model


def ask(command, **more):
    """The tools of a server on stdio."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, **more) as server:
        def send(**message):
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            server.stdin.flush()

        def answer(number):
            for line in server.stdout:
                message = json.loads(line)
                if message.get("id") == number and "method" not in message:
                    return message["result"]
            sys.exit(f"{command}: it ended without an answer")

        send(id=0, method="initialize", params={"protocolVersion": "2025-11-25", "capabilities": {},
                                                "clientInfo": {"name": "tool_tokens", "version": "1"}})
        answer(0)
        send(method="notifications/initialized")
        tools, number, cursor = [], 0, None
        while number == 0 or cursor:
            number += 1
            send(id=number, method="tools/list", params={"cursor": cursor} if cursor else {})
            page = answer(number)
            tools += page["tools"]
            cursor = page.get("nextCursor")
        server.stdin.close()
        server.wait()
        return tools


def size(tools, members=None):
    kept = [{name: tool[name] for name in members or tool if name in tool} for tool in tools]
    return sum(len(json.dumps(tool, ensure_ascii=False, separators=(",", ":")).encode()) for tool in kept)


def row(name, tools):
    shown, whole = size(tools, SHOWN), size(tools)
    print(f"| {name} | {len(tools)} | {shown:,} | {shown // 4:,} | {whole:,} | {whole // 4:,} |")


def main():
    node = shutil.which("node")
    if not node or not FOLDER.is_dir():
        sys.exit("tool_tokens: the servers are not here: npm ci --ignore-scripts --prefix benchmarks/npm/mcp")
    commands = {name: [node, str(FOLDER / f"server-{name}" / "dist/index.js"), *words] for name, words in SERVERS.items()}
    print("| tools of | tools | bytes of name, description, inputSchema | / 4 | bytes of all members | / 4 |")
    print("|---|---|---|---|---|---|")
    together = []
    for name, command in commands.items():
        tools = ask(command)
        together += tools
        row(name, tools)
    row("the five servers", together)

    upstreams = [word for name, command in commands.items()
                 for word in ("--upstream", f"{name}=" + " ".join(f"'{part}'" for part in command))]
    with tempfile.TemporaryDirectory() as state:
        tools = ask([os.environ["SNUG"], "mcp", "--state", state, *upstreams])
    found = subprocess.run([os.environ["SNUG"], "tools", *upstreams, "--search", QUERY], stdout=subprocess.PIPE, check=True).stdout
    row("snug mcp in front of them, all", tools)
    row("of that run_python and find_tools", [tool for tool in tools if tool["name"] in ("run_python", "find_tools")])
    print(f'\nThe stubs that find_tools answers for "{QUERY}": {len(found):,} bytes.')


if __name__ == "__main__":
    main()
