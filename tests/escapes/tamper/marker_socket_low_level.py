# _socket.socket connects.
# breach: marker
import asyncio, sys
sys.modules["_socket"].socket(2, 1).connect(("127.0.0.1", SECRET_PORT))
