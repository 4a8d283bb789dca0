# One display with three hundred kinds of data.
# limit: displays answer
# forms: local worker full
display({f"text/x-{i}": "k" * 10_000 for i in range(300)}, raw=True)
