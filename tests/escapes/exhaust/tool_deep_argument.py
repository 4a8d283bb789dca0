# Arguments nested a million deep.
# expect: error
# state: kept
# tools: yes
# when: run
deep = []
for _ in range(1000000):
    deep = [deep]
echo(a=deep)
