"""What examples/agent.c is told by the test endpoint."""
RULES = [
    ("dict total, and show it", "```python\nimport csv\ntotal = {}\nfor row in csv.DictReader("
     "open('sales.csv')):\n    total[row['region']] = total.get(row['region'], 0) + row['amount']\n"
     "total\n```"),
    ("Your program failed", '```json\n{"root_cause": "amounts are text", "severity": "low", '
     '"recommendations": ["convert them"]}\n```\n```python\nimport csv\ntotal = {}\nfor row in '
     "csv.DictReader(open('sales.csv')):\n    total[row['region']] = total.get(row['region'], 0) + "
     "int(row['amount'])\ntotal\n```"),
    ("Judge whether", '{"verdict": "pass", "reason": "", "answer": "North sold 210 and south 230."}'),
    ("reached their target", "```python\n{region: total[region] >= target(region) for region in "
     "total}\n```"),
    ("Judge whether", '{"verdict": "pass", "reason": "", "answer": "North has, south has not."}'),
]
LINES = [
    "Q: Put the sales of each region into the dict total, and show it.",
    "A: North sold 210 and south 230.",
    "Q: Which regions reached their target?",
    "A: North has, south has not.",
]
