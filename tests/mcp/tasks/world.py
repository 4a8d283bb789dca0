"""What the servers of double.py know: the same in every run."""
import base64
import datetime
import gzip
import struct
import zlib


def numbers(seed):
    """Pseudorandom, below 2**31."""
    while True:
        seed = (seed * 1103515245 + 12345) % 2**31
        yield seed >> 8


def pick(source, many):
    return many[next(source) % len(many)]


def day(source, first, days):
    return (datetime.date.fromisoformat(first) + datetime.timedelta(days=next(source) % days)).isoformat()


COUNTRIES = ["NO", "PL", "PT", "KE", "JP"]
STATUSES = ["paid", "open", "sent", "returned"]


def make_shop():
    source = numbers(11)
    customers = [{"id": f"C{n:02}", "name": f"Customer {n}", "country": pick(source, COUNTRIES)} for n in range(23)]
    products = [{"id": f"P{n:02}", "name": f"Product {n}", "price": f"{next(source) % 9000 / 100 + 5:.2f}", "stock": next(source) % 40,
                 "reorder": 10 + n % 3 * 5, "supplier": pick(source, ["north", "south", "east"])} for n in range(17)]
    orders = [{"id": f"O{n:03}", "customer": pick(source, customers)["id"], "date": day(source, "2026-01-01", 180),
               "status": pick(source, STATUSES),
               "lines": [{"product": pick(source, products)["id"], "count": next(source) % 5 + 1} for _ in range(next(source) % 3 + 1)]}
              for n in range(137)]
    return customers, products, orders


CUSTOMERS, PRODUCTS, ORDERS = make_shop()


def make_people():
    source = numbers(12)
    people = [{"id": n, "name": f"Person {n}", "boss": None if n == 0 else next(source) % n, "team": pick(source, ["red", "green", "blue"]),
               "started": day(source, "2015-01-01", 4000), "salary": 30000 + next(source) % 50000} for n in range(40)]
    return people


PEOPLE = make_people()
HOLIDAYS = ["2026-01-01", "2026-04-03", "2026-04-06", "2026-05-01", "2026-05-14", "2026-05-25", "2026-12-25"]
LEAVES = [["2026-03-30", "2026-04-10"], ["2026-05-01", "2026-05-31"], ["2026-12-21", "2027-01-01"], ["2026-08-08", "2026-08-09"]]
MEETINGS = [["A", "2026-03-27T09:00", "Europe/Oslo", 60], ["B", "2026-03-27T08:30", "Europe/Lisbon", 45],
            ["C", "2026-03-27T17:00", "Asia/Tokyo", 90], ["D", "2026-03-27T12:00", "Africa/Nairobi", 30],
            ["E", "2026-03-29T09:00", "Europe/Oslo", 60], ["F", "2026-03-29T07:30", "Europe/Lisbon", 45]]


def make_readings():
    source = numbers(13)
    out = []
    for station in ("hill", "lake", "port", "town"):
        for hour in range(24):
            celsius = next(source) % 300 / 10 - 5
            unit = pick(source, "CFK")
            value = {"C": celsius, "F": celsius * 9 / 5 + 32, "K": celsius + 273.15}[unit]
            out.append({"station": station, "hour": hour, "value": round(value, 2), "unit": unit, "is_bad": next(source) % 11 == 0})
    return out


READINGS = make_readings()
PARCELS = [["a", "2.5", "kg"], ["b", "900", "g"], ["c", "3", "lb"], ["d", "40", "oz"], ["e", "0.75", "kg"], ["f", "12", "lb"]]
RATES = {"2026-02-01": {"USD": "0.92", "GBP": "1.17", "JPY": "0.0061"}, "2026-03-01": {"USD": "0.91", "GBP": "1.19", "JPY": "0.0060"}}
EXPENSES = [["2026-02-03", "120.55", "USD"], ["2026-02-14", "80", "GBP"], ["2026-03-02", "15500", "JPY"], ["2026-03-09", "64.25", "EUR"],
            ["2026-03-30", "210.10", "USD"], ["2026-02-28", "9.99", "GBP"]]

CONTACTS = [["Ada Lovelace", "ada@example.org", "+47 22 12 34 56"], ["ada  lovelace", "ADA@example.org ", "0047-22123456"],
            ["Alan Turing", "alan@example.org", "+44 20 7946 0018"], ["Grace Hopper", "grace@example.org", "+1 (202) 555-0143"],
            ["G. Hopper", "grace@example.org", "+12025550143"], ["Alan Turing", "turing@example.org", "+442079460018"],
            ["Edsger Dijkstra", "edsger@example.org", ""], ["EDSGER DIJKSTRA", "Edsger@Example.org", "+31 40 247 9111"]]
CITIES = ["Lisbon", "Warsaw", "Nairobi", "Osaka", "Bergen", "Toronto", "Lima", "Hanoi", "Cairo", "Quito", "Perth", "Turku"]
TYPED = ["Lisbom", "warsaw", "Nairoby", "Ossaka", "bergen ", "Tornto", "Lime", "Hanoy"]


def make_thread(source, depth, start):
    replies = [] if depth == 0 else [make_thread(source, depth - 1, start * 10 + n) for n in range(next(source) % 4)]
    return {"id": start, "author": pick(source, ["ann", "bo", "cy"]), "text": "word " * (next(source) % 9 + 1), "replies": replies}


THREAD = make_thread(numbers(19), 4, 1)
TICKETS = [{"id": n, "title": f"Ticket {n}", "severity": 1 + n * 7 % 4, "assignee": {"team": ["web", "db", "ops"][n % 3]} if n % 5 else None,
            "labels": ["bug"] * (n % 2) + ["slow"] * (n % 3 == 0)} for n in range(30)]
BUSY = {3: 2, 8: 1, 13: 2, 21: 3}  # id of a ticket: how often it is busy first
BROKEN = {5, 17}                   # never there

BUILD = {"app": ["ui", "core", "log"], "ui": ["core", "draw"], "core": ["log", "mem"], "draw": ["mem"], "log": [], "mem": [], "docs": ["app"]}
ROADS = [["a", "b", 4], ["a", "c", 2], ["c", "b", 1], ["b", "d", 5], ["c", "d", 8], ["d", "e", 3], ["b", "e", 10], ["e", "f", 1], ["a", "f", 30]]


def make_log():
    source = numbers(15)
    out = []
    for n in range(500):
        service, level = pick(source, ["api", "auth", "mail"]), pick(source, ["INFO", "INFO", "INFO", "WARN", "ERROR"])
        out.append(f"2026-06-01T{n // 60 % 24:02}:{n % 60:02}:00Z {level} {service} request={n} took={next(source) % 2000}ms user=u{next(source) % 50}@example.org")
    return "\n".join(out)


LOG = make_log()
CSV = ('name,city,"notes, if any"\r\n"Doe, Jane",Bergen,"said ""hello""\r\nand left"\r\nAli,"New York, NY",\r\n"O\'Neil",Turku,plain\r\n'
       '"Doe, Jane",Bergen,second\r\n')
EVENTS = [{"n": n, "level": "critical" if n % 977 == 5 else "info", "payload": "x" * 100} for n in range(5000)]
LARGE = [2**64 + 3**n for n in range(0, 80, 7)]
LETTER = ("Dear Mr Smith, call +47 22 12 34 56 or +1 202 555 0143, or write to jane.doe@example.org and bob@mail.example.com. "
          "Your card 4111 1111 1111 1111 was charged 42.00 on 2026-02-03.")
SERIES = [[n, round(3.5 * n + 7 + (next_ % 100 - 50) / 10, 2)] for n, next_ in zip(range(40), numbers(16))]


def png(width, height):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes((x * 5 + y * 3) % 256 for x in range(width)) for y in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


PICTURE = base64.b64encode(png(33, 21)).decode()
PACKED = base64.b64encode(gzip.compress(LOG.encode(), mtime=0)).decode()
