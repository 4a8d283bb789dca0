# The loop stands in a string, in an exec, in an eval.
# expect: rung 1
eval("exec('while True: pass')")
