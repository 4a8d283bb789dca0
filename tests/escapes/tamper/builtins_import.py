# builtins.__import__ is another function.
# breach: setting
import builtins
builtins.__import__ = lambda *arguments, real=__import__: real(*arguments)
