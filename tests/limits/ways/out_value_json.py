# A value that is large as JSON too.
# limit: value answer
{"k" * 100 + str(i): list(range(100)) for i in range(5000)}
