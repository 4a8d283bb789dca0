# Arguments nested a million deep.
# expect: error
# tools: yes
deep = []
for _ in range(1000000):
    deep = [deep]
echo(a=deep)
