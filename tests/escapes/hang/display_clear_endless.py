# Output is cleared and written without end.
# expect: rung 1
# when: display
try:
    from IPython.display import clear_output
except ImportError:
    def clear_output(wait): pass
while True:
    clear_output(wait=True)
    print("x" * 100)
