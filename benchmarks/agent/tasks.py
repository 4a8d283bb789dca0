"""The 60 tasks, as data: what is asked, what is right, and what a weak model says to it.

A task is one question or more, the files that are in the folder, and its class. A question has

    ask       its text
    right     expressions of Python that give what must be in the answer; `files` are the files' texts
    wrong     expressions that give what must not
    says      the model's replies in this order; when it goes on to the next one, see double.py
    judge     how the model judges what a program of it gave (JUDGES of double.py)
    why       what an honest judge says of a wrong output
    check     a statement that a caller can give to `snug ask --check`

A reply is a program in a form (FORMS of double.py) or words, and

    times     how often it comes before the model goes on
    error     a pattern of what a request must say before the model goes on
    needs     facts that a request must have as well (FACTS of double.py)
    unless    facts of a request for which the model leaves this reply out
"""
CLASSES = {
    "clean": "nothing is wrong with the replies",
    "prose": "prose before, after or instead of the program",
    "fence": "no fence, another one, or one that does not end",
    "half": "replies that are cut at a length (finish_reason length)",
    "verdict": "wrong, unreadable or undecided verdicts",
    "repeat": "the same wrong program again",
    "talk": "several questions, of which later ones build on earlier ones",
}


def program(text, form="fence", **more):
    return {"program": text.strip("\n"), "form": form, **more}


def words(text, **more):
    return {"words": text.strip("\n"), **more}


def question(ask, right, *says, **more):
    right = [right] if isinstance(right, str) else right
    return {"ask": ask, "right": right, "says": list(says), "judge": "honest", **more}


def task(name, kind, *questions, files=None, server=None):
    return {"name": name, "class": kind, "questions": list(questions), "files": files or {},
            "server": server or {}}


def one(name, kind, ask, right, *says, files=None, server=None, **more):
    return task(name, kind, question(ask, right, *says, **more), files=files, server=server)


# ---- data --------------------------------------------------------------------------------

SALES = {"sales.csv": """day,region,units,net_eur
2026-03-01,north,12,240.50
2026-03-01,south,7,131.25
2026-03-02,north,9,180.00
2026-03-02,west,15,301.75
2026-03-03,south,4,75.00
2026-03-03,west,11,220.40
"""}
STAFF = {"staff.csv": """name,dept,salary_k,joined
Ada,dev,71,2019
Ben,ops,52,2021
Cem,dev,64,2022
Dee,ops,58,2018
Eve,law,83,2020
Fay,dev,69,2017
"""}
ORDERS = {"orders.json": """[{"id": 1, "item": {"sku": "a1", "qty": 3}, "cents": 1250},
 {"id": 2, "item": {"sku": "b7", "qty": 1}, "cents": 8900},
 {"id": 3, "item": {"sku": "a1", "qty": 5}, "cents": 2075},
 {"id": 4, "item": {"sku": "c3", "qty": 2}, "cents": 615}]
"""}
LOG = {"server.log": """2026-03-01 10:00:01 INFO start
2026-03-01 10:00:07 ERROR disk full on /var
2026-03-01 10:01:12 WARN slow query 812 ms
2026-03-01 10:03:30 ERROR timeout after 30 s
2026-03-01 10:04:02 INFO retry
2026-03-01 10:04:05 ERROR timeout after 60 s
"""}
TEMPERATURES = {"temps.csv": """station,celsius
A,11.5
A,13.0
B,9.0
B,
A,12.1
B,10.4
"""}
POEM = {"poem.txt": """The tide goes out, the tide comes in,
the gulls go up, the gulls come down,
and in the harbour the lamps begin
to lean on the other side of town.
"""}

# ---- clean: the loops' own cost -------------------------------------------------------------

CLEAN = [
    one("sum of squares", "clean", "What is the sum of the squares of the whole numbers from 1 to 200?",
        "sum(n * n for n in range(1, 201))",
        program("print(sum(n ** 2 for n in range(1, 201)))")),
    one("days between", "clean", "How many days are there from 17 March 2023 to 5 November 2026?",
        "(datetime.date(2026, 11, 5) - datetime.date(2023, 3, 17)).days",
        program("from datetime import date\n\nprint('days:', (date(2026, 11, 5) - date(2023, 3, 17)).days)")),
    one("sales total", "clean", "What is the total of the column net_eur in sales.csv?", "1148.9",
        program("""
import csv

with open("sales.csv") as file:
    total = sum(float(row["net_eur"]) for row in csv.DictReader(file))
print(f"total: {total:.2f}")
"""), files=SALES),
    one("longest word", "clean", "Which is the longest word of poem.txt, and how many letters has it?",
        ["'harbour'", "7"],
        program("""
import re

text = open("poem.txt").read()
longest = max(re.findall("[a-z]+", text.lower()), key=len)
print(longest, len(longest))
"""), files=POEM),
    one("deep recursion", "clean",
        "By recursion: how many steps does the Collatz sequence of 837799 take to reach 1?", "524",
        program("""
import sys

sys.setrecursionlimit(5000)

def steps(n):
    return 0 if n == 1 else 1 + steps(n // 2 if n % 2 == 0 else 3 * n + 1)

print(steps(837799))
""")),
    one("file to json", "clean",
        "Convert staff.csv to staff.json, a list of objects, and say how many objects it has and how many "
        "bytes the first name has.", ["6", "3"],
        program("""
import csv
import json
import os

with open("staff.csv") as file:
    rows = list(csv.DictReader(file))
with open("staff.json", "w") as file:
    json.dump(rows, file)
print("written:", os.path.exists("staff.json"))
print("objects:", len(json.load(open("staff.json"))), "- first name:", len(rows[0]["name"].encode()))
""", error="'os'|forbidden"),
        program("""
import csv
import json

with open("staff.csv") as file:
    rows = list(csv.DictReader(file))
with open("staff.json", "w") as file:
    json.dump(rows, file)
print("objects:", len(json.load(open("staff.json"))), "- first name:", len(rows[0]["name"].encode()))
"""), files=STAFF),
    one("errors in a log", "clean", "How many lines of server.log are errors, and how many of these are timeouts?",
        ["3", "2"],
        program(r"""
import re

lines = open("server.log").read().splitlines()
errors = [line for line in lines if re.search(r"\bERROR\b", line)]
print("errors:", len(errors), "timeouts:", sum("timeout" in line for line in errors))
"""), files=LOG),
    one("dice", "clean", "With random.seed(7), throw two dice 10,000 times by randint: how often is the sum 7?",
        "(random.seed(7), sum(random.randint(1, 6) + random.randint(1, 6) == 7 for _ in range(10000)))[1]",
        program("""
import random

random.seed(7)
count = 0
for _ in range(10_000):
    if random.randint(1, 6) + random.randint(1, 6) == 7:
        count += 1
print("sevens:", count)
""")),
]

# ---- prose ---------------------------------------------------------------------------------

NOT_PYTHON = r"SyntaxError|IndentationError|NameError|holds no Python program|no program gave|is wrong|invalid"

PROSE = [
    one("primes below 1000", "prose", "How many primes are there below 1000?",
        "sum(all(n % d for d in range(2, n)) for n in range(2, 1000))",
        program("print(sum(all(n % d for d in range(2, int(n ** 0.5) + 1)) for n in range(2, 1000)))",
                "prose around fence")),
    one("anagrams", "prose",
        "Which words of this list are anagrams of 'listen': silent, tinsel, inlets, listens, enlist?",
        ["'silent'", "'tinsel'", "'inlets'", "'enlist'"],
        program("""
words = "silent tinsel inlets listens enlist".split()
print(", ".join(word for word in words if sorted(word) == sorted("listen")))
""", "prose before fence"), wrong=["'listens'"]),
    one("compound interest", "prose", "What do 1,500 euros become in 12 years at 3.2 % interest a year, to the cent?",
        "round(1500 * 1.032 ** 12, 2)",
        program('amount = 1500\nfor year in range(12):\n    amount *= 1.032\nprint(f"{amount:.2f} euros")',
                "prose before, no fence", error=NOT_PYTHON),
        program('print(f"{1500 * 1.032 ** 12:.2f} euros")')),
    one("vowels", "prose", "How many vowels has poem.txt?", "sum(c in 'aeiou' for c in files['poem.txt'].lower())",
        program('text = open("poem.txt").read().lower()\nprint("vowels:", sum(text.count(v) for v in "aeiou"))',
                "no fence, prose after", error=NOT_PYTHON),
        program('text = open("poem.txt").read().lower()\nprint("vowels:", sum(text.count(v) for v in "aeiou"))'),
        files=POEM),
    one("leap years", "prose", "How many leap years are there from 1900 to 2100, both included?", "49",
        words("""
To count the leap years, one goes through the years from 1900 to 2100. A year is a leap year if it can be
divided by 4, but not by 100, unless it can be divided by 400. 1900 and 2100 are not leap years, 2000 is.
Would you like me to write the program?
""", error=NOT_PYTHON),
        program("import calendar\n\nprint(calendar.leapdays(1900, 2101))")),
    one("sum of digits", "prose", "What is the sum of the digits of 2 to the power of 300?",
        "sum(map(int, str(2 ** 300)))",
        words("The sum of the digits of 2 to the power of 300 is 412.", error=NOT_PYTHON),
        program("print(sum(int(digit) for digit in str(2 ** 300)))"), wrong=["412"]),
    one("median of staff", "prose", "What is the median of salary_k in staff.csv?", "66.5",
        words("ANSWER: The median of salary_k is 64.", unless=["answer not offered"], error=NOT_PYTHON),
        words("The median of salary_k is 64.", unless=["answer offered"], error=NOT_PYTHON),
        program("""
import csv
import statistics

with open("staff.csv") as file:
    print("median:", statistics.median(float(row["salary_k"]) for row in csv.DictReader(file)))
"""), files=STAFF, wrong=["64"], why="The median of six values is the mean of the middle two."),
    one("day of the week", "prose", "What day of the week was 29 February 1904?", "'Monday'",
        words("ANSWER: It was a Sunday.", unless=["answer not offered"], error=NOT_PYTHON + "|has to be computed"),
        words("29 February 1904 was a Sunday.", unless=["answer offered"], error=NOT_PYTHON),
        program('import datetime\n\nprint(datetime.date(1904, 2, 29).strftime("%A"))'), wrong=["'Sunday'"],
        why="The day has to be computed."),
    one("roman numerals", "prose", "What is MMXXVI times MCMXLIV, as an ordinary number?", "2026 * 1944",
        words("I am a language model and cannot run code, but I can gladly help you with the steps!",
              times=2, error=NOT_PYTHON),
        program("""
VALUES = {"M": 1000, "D": 500, "C": 100, "L": 50, "X": 10, "V": 5, "I": 1}

def value(text):
    numbers = [VALUES[letter] for letter in text]
    return sum(-n if any(m > n for m in numbers[at + 1:at + 2]) else n for at, n in enumerate(numbers))

print(value("MMXXVI") * value("MCMXLIV"))
""")),
]

# ---- fences --------------------------------------------------------------------------------

FENCE = [
    one("greatest divisor", "fence", "What is the greatest common divisor of 461952 and 116298?", "18",
        program("import math\n\nprint(math.gcd(461952, 116298))", "bare")),
    one("sort by length", "fence", "Which word of poem.txt comes most often, and how often?", ["'the'", "7"],
        program("""
import collections
import re

words = re.findall("[a-z]+", open("poem.txt").read().lower())
print(collections.Counter(words).most_common(1))
""", "tildes", error=NOT_PYTHON),
        program("""
import collections
import re

words = re.findall("[a-z]+", open("poem.txt").read().lower())
print(collections.Counter(words).most_common(1))
"""), files=POEM),
    one("standard deviation", "fence",
        "What is the sample standard deviation of 12, 15, 11, 19, 22 and 8, to three decimals?",
        "round(statistics.stdev([12, 15, 11, 19, 22, 8]), 3)",
        program("import statistics\n\nprint(round(statistics.stdev([12, 15, 11, 19, 22, 8]), 3))",
                "prose, fence not closed", error=NOT_PYTHON),
        program("import statistics\n\nprint(round(statistics.stdev([12, 15, 11, 19, 22, 8]), 3))")),
    one("fibonacci", "fence", "What is the 90th Fibonacci number, if the first two are 1?", "2880067194370816120",
        program("a, b = 0, 1\nfor _ in range(90):\n    a, b = b, a + b\nprint(a)", "tags", error=NOT_PYTHON),
        program("a, b = 0, 1\nfor _ in range(90):\n    a, b = b, a + b\nprint(a)")),
    one("orders total", "fence",
        "orders.json: what do all orders together cost in euros (cents times qty of the item)?",
        "(1250 * 3 + 8900 + 2075 * 5 + 615 * 2) / 100",
        program("""
import json

orders = json.load(open("orders.json"))
print(sum(order["cents"] * order["item"]["qty"] for order in orders) / 100, "euros")
""", "json", error=NOT_PYTHON),
        program("""
import json

orders = json.load(open("orders.json"))
print(sum(order["cents"] * order["item"]["qty"] for order in orders) / 100, "euros")
"""), files=ORDERS),
    one("caesar", "fence", "What is 'Khoor, zruog!' if each letter goes back by three?", "'Hello, world'",
        program("""
text = "Khoor, zruog!"
back = {chr(base + (n + 3) % 26): chr(base + n) for base in (65, 97) for n in range(26)}
print("".join(back.get(letter, letter) for letter in text))
""", "transcript", error=NOT_PYTHON),
        program("""
text = "Khoor, zruog!"
back = {chr(base + (n + 3) % 26): chr(base + n) for base in (65, 97) for n in range(26)}
print("".join(back.get(letter, letter) for letter in text))
""")),
    one("permutations", "fence", "How many different words can be made of all letters of 'mississippi'?",
        "math.factorial(11) // (math.factorial(4) ** 2 * 2)",
        program("""
import collections
import math

count = math.factorial(11)
for times in collections.Counter("mississippi").values():
    count //= math.factorial(times)
print(count)
""", "install first", error=NOT_PYTHON),
        program("""
import collections
import math

count = math.factorial(11)
for times in collections.Counter("mississippi").values():
    count //= math.factorial(times)
print(count)
""")),
    one("hanoi", "fence", "By recursion: how many moves does the tower of Hanoi with 14 discs take?", "2 ** 14 - 1",
        program("""
def moves(discs):
    return 0 if discs == 0 else 2 * moves(discs - 1) + 1
# --
print("moves:", moves(14))
""", "two fences", error=r"\(No output\)|is wrong"),
        program("def moves(discs):\n    return 0 if discs == 0 else 2 * moves(discs - 1) + 1\n\n"
                "print('moves:', moves(14))"),
        why="There is no output."),
    one("palindromes", "fence", "How many palindromes are there among the whole numbers from 10 to 9999?",
        "sum(str(n) == str(n)[::-1] for n in range(10, 10000))",
        program('print("palindromes:", sum(str(n) == str(n)[::-1] for n in range(10, 10000)))',
                "typographic quotes", error="invalid character|SyntaxError"),
        program('print("palindromes:", sum(str(n) == str(n)[::-1] for n in range(10, 10000)))')),
]

# ---- half replies ----------------------------------------------------------------------------
# server: "default" is the bound of a reply where the request names none, "most" the one that holds
# whatever it names; both in tokens. before: tokens of thinking aloud before the program.

CUT = r"SyntaxError|never closed|IndentationError|\(No output\)|is wrong"


def long_winded(name, ask, right, text, server, before=0, files=None, **more):
    return one(name, "half", ask, right, program(text, before=before, error=CUT, **more), program(text),
               files=files, server=server)


HALF = [
    long_winded("triangle numbers", "What is the first triangle number with more than 100 divisors?", "73920", """
def divisors(n):
    return sum((1 if d * d == n else 2) for d in range(1, int(n ** 0.5) + 1) if n % d == 0)

n, step = 1, 1
while divisors(n) <= 100:
    step += 1
    n += step
print(n)
""", {}, before=2600),
    long_winded("matrix", "What is the determinant of the matrix [[2, 5, 3], [1, -2, -1], [1, 3, 4]]?", "-20", """
def determinant(m):
    if len(m) == 1:
        return m[0][0]
    return sum((-1) ** c * m[0][c] * determinant([row[:c] + row[c + 1:] for row in m[1:]]) for c in range(len(m)))

print(determinant([[2, 5, 3], [1, -2, -1], [1, 3, 4]]))
""", {}, before=2300),
    long_winded("change",
                "In how many ways can 2 euros be paid with coins of 1, 2, 5, 10, 20, 50, 100 and 200 cents?",
                "73682", """
ways = [1] + [0] * 200
for coin in (1, 2, 5, 10, 20, 50, 100, 200):
    for cents in range(coin, 201):
        ways[cents] += ways[cents - coin]
print("ways:", ways[200])
""", {}, before=3000),
    long_winded("mean of stations",
                "What is the mean of celsius in temps.csv of each station, leaving out what is missing?",
                ["12.2", "9.7"], """
import csv
import statistics

values = {}
with open("temps.csv") as file:
    for row in csv.DictReader(file):
        if row["celsius"]:
            values.setdefault(row["station"], []).append(float(row["celsius"]))
for station, numbers in sorted(values.items()):
    print(station, round(statistics.mean(numbers), 2))
""", {"default": 512}, before=420, files=TEMPERATURES),
    long_winded("binary ones", "How many of the whole numbers from 1 to 1000 have an even number of ones in binary?",
                "sum(bin(n).count('1') % 2 == 0 for n in range(1, 1001))", """
even = 0
for n in range(1, 1001):
    if bin(n).count("1") % 2 == 0:
        even += 1
print("even:", even)
""", {"default": 512}, before=485),
    one("sales by region", "half", "What is the sum of units of each region of sales.csv, and of all?",
        ["21", "11", "26", "58"],
        program("""
import csv

totals = {}
with open("sales.csv") as file:
    for row in csv.DictReader(file):
        totals[row["region"]] = totals.get(row["region"], 0) + int(row["units"])
print("north", totals["north"])
print("south", totals["south"])
#cut
print("west", totals["west"])
print("all", sum(totals.values()))
""", error=CUT),
        program("""
import csv

totals = {}
with open("sales.csv") as file:
    for row in csv.DictReader(file):
        totals[row["region"]] = totals.get(row["region"], 0) + int(row["units"])
print(totals, "all", sum(totals.values()))
"""), files=SALES, server={"default": 512}, why="West and the sum of all are missing."),
    long_winded("knight",
                "How many squares of an 8 by 8 board can a knight reach from a corner in at most three moves? The "
                "corner counts.", "1 + 2 + 9 + 20", """
STEPS = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]
reached = {(0, 0)}
for move in range(3):
    reached |= {(x + a, y + b) for x, y in reached for a, b in STEPS if 0 <= x + a < 8 and 0 <= y + b < 8}
print("reached:", len(reached))
""", {"most": 1500}, before=1450),
    long_winded("edit distance", "What is the edit distance of 'intention' and 'execution'?", "5", """
def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]

print("distance:", distance("intention", "execution"))
""", {"most": 1500}, before=1430),
]

# ---- verdicts --------------------------------------------------------------------------------

VERDICT = [
    one("sample variance", "verdict", "The values 4, 8, 15, 16, 23 and 42 are a sample. What is the sample variance?",
        "statistics.variance([4, 8, 15, 16, 23, 42])",
        program("import statistics\n\nprint(round(statistics.pvariance([4, 8, 15, 16, 23, 42]), 4))",
                error="sample, not"),
        program("import statistics\n\nprint(statistics.variance([4, 8, 15, 16, 23, 42]))"),
        wrong=["round(statistics.pvariance([4, 8, 15, 16, 23, 42]), 4)"], judge="sees programs only",
        why="The variance must be that of a sample, not of a population."),
    one("well paid", "verdict", "How many people of staff.csv have a salary_k of 58 or more?", "5",
        program("""
import csv

with open("staff.csv") as file:
    print("people:", sum(int(row["salary_k"]) > 58 for row in csv.DictReader(file)))
""", error="58 itself"),
        program("""
import csv

with open("staff.csv") as file:
    print("people:", sum(int(row["salary_k"]) >= 58 for row in csv.DictReader(file)))
"""), files=STAFF, wrong=["4"], judge="sees programs only", why="58 itself counts, too."),
    one("fair shares", "verdict",
        "Split 1,000 cents among 7 people as evenly as possible, into the list `shares`, and say how many "
        "get the most.", "6",
        program('shares = [round(1000 / 7)] * 7\nprint(shares.count(max(shares)), "people get the most")',
                error="sum\\(shares\\)"),
        program('shares = [1000 // 7 + (person < 1000 % 7) for person in range(7)]\n'
                'print(shares.count(max(shares)), "people get the most")'),
        wrong=["7"], judge="passes all", why="-", check="assert sum(shares) == 1000"),
    one("running maximum", "verdict",
        "Of the running maximum of 3, 9, 2, 11, 8, put it into the list `best` and say its sum.",
        "3 + 9 + 9 + 11 + 11",
        program("values = [3, 9, 2, 11, 8]\nbest = sorted(values)\nprint(sum(best))", error=r"best\[0\]|best\[-1\]"),
        program("import itertools\n\nvalues = [3, 9, 2, 11, 8]\n"
                "best = list(itertools.accumulate(values, max))\nprint(sum(best))"),
        wrong=["33"], judge="passes all", why="-", check="assert best[0] == 3 and best[-1] == 11"),
    one("speed", "verdict", "A train takes 2 hours and 25 minutes for 319 km. What is its mean speed?", "132",
        program("print(319 / (2 + 25 / 60))", error="state the unit"),
        program('print(f"{319 / (2 + 25 / 60):.0f} km/h")'), judge="wants a unit: km/h"),
    one("binomial", "verdict",
        "What is the chance of exactly 3 sixes in 10 throws of a die, in percent to two decimals?",
        "round(math.comb(10, 3) * 5 ** 7 / 6 ** 10 * 100, 2)",
        program('import math\n\nprint(f"{math.comb(10, 3) * 5 ** 7 / 6 ** 10 * 100:.2f} %")', error="does not look"),
        program('import math\n\nprint("chance:", round(math.comb(10, 3) * (1 / 6) ** 3 * (5 / 6) ** 7 * 100, 2), "%")'),
        judge="fails all"),
    one("weighted mean", "verdict", "What is the mean price of orders.json weighted by qty, in cents?",
        "(1250 * 3 + 8900 + 2075 * 5 + 615 * 2) / 11",
        program("""
import json

orders = json.load(open("orders.json"))
pieces = sum(order["item"]["qty"] for order in orders)
print("mean:", sum(order["cents"] * order["item"]["qty"] for order in orders) / pieces)
"""), files=ORDERS, judge="says no verdict"),
    one("hexadecimal", "verdict", "What is 3735928559 in hexadecimal?", "'deadbeef'",
        program('print(f"{3735928559:x}")'), judge="decorates"),
    one("harmonic", "verdict", "How many terms of 1 + 1/2 + 1/3 + ... does it take to get over 9?", "4550",
        program("""
total, terms = 0, 0
while total <= 9:
    terms += 1
    total += 1 / terms
print("terms:", terms)
"""), judge="mistypes the answer", wrong=["4505"]),
    one("zeros", "verdict", "How many zeros are at the end of the factorial of 1000?", "249",
        program('import math\n\n'
                'digits = str(math.factorial(1000))\nprint("zeros:", len(digits) - len(digits.rstrip("0")))'),
        judge="cannot tell"),
]

# ---- the same error again ------------------------------------------------------------------------

REPEAT = [
    one("average rows", "repeat", "What is the mean of celsius in temps.csv over all rows that have one?",
        "statistics.mean([11.5, 13.0, 9.0, 12.1, 10.4])",
        program("""
import csv

with open("temps.csv") as file:
    values = [float(row["celsius"]) for row in csv.DictReader(file)]
print(sum(values) / len(values))
""", times=2, error="could not convert string to float"),
        program("""
import csv

with open("temps.csv") as file:
    values = [float(row["celsius"]) for row in csv.DictReader(file) if row["celsius"]]
print(sum(values) / len(values))
"""), files=TEMPERATURES),
    one("join numbers", "repeat",
        "What do the squares of 1 to 9 look like, joined by dashes?", "'1-4-9-16-25-36-49-64-81'",
        program('print("-".join(n * n for n in range(1, 10)))', times=2, error="sequence item 0"),
        program('print("-".join(str(n * n) for n in range(1, 10)))')),
    one("nested lists", "repeat", "What is the sum of all numbers in [1, [2, [3, 4], 5], [[6], 7]]?", "28",
        program("def total(x):\n    return sum(total(y) for y in x)\n\nprint(total([1, [2, [3, 4], 5], [[6], 7]]))",
                times=2, error="not iterable"),
        program("def total(x):\n    return sum(map(total, x)) if isinstance(x, list) else x\n\n"
                "print(total([1, [2, [3, 4], 5], [[6], 7]]))")),
    one("next friday", "repeat", "Which date is the first Friday the 13th after 1 January 2027?", "'2027-08-13'",
        program("""
import datetime

day = datetime.date(2027, 1, 1)
while not (day.day == 13 and day.weekday() == 4):
    day = day + 1
print(day)
""", times=2, error="unsupported operand", needs=["told that it repeats"]),
        program("""
import datetime

day = datetime.date(2027, 1, 1)
while not (day.day == 13 and day.weekday() == 4):
    day += datetime.timedelta(days=1)
print(day)
""")),
    one("dictionary sort", "repeat",
        "Which letter comes third by how often it comes in 'Tennessee senses', and how often?",
        ["'n'", "3"],
        program("""
import collections

counts = collections.Counter("tennesseesenses")
print(counts.most_common()[2].letter)
""", times=2, error="no attribute 'letter'", needs=["told that it repeats"]),
        program("""
import collections

counts = collections.Counter("tennesseesenses")
print(*counts.most_common()[2])
""")),
    one("column names", "repeat",
        "What is the mean salary in thousands of each department of staff.csv?", ["68", "55", "83"],
        program("""
import csv

sums = {}
with open("staff.csv") as file:
    for row in csv.DictReader(file):
        sums.setdefault(row["department"], []).append(float(row["salary"]))
for name, values in sums.items():
    print(name, sum(values) / len(values))
""", unless=["columns"], error="KeyError"),
        program('print(open("staff.csv").readline())', unless=["columns"], error="is wrong", needs=["columns"]),
        program("""
import csv

sums = {}
with open("staff.csv") as file:
    for row in csv.DictReader(file):
        sums.setdefault(row["dept"], []).append(float(row["salary_k"]))
for name, values in sums.items():
    print(name, sum(values) / len(values))
"""), files=STAFF, why="These are the columns, and not the means."),
    one("table of powers", "repeat", "Show 2 to the power of 10, 20, 30 and 40 as a table.",
        ["2 ** 10", "2 ** 20", "2 ** 30", "2 ** 40"],
        program("""
from prettytable import PrettyTable

table = PrettyTable(["n", "2^n"])
for n in (10, 20, 30, 40):
    table.add_row([n, 2 ** n])
print(table)
""", times=2, error="prettytable"),
        program('for n in (10, 20, 30, 40):\n    print(f"{n:>4} | {2 ** n}")')),
    one("business days", "repeat", "How many days from Monday to Friday has March 2027?", "23",
        program("""
import datetime

days = [datetime.date(2027, 3, d) for d in range(1, 31)]
print("days:", sum(day.weekday() < 5 for day in days))
""", times=2, error="left out"),
        program("""
import datetime

days = [datetime.date(2027, 3, d) for d in range(1, 32)]
print("days:", sum(day.weekday() < 5 for day in days))
"""), wrong=["22"], why="March 2027 has 31 days, and the last one is left out."),
]

# ---- conversations ---------------------------------------------------------------------------------
# later: the program that builds on names of an earlier one, and the whole one. A model that adapts
# builds on them where it has heard that they live on; one that is careless does so in any case.


def adapts(ask, right, later, whole, **more):
    return question(ask, right, program(later, unless=["names not promised"], error="NameError"),
                    program(whole), **more)


def careless(ask, right, later, whole, **more):
    return question(ask, right, program(later, error="NameError"), program(whole), **more)


PRIMES = "primes = [n for n in range(2, 500) if all(n % d for d in range(2, int(n ** 0.5) + 1))]"
READ_SALES = 'import csv\n\nrows = list(csv.DictReader(open("sales.csv")))'
READ_STAFF = 'import csv\n\npeople = list(csv.DictReader(open("staff.csv")))'
READ_LOG = 'lines = open("server.log").read().splitlines()'
TRIALS = "import random\n\nrandom.seed(11)\nthrows = [random.randint(1, 6) for _ in range(600)]"
TRIED = "[random.seed(11), [random.randint(1, 6) for _ in range(600)]][1]"

TALK = [
    task("primes then more", "talk",
         question("How many primes are there below 500?", "95", program(PRIMES + "\nprint(len(primes))")),
         adapts("And what is their sum?", "21536", "print(sum(primes))", PRIMES + "\nprint(sum(primes))"),
         adapts("How many of them end with a 7?", "24", 'print(sum(p % 10 == 7 for p in primes))',
                PRIMES + '\nprint(sum(p % 10 == 7 for p in primes))')),
    task("sales then filters", "talk",
         question("How many rows has sales.csv?", "6", program(READ_SALES + "\nprint(len(rows))")),
         adapts("What are the net_eur of the north together?", "420.5",
                'print(sum(float(row["net_eur"]) for row in rows if row["region"] == "north"))',
                READ_SALES + '\nprint(sum(float(row["net_eur"]) for row in rows if row["region"] == "north"))'),
         adapts("And on which day were the most units sold?", "'2026-03-02'",
                'units = {}\nfor row in rows:\n    units[row["day"]] = units.get(row["day"], 0) + int(row["units"])\n'
                'print(max(units, key=units.get))',
                READ_SALES + '\nunits = {}\nfor row in rows:\n'
                '    units[row["day"]] = units.get(row["day"], 0) + int(row["units"])\n'
                'print(max(units, key=units.get))'),
         files=SALES),
    task("throws then counts", "talk",
         question("With random.seed(11), throw a die 600 times by randint. How many sixes come?", TRIED + ".count(6)",
                  program(TRIALS + "\nprint(throws.count(6))")),
         adapts("What is the mean of the throws, to three decimals?", f"round(statistics.mean({TRIED}), 3)",
                "print(round(sum(throws) / len(throws), 3))", TRIALS + "\nprint(round(sum(throws) / len(throws), 3))"),
         adapts("And what is the longest run of the same number?",
                f"max(len(list(g)) for _, g in itertools.groupby({TRIED}))",
                "import itertools\n\nprint(max(len(list(run)) for _, run in itertools.groupby(throws)))",
                TRIALS + "\nimport itertools\n\nprint(max(len(list(run)) for _, run in itertools.groupby(throws)))")),
    task("staff as in a notebook", "talk",
         question("Who of staff.csv has the highest salary_k?", "'Eve'",
                  program(READ_STAFF + '\nprint(max(people, key=lambda p: int(p["salary_k"]))["name"])')),
         careless("And who joined first?", "'Fay'", 'print(min(people, key=lambda p: int(p["joined"]))["name"])',
                  READ_STAFF + '\nprint(min(people, key=lambda p: int(p["joined"]))["name"])', wrong=["'Eve'"]),
         files=STAFF),
    task("log as in a notebook", "talk",
         question("How many lines has server.log?", "6", program(READ_LOG + "\nprint(len(lines))")),
         careless("How many of them are of the level INFO?", "2", 'print(sum(" INFO " in line for line in lines))',
                  READ_LOG + '\nprint(sum(" INFO " in line for line in lines))', wrong=["6"]),
         careless("How many seconds are between the first and the last one?", "244",
                  'from datetime import datetime\n\n'
                  'first, last = (datetime.fromisoformat(lines[at][:19]) for at in (0, -1))\n'
                  'print((last - first).seconds)',
                  READ_LOG + '\nfrom datetime import datetime\n\n'
                  'first, last = (datetime.fromisoformat(lines[at][:19]) for at in (0, -1))\n'
                  'print((last - first).seconds)'),
         files=LOG),
    task("a function then its use", "talk",
         question("Write a function digital_root(n) and show it for 987654321.", "9",
                  program("def digital_root(n):\n    while n > 9:\n        n = sum(map(int, str(n)))\n    return n\n\n"
                          "print(digital_root(987654321))")),
         careless("How many of the numbers from 1 to 300 have the root 4?", "33",
                  "print(sum(digital_root(n) == 4 for n in range(1, 301)))",
                  "def digital_root(n):\n    while n > 9:\n        n = sum(map(int, str(n)))\n    return n\n\n"
                  "print(sum(digital_root(n) == 4 for n in range(1, 301)))")),
    task("that number", "talk",
         question("What is the sum of the cubes of 1 to 30?", "465 ** 2",
                  program("total = sum(n ** 3 for n in range(1, 31))\nprint(total)")),
         adapts("Is that a square number? Of which number?", "465",
                "import math\n\nprint(math.isqrt(total) ** 2 == total, math.isqrt(total))",
                "import math\n\ntotal = sum(n ** 3 for n in range(1, 31))\n"
                "print(math.isqrt(total) ** 2 == total, math.isqrt(total))",
                judge="needs the talk")),
    task("a file between questions", "talk",
         question("Write the words of poem.txt that have four letters into four.txt, one a line, "
                  "in lower case. How many are they?",
                  "len(re.findall(r'\\b[a-z]{4}\\b', files['poem.txt'].lower()))",
                  program('import re\n\nfound = re.findall(r"\\b[a-z]{4}\\b", open("poem.txt").read().lower())\n'
                          'open("four.txt", "w").write("\\n".join(found))\nprint(len(found))')),
         question("How many different ones are in four.txt?",
                  "len(set(re.findall(r'\\b[a-z]{4}\\b', files['poem.txt'].lower())))",
                  program('print(len(set(open("four.txt").read().split())))')),
         files=POEM),
]

TASKS = [*CLEAN, *PROSE, *FENCE, *HALF, *VERDICT, *REPEAT, *TALK]
