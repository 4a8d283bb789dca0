# select.epoll, its descriptor copied.
# breach: setting
# state: kept
import asyncio, os
os.dup(asyncio.selectors.select.epoll().fileno())
