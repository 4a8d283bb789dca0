# A handler of logging sends a datagram.
# breach: marker
import logging.handlers
handler = logging.handlers.DatagramHandler("127.0.0.1", SECRET_PORT)
handler.send(b"x")
handler.close()
