"""Which of CPython's test modules run, and what a session allows for them."""

# What the modules and test.support import besides.
ALLOWED = """test getpass sysconfig gc subprocess tempfile shutil signal socket threading multiprocessing
concurrent faulthandler locale ctypes select platform site runpy pydoc importlib marshal codecs opcode dis
tokenize token symtable code pickletools pstats profile cProfile optparse argparse getopt shelve dbm bz2
lzma zipfile tarfile gzip inspect logging pickle weakref copyreg fnmatch glob os pathlib stat fileinput
linecache traceback tracemalloc atexit builtins types zipimport http py_compile compileall urllib email
mimetypes bdb pdb cmd codeop trace xml xmlrpc html sqlite3 zoneinfo asyncio ast mmap resource uuid unittest
doctest collections json ctypes pyclbr modulefinder pkgutil plistlib configparser crypt audioop wave sndhdr
imghdr quopri uu binhex mailbox mailcap netrc nturl2path ntpath posixpath genericpath sched selectors
socketserver ssl ftplib poplib imaplib smtplib stringprep this tabnanny timeit webbrowser wsgiref xdrlib
zipapp gettext fcntl termios pty tty grp pwd encodings ensurepip venv lib2to3
_pyio _abc _ast _asyncio _bisect _blake2 _bz2 _codecs _collections _collections_abc _compat_pickle
_compression _contextvars _csv _datetime _decimal _elementtree _functools _hashlib _heapq _io _json _locale
_lsprof _lzma _markupbase _md5 _opcode _opcode_metadata _operator _pickle _posixsubprocess _py_abc _pydatetime
_pydecimal _pylong _queue _random _sha1 _sha2 _sha256 _sha3 _sha512 _signal _socket _sqlite3 _sre _stat
_statistics _string _strptime _struct _suggestions _symtable _testcapi _testinternalcapi _testlimitedcapi
_testsinglephase _testmultiphase _ctypes_test _thread _threading_local _tokenize _tracemalloc
_typing _uuid _warnings _weakref _weakrefset _zoneinfo pyexpat xml.sax xml.sax.expatreader xml.parsers
logging.config logging.handlers ctypes.util _osx_support _aix_support _pyrepl _colorize _imp _frozen_importlib
_frozen_importlib_external _sitebuiltins _compile _parser _ios_support _android_support tomllib graphlib
colorsys cgi cgitb chunk nis pipes asyncore asynchat smtpd telnetlib nntplib filecmp aifc sunau imp rlcompleter
symbol formatter pyclbr tabnanny zipfile._path pathlib._local pathlib._abc idlelib turtle turtledemo tkinter
antigravity this stringprep unicodedata xxlimited xxsubtype sre_compile sre_constants sre_parse re secrets
hmac getpass bisect heapq tracemalloc spwd syslog readline curses
crypt_r msilib winreg posix errno ntpath _crypt _posixshmem _multiprocessing _gdbm _dbm _tkinter _curses
_curses_panel _ssl""".split()

# In C, for tests; from 3.12 on it cannot be imported in an interpreter of its own.
ALLOWED_OF_311 = ["_testbuffer"]

# From 3.13 on it wants what libpython's archive does not have; a session that it is allowed for is not opened.
NOT_ALLOWED_SINCE_313 = ["_testinternalcapi"]

# Not run, and why.
LEFT_OUT = {
    "test_bigmem test_bigaddrspace test_largefile test_zipfile64": "takes gigabytes",
    "test_unicodedata_long test_peg_generator test_cext test_cppext": "wants a compiler, or takes long",
}

# In CI: small ones, most of them of a module in C.
SAMPLE = """test_array test_ucn test_strptime test_zlib test_csv test_deque test_heapq test_bisect test_struct
test_context test_hmac test_float test_operator test_set test_enum test_pyexpat test_xml_etree_c
test_binascii""".split()


def left_out():
    return {name: why for names, why in LEFT_OUT.items() for name in names.split()}
