"""The gates: whether a stage's tables may be used, as Great Expectations suites.

One module a table says what must hold (``frames`` and ``suites``, pure functions); ``gate`` alone touches a Great
Expectations context. A frame holds IDs, numbers, flags and closed vocabularies only, never benchmark or reply text,
because failed records are copied from it into messages and Data Docs.
"""

from plancheck.plumbing.interrupts import end_quietly_while_loading

end_quietly_while_loading()
