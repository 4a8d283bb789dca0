# One text in thirty-two parts of many displays: counted once or as often as it is written.
# limit: displays
text = "t" * 8000
for i in range(200):
    display({f"text/{j}": text for j in range(32)}, raw=True)
