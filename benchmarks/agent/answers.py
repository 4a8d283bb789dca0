"""Whether an answer is right: it has every right value of its question, and no wrong one.

A number is found as a number, whatever its form (1,148.90 is 1148.9), another value as whole words.
"""
import calendar
import datetime
import itertools
import math
import random
import re
import statistics
from decimal import Decimal

NUMBER = re.compile(r"(?<![\w.])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?(?![\w])", re.IGNORECASE)
MODULES = {module.__name__: module for module in (calendar, datetime, itertools, math, random, re, statistics)}


def numbers(text):
    return {Decimal(found.replace(",", "")) for found in NUMBER.findall(text)}


def has(text, value):
    if isinstance(value, str):
        return bool(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE))
    wanted = Decimal(str(value))
    return any(abs(found - wanted) <= abs(wanted) * Decimal("1e-9") for found in numbers(text))


def values(task, expressions):
    return [eval(expression, {**MODULES, "files": task["files"]}) for expression in expressions]


def is_right(task, at, text):
    question = task["questions"][at]
    return (all(has(text, value) for value in values(task, question["right"]))
            and not any(has(text, value) for value in values(task, question.get("wrong", []))))
