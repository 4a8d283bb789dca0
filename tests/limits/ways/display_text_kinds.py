# One display with three hundred kinds of data.
# limit: displays answer
display({f"text/x-{i}": "k" * 10_000 for i in range(300)}, raw=True)
