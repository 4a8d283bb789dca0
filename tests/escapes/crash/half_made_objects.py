# Half-made objects: __new__ without __init__ of types in C, then every method is called.
# expect: crash
# expect short: died
# state: lost
import asyncio, collections, datetime, decimal, functools, io, itertools, queue, random, struct, types, zlib
kinds = [asyncio.Future, asyncio.Task, collections.OrderedDict, collections.deque, struct.Struct,
         io.StringIO, io.BytesIO, io.TextIOWrapper, io.BufferedReader, io.BufferedWriter,
         io.BufferedRWPair, io.BufferedRandom, io.FileIO, io.IncrementalNewlineDecoder,
         random.Random, queue.SimpleQueue, types.SimpleNamespace, super, property, classmethod,
         staticmethod, BaseException, ExceptionGroup, OSError, UnicodeDecodeError, StopIteration]
for kind in kinds:
    try:
        thing = kind.__new__(kind)
    except BaseException:
        continue
    for name in dir(thing):
        # A queue that is empty rightly waits in get.
        if name in ("__class__", "__init_subclass__", "__subclasshook__", "get"):
            continue
        for arguments in ((), (1,), (thing,), (None, None)):
            try:
                getattr(thing, name)(*arguments)
            except BaseException:
                pass
