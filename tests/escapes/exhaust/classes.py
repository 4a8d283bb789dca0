# Makes classes and keeps them.
# expect: memory
classes = []
while True:
    classes.append(type(f"Class{len(classes)}", (), {"text": "x" * 1000, "f": lambda self: 1}))
