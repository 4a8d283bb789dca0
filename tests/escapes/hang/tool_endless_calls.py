# Calls that are answered at once, without end.
# expect: rung 1
# state: kept
# tools: yes
# when: run
while True:
    echo(a=1)
