"""Plain Python's tracebacks: reads cases as JSON from stdin, writes what each of their cells printed.

[["cell", ...], ...] -> [["Traceback ..." or null, ...], ...]. Each case runs in a process and a
module `__main__` of its own. Run by the Python to compare with, as `python -I -S -c SOURCE`.
"""
import ast
import json
import linecache
import os
import shutil
import sys
import tempfile
import traceback
import types

if sys.version_info < (3, 12):
    sys.modules["_asyncio"] = None  # sessions that share a GIL have asyncio's Python form
import asyncio

FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
ASYNC = 0x80  # CO_COROUTINE


async def run_async(parts, names):
    for code in parts:
        value = eval(code, names)
        if code.co_flags & ASYNC:
            await value


def run(source, file, names, loop):
    # The last expression apart, as a notebook has it: its frame is another one.
    tree = compile(source, file, "exec", FLAGS | ast.PyCF_ONLY_AST, dont_inherit=True)
    last = [tree.body.pop()] if tree.body and isinstance(tree.body[-1], ast.Expr) else []
    parts = [compile(tree, file, "exec", FLAGS, dont_inherit=True)]
    parts += [compile(ast.Expression(e.value), file, "eval", FLAGS, dont_inherit=True) for e in last]
    if any(code.co_flags & ASYNC for code in parts):
        loop.run_until_complete(run_async(parts, names))
    else:
        for code in parts:
            eval(code, names)


def traceback_of(error):
    # This file's own frames, and those of the event loop below the cell, are left out.
    frame = error.__traceback__
    while frame and not frame.tb_frame.f_code.co_filename.startswith("<cell "):
        frame = frame.tb_next
    error.__traceback__ = frame
    return "".join(traceback.format_exception(error))


def run_case(cells):
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    loop = asyncio.new_event_loop()
    texts = []
    for number, source in enumerate(cells, 1):
        file = f"<cell {number}>"
        lines = source.replace("\r\n", "\n").split("\n")
        # The compiler reads the lines of its errors from the file.
        with open(file, "w", encoding="utf-8", newline="") as written:
            written.write(source)
        linecache.cache[file] = (len(source), None, [line + "\n" for line in lines], file)
        try:
            run(source, file, module.__dict__, loop)
            texts.append(None)
        except BaseException as error:
            texts.append(traceback_of(error))
    return texts


def main():
    cases = json.load(sys.stdin)
    # Python 3.13 keeps what `-c` was given as the source of "<string>".
    for name in ("cache", "_interactive_cache"):
        getattr(linecache, name, {}).clear()
    results = []
    os.chdir(tempfile.mkdtemp())
    for cells in cases:
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            nothing = os.open(os.devnull, os.O_RDWR)
            for fd in (0, 1, 2):
                os.dup2(nothing, fd)
            with open(writer, "w", encoding="utf-8") as file:
                json.dump(run_case(cells), file)
            os._exit(0)
        os.close(writer)
        with open(reader, encoding="utf-8") as file:
            text = file.read()
        os.waitpid(child, 0)
        results.append(json.loads(text) if text else None)
    shutil.rmtree(os.getcwd())
    print(json.dumps({"version": list(sys.version_info[:2]), "results": results}))


main()
