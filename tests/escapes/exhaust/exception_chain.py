# A chain of exceptions, each the context of the next, without end.
# expect: memory
last = ValueError("first")
while True:
    following = ValueError("x" * 1000)
    following.__context__ = last
    last = following
