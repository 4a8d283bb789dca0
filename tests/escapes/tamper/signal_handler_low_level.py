# _signal.signal.
# breach: setting
import sys, asyncio
sys.modules["_signal"].signal(1, sys.modules["_signal"].SIG_IGN)
