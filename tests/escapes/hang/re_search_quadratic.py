# Two repeats of one character over two million: few steps of the engine, each of them long.
# expect: rung 3 the skipping of REPEAT_ONE between two polls: SRE(match) polls once in 4096 steps
# expect short 3.11: hang
# expect short 3.13: rung 4
# state: any
import re
re.findall(r"a*a*b", "a" * 2_000_000)
