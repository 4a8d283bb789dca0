# Keeps exceptions with their tracebacks and frames.
# expect: memory
kept = []
def fail(depth, text):
    if depth == 0:
        raise ValueError(text)
    fail(depth - 1, text + "x" * 100)
while True:
    try:
        fail(100, "")
    except ValueError as error:
        kept.append(error)
