# The body of %%capture, longer than a cell may be.
# limit: source
# options: --source 64KB
# %% send {"session": session, "code": "%%capture c\n" + "print(1)\n" * 20_000}
