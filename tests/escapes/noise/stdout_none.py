# Sets the streams to None.
# expect: ok
import sys
sys.stdout = sys.stderr = sys.stdin = sys.__stdout__ = None
print("nowhere")
