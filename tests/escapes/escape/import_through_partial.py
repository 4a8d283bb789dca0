# A cached function of functools calls __import__.
# breach: marker
# state: kept
import sys
sys.audit = lambda *arguments: None
import functools
functools.lru_cache(__import__)("subprocess").call(["sh", "-c", f"echo > {MARKER_FILE}"])
