# Raises SIGTERM, which ends a process that has no handler.
# expect: crash or denied or error or ok
# state: any
import asyncio, sys
sys.modules["_signal"].raise_signal(15)
