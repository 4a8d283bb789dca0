"""What five servers of npm answer to cells: the protocol's own everything, filesystem, memory and sequential-thinking, and a
list of tasks by somebody else.

A row is a sentence, a program, and either what it answers or the error that it ends with. No row needs another one.
{folder} is the folder that `files` may read and write.
"""
import collections

Row = collections.namedtuple("Row", "says program answer error", defaults=(None, None))


def fails(says, program, message, name="ToolError"):
    return Row(says, program, error=[name, message])


INVALID = "MCP error -32602: Input validation error: Invalid arguments for tool "

ROWS = [
    # ---- everything ----
    Row("all five have their tools", "[len(dir(s)) for s in (everything, files, memory, sequential_thinking, tasks)]", [13, 14, 9, 1, 10]),
    Row("text goes to and fro as it is", "everything.echo(message='h\u00e9llo \U0001f600 \\n\\t\"')", "Echo: h\u00e9llo \U0001f600 \n\t\""),
    Row("numbers are numbers", "everything.get_sum(a=2, b=0.5)", "The sum of 2 and 0.5 is 2.5."),
    Row("structured content is a dict", "everything.get_structured_content(location='New York')",
        {"temperature": 33, "conditions": "Cloudy", "humidity": 82}),
    fails("a choice that there is not is refused by the server", "everything.get_structured_content(location='Paris')",
          INVALID + 'get-structured-content: Invalid option: expected one of "New York"|"Chicago"|"Los Angeles" at location'),
    fails("so is a wrong type", "everything.get_sum(a='x', b=1)", INVALID + "get-sum: Invalid input: expected number, received string at a"),
    fails("a missing argument is Python's", "everything.get_sum(a=1)",
          "everything.get_sum() missing 1 required positional argument: 'b'", "TypeError"),
    fails("an unknown one too", "everything.echo(zq='x')", "everything.echo() got an unexpected keyword argument 'zq'", "TypeError"),
    Row("default values are the server's", "len(everything.get_resource_links()) - 1", 3),
    Row("pictures are blocks", "import base64\nb, = [b for b in everything.get_tiny_image() if b['type'] == 'image']\n"
        "[b['mimeType'], base64.b64decode(b['data'])[1:4].decode()]", ["image/png", "PNG"]),
    Row("resources are blocks", "[b['resource']['uri'] for b in everything.get_resource_reference(resourceType='Text', resourceId=7) "
        "if b['type'] == 'resource']", ["demo://resource/dynamic/text/7"]),
    Row("links are blocks", "[b['uri'] for b in everything.get_resource_links(count=2) if b['type'] == 'resource_link']",
        ["demo://resource/dynamic/blob/1", "demo://resource/dynamic/text/2"]),
    Row("annotations do not harm", "[b['type'] for b in everything.get_annotated_message(messageType='success', includeImage=True)]",
        ["text", "image"]),
    Row("progress that the server reports is passed over", "everything.trigger_long_running_operation(duration=0.2, steps=4)",
        "Long running operation completed. Duration: 0.2 seconds, Steps: 4."),
    fails("a tool that wants the protocol's tasks says so", "everything.simulate_research_query(topic='x')",
          "MCP error -32601: Tool simulate-research-query requires task augmentation (taskSupport: 'required')"),
    Row("messages of the log are passed over", "a = everything.toggle_simulated_logging()\nb = everything.toggle_simulated_logging()\n"
        "[everything.echo(message='x'), type(a).__name__, type(b).__name__]", ["Echo: x", "str", "str"]),
    Row("eight calls are under way at once", "import asyncio\n"
        "async def call(n): return await asyncio.to_thread(everything.trigger_long_running_operation, duration=0.3, steps=n)\n"
        "[text[-2:] for text in await asyncio.gather(*[call(n) for n in range(1, 9)])]", [f"{n}." for n in range(1, 9)]),

    # ---- filesystem ----
    Row("a file that is written is read", "files.write_file(path='{folder}/a', content='one\\ntwo\\nthree')\n"
        "[files.read_text_file(path='{folder}/a')['content'], files.read_text_file(path='{folder}/a', head=2)['content'], "
        "files.read_text_file(path='{folder}/a', tail=1)['content']]", ["one\ntwo\nthree", "one\ntwo", "three"]),
    Row("a file is edited", "files.write_file(path='{folder}/b', content='tea 4\\nmilk 2\\n')\n"
        "files.edit_file(path='{folder}/b', edits=[dict(oldText='tea 4', newText='tea 5'), dict(oldText='milk 2', newText='milk 3')])\n"
        "files.read_text_file(path='{folder}/b')['content']", "tea 5\nmilk 3\n"),
    fails("an edit of what is not there is refused", "files.write_file(path='{folder}/c', content='x')\n"
          "files.edit_file(path='{folder}/c', edits=[dict(oldText='absent', newText='y')])", "Could not find exact match for edit:\nabsent"),
    fails("a path outside is refused by the server", "files.read_text_file(path='/etc/passwd')",
          "Access denied - path outside allowed directories: /etc/passwd not in {folder}"),
    fails("a file that there is not is an error", "files.read_text_file(path='{folder}/none')",
          "ENOENT: no such file or directory, open '{folder}/none'"),
    Row("folders and moves", "files.create_directory(path='{folder}/d')\nfiles.write_file(path='{folder}/d/x', content='')\n"
        "files.move_file(source='{folder}/d/x', destination='{folder}/d/y')\nfiles.list_directory(path='{folder}/d')['content']", "[FILE] y"),
    Row("a tree is JSON in a text", "import json\nfiles.create_directory(path='{folder}/e/f')\nfiles.write_file(path='{folder}/e/f/x', content='')\n"
        "json.loads(files.directory_tree(path='{folder}/e')['content'])",
        [{"name": "f", "type": "directory", "children": [{"name": "x", "type": "file"}]}]),
    Row("a search", "files.create_directory(path='{folder}/g')\nfor n in 'abc': files.write_file(path='{folder}/g/' + n + '.log', content=n)\n"
        "sorted(p.rsplit('/', 1)[1] for p in files.search_files(path='{folder}/g', pattern='*.log')['content'].split())", ["a.log", "b.log", "c.log"]),
    Row("forty-five files of which only a number comes back", "files.create_directory(path='{folder}/h')\n"
        "for n in range(45): files.write_file(path='{folder}/h/%d' % n, content=str(n * n))\n"
        "sum(int(files.read_text_file(path='{folder}/h/%d' % n)['content']) for n in range(45))", sum(n * n for n in range(45))),
    Row("a megabyte goes to and fro", "text = 'snug \u00e9 ' * 150_000\nfiles.write_file(path='{folder}/i', content=text)\n"
        "files.read_text_file(path='{folder}/i')['content'] == text", True),
    Row("several at once, one of them missing", "files.write_file(path='{folder}/j', content='here')\n"
        "text = files.read_multiple_files(paths=['{folder}/j', '{folder}/nothing'])['content']\n['here' in text, 'ENOENT' in text]", [True, True]),
    Row("which folders", "files.list_allowed_directories()['content']", "Allowed directories:\n{folder}"),

    # ---- memory ----
    Row("a graph is kept", "memory.create_entities(entities=[dict(name='snug', entityType='program', observations=['runs Python'])])\n"
        "memory.add_observations(observations=[dict(entityName='snug', contents=['in C', 'runs Python'])])['results']",
        [{"entityName": "snug", "addedObservations": ["in C"]}]),
    Row("relations are found with what they relate", "memory.create_entities(entities=[dict(name=n, entityType='city', observations=[]) for n in ('Oslo', 'Bergen')])\n"
        "memory.create_relations(relations=[{'from': 'Oslo', 'to': 'Bergen', 'relationType': 'railway'}])\n"
        "[r['to'] for r in memory.open_nodes(names=['Oslo', 'Bergen'])['relations']]", ["Bergen"]),
    fails("what is not there is said to be", "memory.add_observations(observations=[dict(entityName='nobody', contents=['x'])])",
          "Entity with name nobody not found"),
    Row("a list of dicts with the word from in them", "memory.create_relations(relations=[{'from': 'a', 'to': 'b', 'relationType': 'c'}])['relations']",
        [{"from": "a", "to": "b", "relationType": "c"}]),
    Row("what is deleted is gone", "memory.create_entities(entities=[dict(name='brief', entityType='thing', observations=[])])\n"
        "memory.delete_entities(entityNames=['brief'])\nmemory.open_nodes(names=['brief'])", {"entities": [], "relations": []}),

    # ---- sequential-thinking ----
    Row("a choice of two types has no annotation", "import inspect\nstr(inspect.signature(sequential_thinking.sequentialthinking))[:76]",
        "(thought: str, nextThoughtNeeded, thoughtNumber: int, totalThoughts: int, is"),
    Row("a thought", "a = sequential_thinking.sequentialthinking(thought='first', nextThoughtNeeded=False, thoughtNumber=3, totalThoughts=2)\n"
        "[a['thoughtNumber'], a['totalThoughts'], a['nextThoughtNeeded']]", [3, 3, False]),
    fails("a thought that has no number", "sequential_thinking.sequentialthinking('x', True, 0, 2)",
          INVALID + "sequentialthinking: Number must be greater than or equal to 1 at thoughtNumber"),

    # ---- tasks ----
    Row("JSON in a text is for the cell to read", "import json\n"
        "a = json.loads(tasks.request_planning(originalRequest='tidy', tasks=[dict(title=t, description=t) for t in ('sweep', 'wash')]))\n"
        "first = json.loads(tasks.get_next_task(requestId=a['requestId']))['task']\n"
        "[a['totalTasks'], first['title'], json.loads(tasks.approve_request_completion(requestId=a['requestId']))['message']]",
        [2, "sweep", "Not all tasks are done."]),
    Row("a task that there is not", "import json; json.loads(tasks.open_task_details(taskId='task-0'))['status']", "task_not_found"),

    # ---- together ----
    Row("three servers in one program", "import json\nfiles.write_file(path='{folder}/todo', content='paint\\nsand\\n')\n"
        "titles = files.read_text_file(path='{folder}/todo')['content'].split()\n"
        "plan = json.loads(tasks.request_planning(originalRequest='wall', tasks=[dict(title=t, description='') for t in titles]))\n"
        "memory.create_entities(entities=[dict(name='wall', entityType='plan', observations=[t['title'] for t in plan['tasks']])])\n"
        "memory.open_nodes(names=['wall'])['entities'][0]['observations']", ["paint", "sand"]),
    Row("an error of one server is caught, and another is asked", "try: everything.get_sum(a='x', b=1)\n"
        "except ToolError: a = everything.echo(message='instead')\na", "Echo: instead"),
    Row("tools are found by words", "[line.split('(')[0] for line in find_tools('move or rename a file').splitlines() if 'def move_file' in line]",
        ["    def move_file"]),
]
