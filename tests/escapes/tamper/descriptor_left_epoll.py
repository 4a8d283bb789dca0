# select.epoll, its descriptor copied.
# breach: setting
import asyncio, os
poll = asyncio.selector_events.selectors.select.epoll()
os.dup(poll.fileno())
