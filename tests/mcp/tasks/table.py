"""Tasks for code mode: a question, programs that answer it by tools of the servers of double.py, and the answer, which is computed
from the data of world.py in another way.

The value of the last program is the answer. Each list of programs is one session.
"""
import collections
import csv
import datetime
import decimal
import fractions
import functools
import hashlib
import io
import itertools
import json
import re
import sqlite3
import zoneinfo

import world

Task = collections.namedtuple("Task", "name question programs answer")
TASKS = []


def task(question, *programs):
    def add(answer):
        TASKS.append(Task(answer.__name__, question, programs, answer))
        return answer
    return add


@functools.cache
def database():
    db = sqlite3.connect(":memory:")
    db.executescript("create table customers(id, name, country); create table products(id, name, price, stock, reorder, supplier);"
                     "create table orders(id, customer, date, status); create table lines(ordered, product, count)")
    db.executemany("insert into customers values (:id, :name, :country)", world.CUSTOMERS)
    db.executemany("insert into products values (:id, :name, :price, :stock, :reorder, :supplier)", world.PRODUCTS)
    db.executemany("insert into orders values (:id, :customer, :date, :status)", world.ORDERS)
    db.executemany("insert into lines values (?, ?, ?)", [(o["id"], line["product"], line["count"]) for o in world.ORDERS for line in o["lines"]])
    return db


def rows(query):
    return database().execute(query).fetchall()


ALL_ORDERS = """
def all_orders():
    cursor = ""
    while cursor is not None:
        page = shop.list_orders(cursor=cursor)
        yield from page["orders"]
        cursor = page["next"]
"""


# ---- pages, joins, filters, groups ----

@task("How many orders are there in each status?", ALL_ORDERS + """
from collections import Counter
dict(sorted(Counter(o["status"] for o in all_orders()).items()))
""")
def count_by_status():
    return dict(rows("select status, count(*) from orders group by status order by status"))


@task("What have customers of each country paid for orders that are paid, as text with two digits?", ALL_ORDERS + """
from decimal import Decimal
from functools import cache
price = {p["id"]: Decimal(p["price"]) for p in shop.list_products()["products"]}
country = cache(lambda id: shop.get_customer(id=id)["country"])
total = {}
for o in all_orders():
    if o["status"] == "paid":
        where = country(o["customer"])
        total[where] = total.get(where, 0) + sum(price[l["product"]] * l["count"] for l in o["lines"])
{where: f"{amount:.2f}" for where, amount in sorted(total.items())}
""")
def join_three_lists():
    cents = rows("select country, sum(cast(round(price * 100) as integer) * count) from lines join orders on ordered = orders.id "
                 "join products on product = products.id join customers on customer = customers.id "
                 "where status = 'paid' group by country order by country")
    return {country: f"{amount // 100}.{amount % 100:02}" for country, amount in cents}


@task("Which products of the supplier north are below their reorder level, the shortest first?", """
low = [p for p in shop.list_products()["products"] if p["supplier"] == "north" and p["stock"] < p["reorder"]]
[p["id"] for p in sorted(low, key=lambda p: (p["stock"] - p["reorder"], p["id"]))]
""")
def filter_and_sort():
    return [id for id, in rows("select id from products where supplier = 'north' and stock < reorder order by stock - reorder, id")]


@task("Which three products were ordered most often, with how many pieces?", ALL_ORDERS + """
from collections import Counter
pieces = Counter()
for o in all_orders():
    for line in o["lines"]:
        pieces[line["product"]] += line["count"]
[list(item) for item in sorted(pieces.items(), key=lambda item: (-item[1], item[0]))[:3]]
""")
def top_three():
    return [list(row) for row in rows("select product, sum(count) from lines group by product order by sum(count) desc, product limit 3")]


@task("What is the first order, in the order of the lists, with more than ten pieces? Read no more pages than needed.", """
cursor, pages, found = "", 0, None
while cursor is not None and not found:
    page = shop.list_orders(cursor=cursor)
    pages += 1
    found = next((o["id"] for o in page["orders"] if sum(l["count"] for l in o["lines"]) > 10), None)
    cursor = page["next"]
[found, pages]
""")
def stop_early():
    at = next(n for n, o in enumerate(world.ORDERS) if sum(line["count"] for line in o["lines"]) > 10)
    return [world.ORDERS[at]["id"], at // 20 + 1]


@task("Pages of the newest orders overlap. Which are the forty newest?", """
seen, page = {}, 0
while len(seen) < 40:
    for id in shop.newest_orders(page=page)["ids"]:
        seen.setdefault(id)
    page += 1
list(seen)[:40]
""")
def overlapping_pages():
    return [id for id, in rows("select id from orders order by date desc, id desc limit 40")]


@task("How many orders of each month has each status? Months without one are left out.", ALL_ORDERS + """
table = {}
for o in all_orders():
    months = table.setdefault(o["status"], {})
    months[o["date"][:7]] = months.get(o["date"][:7], 0) + 1
{status: dict(sorted(months.items())) for status, months in sorted(table.items())}
""")
def group_by_two():
    out = {}
    for status, month, count in rows("select status, substr(date, 1, 7), count(*) from orders group by 1, 2 order by 1, 2"):
        out.setdefault(status, {})[month] = count
    return out


@task("Raise the stock of each product below its reorder level to twice that, see that it is so, and set it back.", """
def low(): return [p for p in shop.list_products()["products"] if p["stock"] < p["reorder"]]
before = low()
for p in before:
    shop.set_stock(id=p["id"], stock=2 * p["reorder"])
after = low()
given_back = [shop.set_stock(id=p["id"], stock=p["stock"])["before"] for p in before]
try: shop.set_stock(id="P00", stock=-1)
except ToolError as e: refused = str(e)
[len(before), len(after), given_back, refused, low() == before]
""")
def write_and_read_back():
    low = rows("select reorder from products where stock < reorder order by id")
    return [len(low), 0, [2 * reorder for reorder, in low], "a stock is not negative", True]


# ---- errors ----

@task("Get the tickets 0 to 29. The server is busy at times; some tickets are never there. Titles of how many, and which not?", """
found, missing = [], []
for id in range(30):
    for attempt in range(5):
        try:
            found.append(tickets.get_ticket(id=id)["title"])
            break
        except ToolError as e:
            if str(e) != "busy":
                missing.append(str(e))
                break
[len(found), missing]
""")
def retry_what_is_busy():
    return [len(world.TICKETS) - len(world.BROKEN), [f"not found: {id}" for id in sorted(world.BROKEN)]]


@task("How many times was each busy ticket asked for, until it was there?", """
def tries(id):
    for n in range(1, 10):
        try:
            tickets.get_ticket(id=id)
            return n
        except ToolError:
            pass
{str(id): tries(id) for id in (3, 8, 13, 21)}
""")
def count_the_tries():
    return {str(id): busy + 1 for id, busy in world.BUSY.items()}


@task("Export the tickets. The error says how.", """
import json, re
try: text = tickets.export()
except ToolError as e: text = tickets.export(token=re.search(r"token=(\\S+)", str(e))[1])
[len(json.loads(text)), sum(t["severity"] for t in json.loads(text))]
""")
def do_what_the_error_says():
    return [30, sum(1 + n * 7 % 4 for n in range(30))]


@task("Of the customers C20 to C29, who is there, and what is said of the others?", """
out = []
for n in range(20, 30):
    try: out.append(shop.get_customer(id=f"C{n}")["name"])
    except ToolError as e: out.append(str(e))
out
""")
def errors_beside_answers():
    return [f"Customer {n}" if n < 23 else f"there is no customer C{n}" for n in range(20, 30)]


# ---- dates ----

@task("How many working days is each leave, without week-ends and public holidays?", """
from datetime import date, timedelta
free = set(people.list_holidays(year=2026)["days"]) | set(people.list_holidays(year=2027)["days"])
out = []
for first, last in people.list_leaves()["leaves"]:
    day, count = date.fromisoformat(first), 0
    while day <= date.fromisoformat(last):
        count += day.weekday() < 5 and day.isoformat() not in free
        day += timedelta(days=1)
    out.append(count)
out
""")
def working_days():
    def count(first, last):
        start, end = (datetime.date.fromisoformat(d).toordinal() for d in (first, last))
        free = {datetime.date.fromisoformat(d).toordinal() for d in world.HOLIDAYS}
        return len([n for n in range(start, end + 1) if (n - 1) % 7 < 5 and n not in free])  # day 1 was a Monday
    return [count(*leave) for leave in world.LEAVES]


@task("Which meetings overlap, with their times in UTC? Time zones change to summer time on the 29th.", """
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo
spans = {}
for name, local, zone, minutes in people.list_meetings()["meetings"]:
    begin = datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(zone)).astimezone(timezone.utc)
    spans[name] = (begin, begin + timedelta(minutes=minutes))
names = sorted(spans)
overlaps = [[a, b] for i, a in enumerate(names) for b in names[i + 1:] if spans[a][0] < spans[b][1] and spans[b][0] < spans[a][1]]
[overlaps, {name: begin.strftime("%dT%H:%M") for name, (begin, end) in spans.items()}]
""")
def meetings_of_many_zones():
    def begin(local, zone):
        return int(datetime.datetime.fromisoformat(local).replace(tzinfo=zoneinfo.ZoneInfo(zone)).timestamp()) // 60
    minutes = {name: set(range(begin(local, zone), begin(local, zone) + length)) for name, local, zone, length in world.MEETINGS}
    times = {name: datetime.datetime.fromtimestamp(min(span) * 60, datetime.timezone.utc).strftime("%dT%H:%M") for name, span in minutes.items()}
    return [[[a, b] for a, b in itertools.combinations(sorted(minutes), 2) if minutes[a] & minutes[b]], times]


@task("How many orders are there in each ISO week of 2026 from 1 to 10?", ALL_ORDERS + """
from datetime import date
weeks = [date.fromisoformat(o["date"]).isocalendar() for o in all_orders()]
[sum(1 for w in weeks if (w.year, w.week) == (2026, n)) for n in range(1, 11)]
""")
def weeks_of_orders():
    monday = datetime.date(2025, 12, 29)
    days = [(datetime.date.fromisoformat(o["date"]) - monday).days for o in world.ORDERS]
    return [sum(1 for d in days if d // 7 == n) for n in range(10)]


@task("Who of the team green has been here longest on 2026-06-01, and how many whole years?", """
from datetime import date
today = date(2026, 6, 1)
who = min(people.list_people(team="green")["people"], key=lambda p: (p["started"], p["id"]))
since = date.fromisoformat(who["started"])
[who["name"], today.year - since.year - ((today.month, today.day) < (since.month, since.day))]
""")
def whole_years():
    who = sorted((p["started"], p["id"], p["name"]) for p in world.PEOPLE if p["team"] == "green")[0]
    return [who[2], next(n for n in range(50) if f"{int(who[0][:4]) + n + 1}{who[0][4:]}" > "2026-06-01")]


# ---- units and money ----

@task("What is the mean temperature of each station in Celsius, without bad readings, to two digits?", """
def celsius(r):
    return {"C": r["value"], "F": (r["value"] - 32) / 1.8, "K": r["value"] - 273.15}[r["unit"]]
out = {}
for station in ("hill", "lake", "port", "town"):
    good = [celsius(r) for r in weather.list_readings(station=station)["readings"] if not r["is_bad"]]
    out[station] = round(sum(good) / len(good), 2)
out
""")
def mean_in_celsius():
    out = {}
    for station in ("hill", "lake", "port", "town"):
        exact = [fractions.Fraction(str(r["value"])) for r in world.READINGS if r["station"] == station and not r["is_bad"]]
        units = [r["unit"] for r in world.READINGS if r["station"] == station and not r["is_bad"]]
        values = [{"C": v, "F": (v - 32) * 5 / 9, "K": v - fractions.Fraction("273.15")}[u] for v, u in zip(exact, units)]
        out[station] = round(float(sum(values) / len(values)), 2)
    return out


@task("What do the parcels weigh together in kg, exactly?", """
from decimal import Decimal
KG = {"kg": Decimal(1), "g": Decimal("0.001"), "lb": Decimal("0.45359237"), "oz": Decimal("0.028349523125")}
str(sum(Decimal(amount) * KG[unit] for _, amount, unit in misc.get(what="PARCELS")["data"]).normalize())
""")
def weights():
    grams = {"kg": 1000, "g": 1, "lb": fractions.Fraction("453.59237"), "oz": fractions.Fraction("28.349523125")}
    total = sum(fractions.Fraction(amount) * grams[unit] for _, amount, unit in world.PARCELS) / 1000
    return str(decimal.Decimal(total.numerator) / decimal.Decimal(total.denominator))


@task("What are the expenses of each month in EUR, each converted at the rate of its month and rounded half to even?", """
from decimal import Decimal, ROUND_HALF_EVEN
rates, total = misc.get(what="RATES")["data"], {}
for day, amount, currency in misc.get(what="EXPENSES")["data"]:
    rate = Decimal(1 if currency == "EUR" else rates[day[:7] + "-01"][currency])
    euros = (Decimal(amount) * rate).quantize(Decimal("0.01"), ROUND_HALF_EVEN)
    total[day[:7]] = total.get(day[:7], Decimal(0)) + euros
{month: str(amount) for month, amount in sorted(total.items())}
""")
def expenses():
    out = {}
    for day, amount, currency in world.EXPENSES:
        rate = fractions.Fraction(world.RATES[day[:8] + "01"].get(currency, "1"))
        cents = round(fractions.Fraction(amount) * rate * 100)  # of a fraction: half to even
        out[day[:7]] = out.get(day[:7], 0) + cents
    return {month: f"{cents // 100}.{cents % 100:02}" for month, cents in sorted(out.items())}


# ---- cleaning ----

@task("How many people are in the contacts, where the same address or telephone number is the same one? Sizes of the groups.", """
import re
def phone(text):
    digits = re.sub(r"\\D", "", text)
    return digits[2:] if digits.startswith("00") else digits
groups = []
for name, mail, number in misc.get(what="CONTACTS")["data"]:
    keys = {k for k in (mail.strip().lower(), phone(number)) if k}
    same = [g for g in groups if g[0] & keys]
    merged = (keys.union(*(g[0] for g in same)), 1 + sum(g[1] for g in same))
    groups = [g for g in groups if g not in same] + [merged]
sorted(count for _, count in groups)
""")
def dedupe_contacts():
    parent = list(range(len(world.CONTACTS)))

    def find(n):
        return n if parent[n] == n else find(parent[n])
    for a, b in itertools.combinations(range(len(parent)), 2):
        (_, m1, p1), (_, m2, p2) = world.CONTACTS[a], world.CONTACTS[b]
        p1, p2 = (re.sub("^00", "", re.sub("[^0-9]", "", p)) for p in (p1, p2))
        if m1.strip().lower() == m2.strip().lower() or (p1 and p1 == p2):
            parent[find(a)] = find(b)
    return sorted(collections.Counter(find(n) for n in range(len(parent))).values())


@task("Which city is meant by each of those that were typed?", """
import difflib
cities = {c.lower(): c for c in misc.get(what="CITIES")["data"]}
[cities[difflib.get_close_matches(t.strip().lower(), cities, 1)[0]] for t in misc.get(what="TYPED")["data"]]
""")
def typed_cities():
    def distance(a, b):
        row = list(range(len(b) + 1))
        for i, x in enumerate(a, 1):
            row = list(itertools.accumulate(zip(b, row, row[1:]), lambda left, t: min(left + 1, t[2] + 1, t[1] + (x != t[0])), initial=i))
        return row[-1]
    return [min(world.CITIES, key=lambda c: distance(c.lower(), t.strip().lower())) for t in world.TYPED]


@task("Put [mail], [phone] and [card] in the place of addresses, telephone numbers and card numbers of the letter.", """
import re
letter = misc.text(what="LETTER")
letter = re.sub(r"[\\w.]+@[\\w.]+\\w", "[mail]", letter)
letter = re.sub(r"\\b(?:\\d{4} ){3}\\d{4}\\b", "[card]", letter)
re.sub(r"\\+\\d[\\d ]+\\d", "[phone]", letter)
""")
def redact():
    out = world.LETTER
    for text, word in (("+47 22 12 34 56", "[phone]"), ("+1 202 555 0143", "[phone]"), ("jane.doe@example.org", "[mail]"),
                       ("bob@mail.example.com", "[mail]"), ("4111 1111 1111 1111", "[card]")):
        out = out.replace(text, word)
    return out


@task("Which names stand in the table, and which notes has each?", """
import csv, io
notes = {}
for row in csv.DictReader(io.StringIO(misc.text(what="CSV"), newline="")):
    notes.setdefault(row["name"], []).append(row["notes, if any"])
notes
""")
def quoted_csv():
    body = world.CSV.replace('""', "\1").split("\r\n", 1)[1]
    fields = [f.strip('"').replace("\1", '"') for f in re.findall(r'("[^"]*"|[^,\r\n]*)(?:,|\r\n)', body)]
    out = {}
    for name, _, note in zip(*[iter(fields)] * 3):
        out.setdefault(name, []).append(note)
    assert out == {k: [r[2] for r in g] for k, g in itertools.groupby(
        sorted(list(csv.reader(io.StringIO(world.CSV, newline="")))[1:], key=lambda r: r[0] != "Doe, Jane"), lambda r: r[0])}
    return out


@task("Of the log: errors of each service, and the three slowest requests.", """
import re
errors, times = {}, []
for line in misc.text(what="LOG").splitlines():
    level, service, request, took = re.fullmatch(r"\\S+ (\\w+) (\\w+) request=(\\d+) took=(\\d+)ms user=\\S+", line).groups()
    times.append((int(took), -int(request)))
    errors[service] = errors.get(service, 0) + (level == "ERROR")
[dict(sorted(errors.items())), [-request for took, request in sorted(times, reverse=True)[:3]]]
""")
def read_a_log():
    words = [line.split() for line in world.LOG.split("\n")]
    errors = collections.Counter(w[2] for w in words if w[1] == "ERROR")
    slow = sorted(words, key=lambda w: (-int(w[4][5:-2]), int(w[3][8:])))
    return [{s: errors[s] for s in ("api", "auth", "mail")}, [int(w[3][8:]) for w in slow[:3]]]


# ---- trees and graphs ----

@task("How many people are below person 1, directly or not, and how deep does it go?", """
def below(id):
    reports = [below(n) for n in people.list_reports(id=id)["ids"]]
    return sum(1 + count for count, depth in reports), 1 + max((depth for count, depth in reports), default=-1)
list(below(1))
""")
def walk_a_tree():
    chains = []
    for p in world.PEOPLE:
        chain, boss = 1, p["boss"]
        while boss not in (None, 1):
            chain, boss = chain + 1, world.PEOPLE[boss]["boss"]
        if boss == 1:
            chains.append(chain)
    return [len(chains), max(chains, default=0)]


@task("How many comments and words has each author in the thread, answers to answers included?", """
from collections import Counter
comments, words = Counter(), Counter()
def walk(comment):
    comments[comment["author"]] += 1
    words[comment["author"]] += len(comment["text"].split())
    for reply in comment["replies"]:
        walk(reply)
walk(tickets.get_thread())
{who: [comments[who], words[who]] for who in sorted(comments)}
""")
def nested_comments():
    text = json.dumps(world.THREAD)
    found = re.findall(r'"author": "(\w+)", "text": "((?:word )+)"', text)
    return {who: [sum(1 for w, _ in found if w == who), sum(t.count("word") for w, t in found if w == who)] for who in sorted({w for w, _ in found})}


@task("How many tickets has each team, by severity, where a ticket without an assignee is nobody's?", """
import json
all_tickets = json.loads(tickets.export(token="t-4711"))
table = {}
for t in all_tickets:
    team = (t["assignee"] or {}).get("team", "nobody")
    row = table.setdefault(team, [0, 0, 0, 0])
    row[t["severity"] - 1] += 1
dict(sorted(table.items()))
""")
def missing_members():
    team = [["web", "db", "ops"][n % 3] if n % 5 else "nobody" for n in range(30)]
    severity = [1 + n * 7 % 4 for n in range(30)]
    return {t: [sum(1 for n in range(30) if team[n] == t and severity[n] == s) for s in (1, 2, 3, 4)] for t in sorted(set(team))}


@task("In which order can the parts be built, by the alphabet where there is a choice?", """
from heapq import heapify, heappop, heappush
needs = {part: set(others) for part, others in misc.get(what="BUILD")["data"].items()}
ready, order = sorted(p for p in needs if not needs[p]), []
heapify(ready)
while ready:
    part = heappop(ready)
    order.append(part)
    for other, left in needs.items():
        if part in left:
            left.discard(part)
            if not left:
                heappush(ready, other)
order
""")
def build_order():
    order = []
    while len(order) < len(world.BUILD):
        order.append(min(p for p, needs in world.BUILD.items() if p not in order and set(needs) <= set(order)))
    return order


@task("What is the shortest way from a to f, and how long is it?", """
from heapq import heappop, heappush
roads = {}
for here, there, length in misc.get(what="ROADS")["data"]:
    roads.setdefault(here, []).append((there, length))
    roads.setdefault(there, []).append((here, length))
heap, seen = [(0, ["a"])], set()
while heap:
    length, way = heappop(heap)
    if way[-1] == "f": break
    if way[-1] not in seen:
        seen.add(way[-1])
        for there, more in roads[way[-1]]: heappush(heap, (length + more, way + [there]))
["".join(way), length]
""")
def shortest_way():
    length = {frozenset(r[:2]): r[2] for r in world.ROADS}
    ways = ("a" + "".join(mid) + "f" for n in range(5) for mid in itertools.permutations("bcde", n))
    found = [(sum(length[frozenset(p)] for p in zip(w, w[1:])), w) for w in ways if all(frozenset(p) in length for p in zip(w, w[1:]))]
    return [min(found)[1], min(found)[0]]


# ---- at once ----

@task("Which three cities are the warmest? Ask for all of them at once.", """
import asyncio
cities = (await misc.get(what="CITIES"))["data"]
async def ask(city): return (await weather.temperature(city=city))["celsius"], city
answers = await asyncio.gather(*map(ask, cities))
[city for celsius, city in sorted(answers, key=lambda a: (-a[0], a[1]))[:3]]
""")
def gather():
    return sorted(sorted(world.CITIES), key=lambda city: -(sum(city.encode()) % 35))[:3]


@task("How warm are the cities together, where no more than three are asked at once? Was it so?", """
import asyncio
cities, gate = (await misc.get(what="CITIES"))["data"], asyncio.Semaphore(3)
await weather.most_at_once()
async def ask(city):
    async with gate:
        return (await weather.temperature(city=city))["celsius"]
[sum(await asyncio.gather(*map(ask, cities))), 1 < (await weather.most_at_once())["most"] <= 3]
""")
def gather_three_at_once():
    return [sum(sum(city.encode()) % 35 - 4 for city in world.CITIES), True]


@task("Of people who may not exist, who is found, where one failure does not cost the others?", """
import asyncio
async def ask(id): return (await asyncio.to_thread(people.get_person, id=id))["name"]
[a if isinstance(a, str) else type(a).__name__ for a in await asyncio.gather(*map(ask, (1, 99, 2, -1)), return_exceptions=True)]
""")
def gather_with_errors():
    return ["Person 1", "ToolError", "Person 2", "ToolError"]


# ---- numbers and bytes ----

@task("Slope and intercept of the series, and how well they fit, to four digits.", """
import statistics
x, y = zip(*misc.get(what="SERIES")["data"])
fit = statistics.linear_regression(x, y)
[round(fit.slope, 4), round(fit.intercept, 4), round(statistics.correlation(x, y), 4)]
""")
def regression():
    points = [(fractions.Fraction(x), fractions.Fraction(str(y))) for x, y in world.SERIES]
    n, sx, sy = len(points), sum(x for x, _ in points), sum(y for _, y in points)
    sxx, sxy, syy = (n * sum(f(x, y) for x, y in points) for f in (lambda x, y: x * x, lambda x, y: x * y, lambda x, y: y * y))
    slope = (sxy - sx * sy) / (sxx - sx * sx)
    fit = float(sxy - sx * sy) / (float(sxx - sx * sx) * float(syy - sy * sy)) ** 0.5
    return [round(float(slope), 4), round(float((sy - slope * sx) / n), 4), round(fit, 4)]


@task("The sum of the large numbers, and of it the remainder by 1,000,000,007.", """
numbers = misc.get(what="LARGE")["data"]
[str(sum(numbers)), sum(numbers) % 1_000_000_007]
""")
def large_numbers():
    total = len(world.LARGE) * 2**64 + sum(3**n for n in range(0, 80, 7))
    return [str(total), total % (10**9 + 7)]


@task("What is the SHA-256 of what is packed, and how many lines has it?", """
import base64, hashlib, zlib
data = zlib.decompress(base64.b64decode(misc.text(what="PACKED")), wbits=31)
[hashlib.sha256(data).hexdigest(), data.count(b"\\n") + 1]
""")
def unpack():
    return [hashlib.sha256(world.LOG.encode()).hexdigest(), 500]


@task("Which of the 5,000 events are critical? Nothing else is wanted.", """
[e["n"] for e in misc.get(what="EVENTS")["data"] if e["level"] == "critical"]
""")
def little_of_much():
    return list(range(5, 5000, 977))


@task("Show the picture, and say how large it is.", """
import base64, struct
from IPython.display import Image
block, = [b for b in misc.picture() if b["type"] == "image"]
data = base64.b64decode(block["data"])
display(Image(data))
list(struct.unpack(">II", data[16:24]))
""")
def show_a_picture():
    return [33, 21]


# ---- over several programs ----

@task("What did orders that were returned cost? Then, without asking again: how many customers were that?", ALL_ORDERS + """
from decimal import Decimal
price = {p["id"]: Decimal(p["price"]) for p in shop.list_products()["products"]}
returned = [o for o in all_orders() if o["status"] == "returned"]
cost = sum(price[l["product"]] * l["count"] for o in returned for l in o["lines"])
print(cost)
""", """
[str(cost), len({o["customer"] for o in returned})]
""")
def state_in_variables():
    (cents, people), = rows("select sum(cast(round(price * 100) as integer) * count), count(distinct customer) from lines "
                            "join orders on ordered = orders.id join products on product = products.id where status = 'returned'")
    return [f"{cents // 100}.{cents % 100:02}", people]


@task("Write the orders into a file. Then read it, and say how many customers have ordered more than eight times.", ALL_ORDERS + """
import csv
with open("orders.csv", "w", newline="") as file:
    out = csv.writer(file)
    out.writerow(["id", "customer"])
    out.writerows([o["id"], o["customer"]] for o in all_orders())
""", """
import collections, csv
with open("orders.csv", newline="") as file:
    count = collections.Counter(row["customer"] for row in csv.DictReader(file))
sum(1 for n in count.values() if n > 8)
""")
def state_in_a_file():
    return len(rows("select customer from orders group by customer having count(*) > 8"))


@task("There are many tools. Which one finds the key of the boat house, and what does it say?", """
import re
found = find_tools("key of the boat house")
name = re.search(r"def (drawer_\\d+)", found)[1]
print(name)
""", """
[name, getattr(misc, name)()["found"]]
""")
def find_the_tool():
    return ["drawer_27", "the spare key"]
