# A text doubles itself.
# expect: memory
text = "x"
while True:
    text += text
