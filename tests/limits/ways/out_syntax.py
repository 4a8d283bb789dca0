# Source that is not Python, on one long line, which the error shows.
# limit: answer
# %% send {"session": session, "code": "x = '" + "y" * 900_000 + "\n"}
# %% send {"session": session, "code": "(" * 900_000}
# %% send {"session": session, "code": "\\N{" + "a" * 900_000 + "}" + "\x0c" * 1000}
