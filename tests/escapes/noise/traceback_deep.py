# An exception comes up through all frames that the recursion limit allows, many times chained.
# expect: error or recursion
# when: report
def fail(depth):
    if depth == 0:
        raise ValueError("bottom")
    try:
        fail(depth - 1)
    except ValueError as error:
        raise ValueError(f"at {depth}")
fail(900)
