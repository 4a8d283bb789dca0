# Replaces by a template that doubles what it finds, over and over.
# expect: memory
import re
text = "ab"
while True:
    text = re.sub(r"(\w+)", r"\1\1\1", text)
