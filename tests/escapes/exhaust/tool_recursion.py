# A function calls itself through what it hands to a tool.
# expect: recursion
# tools: yes
def again(n):
    return echo(a=again(n + 1), n=n)
again(0)
