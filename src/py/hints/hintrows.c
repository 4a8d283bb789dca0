/*
 * hintrows.c - the table of hints: the first row that fits and has something to say. Messages are
 * those of 3.11 and of 3.13. A row that could be wrong of some program with its message is not
 * here: no hint is better than a wrong one.
 */
#include "py/hints/hint.h"
#include "py/hints/hints.h"

#define KEY       &PyExc_KeyError
#define NAME      &PyExc_NameError
#define ATTRIBUTE &PyExc_AttributeError
#define TYPE      &PyExc_TypeError
#define VALUE     &PyExc_ValueError
#define INDEX     &PyExc_IndexError
#define RUNTIME   &PyExc_RuntimeError
#define SYNTAX    &PyExc_SyntaxError
#define ANY       &PyExc_Exception

#define AWAIT       "Write `await` in front of the call."
#define ASYNC_FOR   "Loop over an async generator with `async for`."
#define CALL_IT     "It is a function: call it with ()."
#define IS_NUMBERED "The index must be an int: use int(x), or // instead of /."
#define FROM_TEXT   "Convert the str to a number first, with int(x) or float(x)."
#define TO_ONE_TYPE "Convert the str with int(x) or float(x), or the number with str(x)."
#define TEST_FIRST  "Test with `in` first."
#define OF_AXES     "Use a time zone for both, as in datetime.now(timezone.utc), or for neither."
#define NO_VALUE                                                                                   \
    "A value is None. Functions without a return value, list.sort() and print() return None, and " \
    "so do dict.get() and re.match() when they find nothing."
#define PARSED "It is parsed already: json.loads() is for text."
#define ESCAPE_IT                                                                   \
    "To match one of ( ) [ ] { } . * + ? itself, put a backslash before it or use " \
    "re.escape(text)."
#define TOO_DEEP "The recursion is too deep: check the condition that ends it, or use a loop."
#define BRACES   "Write {{ and }} for literal braces."
#define TABLES   "SELECT name, sql FROM sqlite_master lists the tables and their columns."

#define FOR_PROFILES                                                                               \
    "A profile needs a full session: --full --allow cProfile --allow pstats. Without one measure " \
    "with %timeit or time.perf_counter."

const hint_row hint_rows[] = {
    /* ---- names ---- */
    { &PyExc_UnboundLocalError, "cannot access local variable '*' where *", hint_unbound, NULL },
    { NAME, "name '*' is not defined", hint_name, NULL },

    /* ---- attributes ---- */
    { ATTRIBUTE, "'NoneType' object has no attribute '*'", NULL, NO_VALUE },
    { ATTRIBUTE, "module '*' has no attribute '*'", hint_module_attribute, NULL },
    { ATTRIBUTE, "'*' object has no attribute '*'", hint_attribute, NULL },
    { ATTRIBUTE, "type object '*' has no attribute '*'", hint_attribute, NULL },
    { ATTRIBUTE, "cannot assign to field '*'", NULL,
      "A frozen dataclass cannot be changed: dataclasses.replace(x, $1=...) makes a copy." },

    /* ---- keys and indexes ---- */
    { KEY, "No time zone found with key *", NULL,
      "Time zones have names such as \"Europe/Berlin\" and \"UTC\"." },
    { KEY, NULL, hint_key, NULL },
    { INDEX, "pop from *", NULL, "It is empty: test that first, as in `while items:`." },
    { INDEX, "Replacement index * out of range*", NULL,
      "The text has more {} than format() has arguments. " BRACES },
    { INDEX, "* assignment index out of range", hint_index,
      "Assignment needs an index that exists: append(x) makes a list longer." },
    { INDEX, NULL, hint_index, NULL },

    /* ---- calls ---- */
    { TYPE, "* missing 1 required positional argument: 'self'", NULL,
      "It is a method: call it on an object, not on the class." },
    { TYPE, "*() missing * required *", hint_call, NULL },
    { TYPE, "*() takes no arguments", hint_call,
      "A class that takes arguments needs a method __init__." },
    { TYPE, "*() takes * given*", hint_call, NULL },
    { TYPE, "* expected *argument*, got *", hint_call, NULL },
    { TYPE, "*() got an unexpected keyword argument '*'*", hint_call, NULL },
    { TYPE, "*() got multiple values for argument '*'", hint_call, NULL },
    { TYPE, "*() got some positional-only arguments *", hint_call, NULL },
    { TYPE, "*() takes no keyword arguments", hint_call, NULL },

    /* ---- what is not a value yet ---- */
    { TYPE, "*'coroutine'*", NULL, AWAIT },
    { TYPE, "*\"coroutine\"*", NULL, AWAIT },
    { TYPE, "Object of type coroutine *", NULL, AWAIT },
    { TYPE, "'async_generator' object is not *", NULL, ASYNC_FOR },
    { TYPE, "object async_generator can't be used in 'await' expression", NULL, ASYNC_FOR },
    { TYPE, "object function can't be used in 'await' expression", NULL, CALL_IT },
    { TYPE, "object method can't be used in 'await' expression", NULL, CALL_IT },
    { TYPE, "object * can't be used in 'await' expression", NULL,
      "It is not a coroutine: remove `await`." },
    { TYPE, "unsupported operand type(s) for *: 'NoneType' and *", NULL, NO_VALUE },
    { TYPE, "unsupported operand type(s) for *: '*' and 'NoneType'", NULL, NO_VALUE },
    { TYPE, "'*' not supported between instances of 'NoneType' and *", NULL, NO_VALUE },
    { TYPE, "'*' not supported between instances of '*' and 'NoneType'", NULL, NO_VALUE },
    { TYPE, "can only concatenate * (not \"NoneType\") to *", NULL, NO_VALUE },
    { TYPE, "'NoneType' object is not *", NULL, NO_VALUE },
    { TYPE, "cannot unpack non-iterable NoneType object", NULL, NO_VALUE },
    { TYPE, "argument of type 'NoneType' is not *", NULL, NO_VALUE },
    { TYPE, "object of type 'NoneType' has no len()", NULL, NO_VALUE },
    { TYPE, "int() argument must be * not 'NoneType'", NULL, NO_VALUE },
    { TYPE, "float() argument must be * not 'NoneType'", NULL, NO_VALUE },
    { TYPE, "unsupported format string passed to NoneType.__format__", NULL, NO_VALUE },
    { TYPE, "write() argument must be str, not None", NULL, NO_VALUE },

    /* ---- operators ---- */
    { TYPE, "unsupported operand type(s) for +*: 'int' and 'str'", hint_plus, TO_ONE_TYPE },
    { TYPE, "unsupported operand type(s) for +*: 'float' and 'str'", NULL, TO_ONE_TYPE },
    { TYPE, "unsupported operand type(s) for *: 'int' and 'str'", NULL, FROM_TEXT },
    { TYPE, "unsupported operand type(s) for *: 'float' and 'str'", NULL, FROM_TEXT },
    { TYPE, "unsupported operand type(s) for *: 'str' and 'int'", NULL, FROM_TEXT },
    { TYPE, "unsupported operand type(s) for *: 'str' and 'float'", NULL, FROM_TEXT },
    { TYPE, "'*' not supported between instances of 'str' and 'int'", NULL, TO_ONE_TYPE },
    { TYPE, "'*' not supported between instances of 'str' and 'float'", NULL, TO_ONE_TYPE },
    { TYPE, "'*' not supported between instances of 'int' and 'str'", NULL, TO_ONE_TYPE },
    { TYPE, "'*' not supported between instances of 'float' and 'str'", NULL, TO_ONE_TYPE },
    { TYPE, "bad operand type for unary -: 'str'", NULL, FROM_TEXT },
    { TYPE, "bad operand type for abs(): 'str'", NULL, FROM_TEXT },
    { TYPE, "must be real number, not str", NULL, FROM_TEXT },
    { TYPE, "%* format: a * is required, not str", NULL,
      "Convert the str with int(x) or float(x); a percent sign is written %%." },
    { TYPE, "can only concatenate str (not \"int\") to str", NULL, TO_ONE_TYPE },
    { TYPE, "can only concatenate str (not \"float\") to str", NULL, TO_ONE_TYPE },
    { TYPE, "can only concatenate list (not \"tuple\") to list", NULL, "Write items + list(x)." },
    { TYPE, "can only concatenate list (not \"str\") to list", NULL, "Write items + [x]." },
    { TYPE, "can only concatenate list (not \"int\") to list", NULL, "Write items + [x]." },
    { TYPE, "can only concatenate tuple (not \"list\") to tuple", NULL, "Write t + tuple(x)." },
    { TYPE, "can only concatenate tuple (not \"str\") to tuple", NULL, "Write t + (x,)." },
    { TYPE, "can only concatenate tuple (not \"int\") to tuple", NULL, "Write t + (x,)." },
    { TYPE, "can't concat str to bytes", NULL, "Encode the str first: text.encode()." },
    { TYPE, "can't multiply sequence by non-int of type '*'", NULL,
      "Only an int repeats a sequence. To calculate, convert a str with int(x) or float(x), and "
      "multiply each item of a list." },
    { TYPE, "can't compare offset-naive and offset-aware *", NULL, OF_AXES },
    { TYPE, "can't subtract offset-naive and offset-aware *", NULL, OF_AXES },

    /* ---- uses ---- */
    { TYPE, "'builtin_function_or_method' object is not *", NULL, CALL_IT },
    { TYPE, "'function' object is not subscriptable", NULL, CALL_IT },
    { TYPE, "'method' object is not *", NULL, CALL_IT },
    { TYPE, "'set' object is not subscriptable", NULL,
      "A set has no order: use list(x)[0], sorted(x)[0] or next(iter(x))." },
    { TYPE, "'*' object is not subscriptable", hint_iterator, NULL },
    { TYPE, "object of type '*' has no len()", hint_iterator, NULL },
    { TYPE, "'int' object is not iterable", hint_range, NULL },
    { TYPE, "cannot unpack non-iterable * object", hint_unpacking, NULL },
    { TYPE, "'module' object is not callable*", hint_not_callable, NULL },
    { TYPE, "'*' object is not callable*", hint_not_callable, NULL },
    { TYPE, "'list' object is not an iterator", NULL, "Write next(iter(x))." },
    { TYPE, "'str' object does not support item assignment", NULL,
      "A str cannot be changed: build a new one, or join a changed list(text)." },
    { TYPE, "'tuple' object does not support item assignment", NULL,
      "A tuple cannot be changed: make a list of it, list(t)." },
    { TYPE, "'float' object cannot be interpreted as an integer", NULL,
      "An int is needed: // divides without a fraction, and int(x) removes it." },
    { TYPE, "*list indices must be integers or slices, not str", NULL,
      "It is a list: use the index of an item, or loop over the items." },
    { TYPE, "*list indices must be integers or slices, not tuple", hint_is_unsure,
      "Write a[i][j] for lists in a list." },
    { TYPE, "tuple indices must be integers or slices, not str", NULL,
      "Use a number, t[0], or unpack the tuple; a named tuple has t.name." },
    { TYPE, "*indices must be integers or slices, not float", NULL, IS_NUMBERED },
    { TYPE, "string indices must be integers, not 'float'", NULL, IS_NUMBERED },
    { TYPE, "string indices must be integers, not 'str'", NULL,
      "It is a str. JSON text needs json.loads(text) first, and a loop over a dict yields its "
      "keys." },
    { TYPE, "*unhashable type: 'list'*", hint_is_unsure, "Use a tuple instead: tuple(x)." },
    { TYPE, "*unhashable type: 'set'*", NULL, "Use frozenset(x) instead." },
    { TYPE, "sequence item *: expected str instance, int found", NULL,
      "join() takes only str: sep.join(map(str, items))." },
    { TYPE, "Object of type set is not JSON serializable", NULL, "Convert the set: list(x)." },
    { TYPE, "Object of type date* is not JSON serializable", NULL,
      "Pass default=str to json.dumps()." },
    { TYPE, "Object of type ndarray is not JSON serializable", NULL, "Convert it: x.tolist()." },
    { TYPE, "Object of type int64 is not JSON serializable", NULL, "Convert it: int(x)." },
    { TYPE, "the JSON object must be str, bytes or bytearray, not dict", NULL, PARSED },
    { TYPE, "the JSON object must be str, bytes or bytearray, not list", NULL, PARSED },
    { TYPE, "the JSON object must be str, bytes or bytearray, not TextIOWrapper", NULL,
      "json.load(file) reads a file." },
    { TYPE, "keys must be str, int, float, bool or None, not *", NULL,
      "The keys of JSON are texts: {str(k): v for k, v in d.items()}." },
    { TYPE, "a bytes-like object is required, not 'str'", hint_is_unsure,
      "Encode the str with text.encode(), or open the file without \"b\"." },
    { TYPE, "write() argument must be str, not bytes", NULL,
      "Open the file with \"wb\" to write bytes." },
    { TYPE, "write() argument must be str, not *", NULL,
      "Write str(x), or use json.dump(x, file)." },
    { TYPE, "not enough arguments for format string", NULL,
      "The text has more % conversions than there are values. Pass a tuple with all values, and "
      "write %% for a percent sign." },
    { TYPE, "not all arguments converted during string formatting", NULL,
      "There are more values than % conversions in the text. For the remainder of a division "
      "convert the text first: int(x) % n." },
    { TYPE, "exceptions must derive from BaseException", NULL, "Write raise ValueError(\"...\")." },
    { TYPE, "strptime() argument 1 must be str, not datetime.*", NULL, "It is parsed already." },

    /* ---- values ---- */
    { &PyExc_UnicodeDecodeError, "utf-8", NULL,
      "The bytes are not UTF-8: try encoding=\"latin-1\" or errors=\"replace\", or open the file "
      "with \"rb\" if it is not text." },
    { &PyExc_UnicodeDecodeError, "ascii", NULL, "Decode as \"utf-8\"." },
    { &PyExc_UnicodeEncodeError, "ascii", NULL, "Encode as \"utf-8\"." },
    { &PyExc_UnicodeEncodeError, "latin-1", NULL, "Encode as \"utf-8\"." },
    { VALUE, "Expecting property name enclosed in double quotes*", NULL,
      "JSON has double quotes and no comma before }. ast.literal_eval(text) reads what Python "
      "printed." },
    { VALUE, "Expecting value: line 1 column 1 (char 0)", NULL,
      "The text is empty or is not JSON: print(repr(text[:200])) shows it." },
    { VALUE, "Extra data: *", NULL,
      "More text follows the first value. JSON Lines are read with [json.loads(line) for line in "
      "text.splitlines()]." },
    { VALUE, "Invalid control character at: *", NULL,
      "A string contains a line break or another control character: write \\\\n there, or pass "
      "strict=False." },
    { VALUE, "Invalid \\escape: *", NULL,
      "A backslash in JSON is written \\\\. In Python source use r\"...\"." },
    { VALUE, "invalid literal for int() with base 10: *", hint_number, NULL },
    { VALUE, "could not convert string to float: *", hint_number, NULL },
    { VALUE, "too many values to unpack (expected *", hint_unpacking, NULL },
    { VALUE, "not enough values to unpack (expected *", hint_unpacking, NULL },
    { VALUE, "dictionary update sequence element *", NULL,
      "dict() and update() take pairs: [(key, value), ...]." },
    { VALUE, "list.remove(x): x not in list", NULL, TEST_FIRST },
    { VALUE, "* is not in list", NULL, TEST_FIRST },
    { VALUE, "list.index(x): x not in list", NULL, TEST_FIRST },
    { VALUE, "substring not found", NULL, "text.find(part) returns -1 instead." },
    { VALUE, "m*() *empty*", NULL, "Pass default=..., or test for items first." },
    { VALUE, "I/O operation on closed file.", NULL,
      "The file is closed, as it is after its `with` block: use it inside the block." },
    { VALUE, "Invalid isoformat string: *", NULL,
      "datetime.strptime(text, format) reads dates that are not in ISO format." },
    { VALUE, "day is out of range for month", NULL,
      "calendar.monthrange(year, month)[1] is the last day of a month." },
    { VALUE, "cannot convert float NaN to integer", NULL, "Test with math.isnan(x) first." },
    { VALUE, "empty separator", NULL, "Use text.split() for words, list(text) for characters." },
    { VALUE, "Sample larger than population or is negative", NULL,
      "random.choices(items, k=n) can choose an item more than once." },
    { VALUE, "Unknown format code 'f' for object of type 'str'", NULL, FROM_TEXT },
    { VALUE, "Unknown format code 'd' for object of type 'str'", NULL, FROM_TEXT },
    { VALUE, "Unknown format code 'd' for object of type 'float'", NULL,
      "Write {x:.0f}, or format int(x)." },
    { VALUE, "unsupported format character '*' *", NULL, "A percent sign is written %%." },
    { VALUE, "invalid mode: '*'", NULL, "A mode is r, w, a or x, with b or + after it." },
    { VALUE, "not readable", NULL, "Open the file with \"r\" or \"r+\" to read it." },
    { VALUE, "not writable", NULL, "Open the file with \"w\", \"a\" or \"r+\" to write to it." },

    /* ---- numbers ---- */
    { &PyExc_ZeroDivisionError, NULL, hint_division, NULL },
    { &PyExc_OverflowError, "cannot convert float infinity to integer", NULL,
      "Test with math.isinf(x) first." },
    { &PyExc_OverflowError, "int*too large* float", NULL,
      "The number is too large for a float: use // between ints, or decimal.Decimal." },
    { &PyExc_AssertionError, NULL, hint_assertion, NULL },

    /* ---- files, limits, running ---- */
    { &PyExc_EOFError, "nobody answers input() in this session: *", NULL,
      "Put the value into the code, name = \"...\"." },
    { &PyExc_OSError, NULL, hint_system, NULL },
    { &PyExc_StopIteration, "", NULL, "next(it, None) returns None at the end." },
    { &PyExc_RecursionError, "maximum recursion depth exceeded", NULL, TOO_DEEP },
    { &PyExc_RecursionError, "maximum recursion depth exceeded in *", NULL, TOO_DEEP },
    { &PyExc_RecursionError, "maximum recursion depth exceeded while calling *", NULL, TOO_DEEP },
    { &PyExc_MemoryError, NULL, hint_memory, NULL },
    { &PyExc_ImportError, "No module named '_lsprof'", NULL, FOR_PROFILES },
    { &PyExc_ImportError, "No module named 'profiling*'", NULL, FOR_PROFILES },
    { &PyExc_ImportError, "No module named 'marshal'", NULL,
      "marshal is there in full sessions only, "
      "and profile, which needs it: --full." },
    { &PyExc_ImportError, "cannot import name '*' from '*'*", hint_import_name, NULL },
    { RUNTIME, "dictionary changed size during iteration", NULL,
      "Loop over a copy: for key in list(d)." },
    { RUNTIME, "Set changed size during iteration", NULL, "Loop over a copy: for x in list(s)." },
    { RUNTIME, "asyncio.run() cannot be called from a running event loop", NULL,
      "Write `await main()` instead of asyncio.run(main())." },
    { RUNTIME, "*event loop is already running", NULL, "Use `await` instead." },
    { RUNTIME, "cannot reuse already awaited coroutine", NULL,
      "Call the function again for a new coroutine." },
    { RUNTIME, "generator raised StopIteration", NULL,
      "Write next(it, None) in the generator, and end it with `return`." },
    { RUNTIME, "no running event loop", NULL,
      "Call it from an async function, or from a cell with `await`." },
    { ANY, "no such table: *", NULL, TABLES },
    { ANY, "no such column: *", NULL, TABLES },
    { ANY, "nothing to repeat at position *", NULL, ESCAPE_IT },
    { ANY, "multiple repeat at position *", NULL, ESCAPE_IT },
    { ANY, "unbalanced parenthesis at position *", NULL, ESCAPE_IT },
    { ANY, "missing ), unterminated subpattern at position *", NULL, ESCAPE_IT },
    { ANY, "unterminated character set at position *", NULL, ESCAPE_IT },

    /* ---- source ---- */
    { &PyExc_TabError, NULL, NULL, "Tabs and spaces are mixed: indent with four spaces." },
    { SYNTAX, NULL, hint_notebook_line, NULL },
    { SYNTAX, "expected an indented block after *", NULL,
      "Indent the lines below by four spaces, or write pass." },
    { SYNTAX, "invalid character '*' *", hint_character, NULL },
    { SYNTAX, "invalid non-printable character *", NULL,
      "Replace the invisible character $1 with a space, or delete it." },
    { SYNTAX, "'await' outside async function", NULL,
      "Write `async def` for the function around it." },
    { SYNTAX, "'async *' outside async function", NULL,
      "Write `async def` for the function around it." },
    { SYNTAX, "'return' outside function", NULL,
      "Indent it if it belongs to the function above. A cell shows the value of its last line "
      "without return." },
    { SYNTAX, "f-string expression part cannot include a backslash", NULL,
      "Put the part with the backslash into a variable first." },
    { SYNTAX, "f-string: *empty expression not allowed", NULL, BRACES },
    { SYNTAX, "f-string: valid expression required before '}'", NULL, BRACES },
    { SYNTAX, "f-string: single '}' is not allowed", NULL, BRACES },
    { SYNTAX, "f-string: unmatched '['", NULL,
      "Close the bracket, and inside { } use other quotes than around the f-string." },
    { SYNTAX, "(unicode error) *: truncated *", NULL,
      "A backslash begins an escape: write r\"...\", or \\\\ for a literal backslash." },
    { SYNTAX, "name '*' is * global declaration", NULL,
      "Write `global $1` in the first line of the function." },
    { SYNTAX, "unterminated string literal *", NULL,
      "Close the quote on the same line, with a backslash before a quote inside, or use "
      "\"\"\"...\"\"\" for several lines." },
    { SYNTAX, NULL, hint_syntax_line, NULL },

    /* ---- what the session raises ---- */
    { ANY, "sys.setprofile is not allowed in this session", NULL, FOR_PROFILES },
    { ANY, "nothing is installed from a cell; *", NULL, HINT_NO_INSTALL },
};
const size_t hint_row_count = sizeof hint_rows / sizeof *hint_rows;
