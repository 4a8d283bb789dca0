# Two generators that send to each other for ever.
# expect: rung 1
def player():
    ball = 0
    while True:
        ball = yield ball

a, b = player(), player()
next(a), next(b)
ball = 1
while True:
    ball = b.send(a.send(ball))
