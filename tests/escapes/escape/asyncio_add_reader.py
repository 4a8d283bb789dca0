# asyncio makes a socket pair, whose descriptors stay.
# breach: setting
import asyncio
loop, done = asyncio.get_running_loop(), asyncio.Event()
receive, send = asyncio.base_events.socket.socketpair()
send.send(b"x")
loop.add_reader(receive.fileno(), done.set)
await done.wait()
loop.remove_reader(receive.fileno())
send.detach(), receive.detach()
