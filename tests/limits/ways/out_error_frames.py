# A traceback with lines that are long, in functions with long names.
# limit: answer
name = "f" * 200_000
exec(compile(f"def {name}(n):\n    {name}(n - 1) if n else 1 / 0  # " + "x" * 200_000, "<y>" * 1000, "exec"))
globals()[name](300)
