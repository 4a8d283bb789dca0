# asyncio runs a function on a thread that nobody watches.
# breach: secret
import asyncio
def read():
    with open(SECRET_FILE) as file:
        return file.read()
await asyncio.to_thread(read)
