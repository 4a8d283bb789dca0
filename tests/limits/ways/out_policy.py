# Is denied things with long names, thousands of times.
# limit: answer
for i in range(5000):
    try:
        open("/etc/" + "p" * 3000 + str(i))
    except Exception:
        pass
    try:
        __import__("m" * 3000 + str(i))
    except Exception:
        pass
