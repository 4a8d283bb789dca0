# Raises SIGSEGV through the signal module that asyncio leaves in sys.modules.
# expect: crash or denied or error
# state: any
import asyncio, sys
sys.modules["_signal"].raise_signal(11)
