# A text doubles itself.
# expect: memory
# state: kept
# when: run
text = "x"
while True:
    text += text
