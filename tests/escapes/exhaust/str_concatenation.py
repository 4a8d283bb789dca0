# Adds to a text piece by piece, in place.
# expect: memory
def grow():
    text = ""
    while True:
        text += "0123456789" * 10_000
grow()
