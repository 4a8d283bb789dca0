"""How well find_tools finds: words that a model would ask with, over the tools of five MCP servers of npm.

usage: SNUG=PROGRAM benchmarks/tool_search.py [-v]

Prints at how many of the questions the tool that is meant comes first, and among the first three and five; -v: the others. The servers
are installed by: npm ci --ignore-scripts --prefix benchmarks/npm/mcp
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from tool_tokens import FOLDER, SERVERS

# What is asked: the tools that do it, any of which is right.
QUESTIONS = {
    "create an issue": "github.create_issue",
    "open a new bug report": "github.create_issue",
    "comment on an issue": "github.add_issue_comment",
    "close issue": "github.update_issue",
    "change the labels of an issue": "github.update_issue",
    "find repositories by name": "github.search_repositories",
    "search code on github": "github.search_code",
    "list commits of a branch": "github.list_commits",
    "make a branch": "github.create_branch",
    "fork a repo": "github.fork_repository",
    "new repository": "github.create_repository",
    "open pull request": "github.create_pull_request",
    "merging a PR": "github.merge_pull_request",
    "which files did a pull request change": "github.get_pull_request_files",
    "review a pull request": "github.create_pull_request_review",
    "comments of a pull request": "github.get_pull_request_comments",
    "is the build of the pull request passing": "github.get_pull_request_status",
    "search for users": "github.search_users",
    "push several files in one commit": "github.push_files",
    "file contents from github repository": "github.get_file_contents",
    "read a file": "files.read_text_file files.read_file",
    "reading text files from disk": "files.read_text_file files.read_file",
    "read many files at once": "files.read_multiple_files",
    "show an image": "files.read_media_file",
    "save text to a file": "files.write_file",
    "edit lines in a file": "files.edit_file",
    "mkdir": "files.create_directory",
    "make a folder": "files.create_directory",
    "list directory": "files.list_directory",
    "size of files in a folder": "files.list_directory_with_sizes",
    "recursive tree of directories": "files.directory_tree",
    "rename a file": "files.move_file",
    "moving files": "files.move_file",
    "when was a file modified": "files.get_file_info",
    "find files by pattern": "files.search_files",
    "which directories may I access": "files.list_allowed_directories",
    "remember a new entity": "memory.create_entities",
    "add observations": "memory.add_observations",
    "forget an entity": "memory.delete_entities",
    "delete relations between entities": "memory.delete_relations",
    "knowledge graph, all of it": "memory.read_graph",
    "searching the knowledge graph": "memory.search_nodes",
    "add two numbers": "everything.get_sum everything.add",
    "echo a message": "everything.echo",
    "environment variables": "everything.get_env everything.printEnv",
    "think step by step": "thinking.sequentialthinking",
    "long running operation": "everything.trigger_long_running_operation",
    "tiny picture": "everything.get_tiny_image everything.getTinyImage",
}
NAMES = {"filesystem": "files", "sequential-thinking": "thinking"}
PLACES = (1, 3, 5)


def talk(program, options, questions):
    """The names that each question finds."""
    with tempfile.TemporaryDirectory() as state, \
            subprocess.Popen([program, "mcp", "--state", state, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        def ask(number, method, **params):
            server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
            server.stdin.flush()
            for line in server.stdout:
                message = json.loads(line)
                if message.get("id") == number:
                    return message["result"]
            sys.exit("snug mcp has ended")

        ask(0, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "tool_search", "version": "1"})
        for number, question in enumerate(questions, 1):
            found = ask(number, "tools/call", name="find_tools", arguments={"query": question, "limit": 50})
            yield question, found["structuredContent"]["tools"]
        server.stdin.close()


def main():
    node = shutil.which("node")
    if not node or not FOLDER.is_dir():
        sys.exit("needs node and the servers: npm ci --ignore-scripts --prefix benchmarks/npm/mcp")
    options = []
    for name, words in SERVERS.items():
        command = " ".join(f"'{word}'" for word in (node, str(FOLDER / f"server-{name}" / "dist/index.js"), *words))
        options += ["--upstream", f"{NAMES.get(name, name)}=exec {command}"]
    ranks = []
    for question, found in talk(os.environ["SNUG"], options, QUESTIONS):
        wanted = QUESTIONS[question].split()
        ranks.append(next((i for i, name in enumerate(found, 1) if name in wanted), 0))
        if "-v" in sys.argv and ranks[-1] != 1:
            print(f"{ranks[-1] or '-':>3}  {question}: {QUESTIONS[question]}; first: {' '.join(found[:3])}")
    for place in PLACES:
        print(f"| among the first {place} | {sum(0 < rank <= place for rank in ranks)} of {len(ranks)} |")


if __name__ == "__main__":
    main()
