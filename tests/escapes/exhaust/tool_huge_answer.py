# Answers of 100 MB.
# expect: error
# tools: yes
for _ in range(3):
    try:
        huge()
    except RuntimeError as error:
        last = error
raise last
