# builtins.len answers another number.
# breach: neighbour
import builtins
builtins.len = lambda thing, real=len: real(thing) + 1
