# Asks for input with long prompts.
# limit: answer output
for i in range(100):
    try:
        input("p" * 1_000_000)
    except EOFError:
        pass
