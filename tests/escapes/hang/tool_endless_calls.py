# Calls that are answered at once, without end.
# expect: rung 1
# tools: yes
while True:
    echo(a=1)
