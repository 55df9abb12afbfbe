"""The hook of an agent's host: a tool call on stdin, an answer in the host's form, an outcome after the tool.

    wire      what comes in and what goes out, byte for byte
    watch     the process that answers in time whatever happens to the one that decides
    judge     decides before a tool, and reports after it
    wiring    one run put together; the only part that opens a ledger
    settings  the host's settings: printed, and looked for

`wire` and `watch` import nothing that is slow or can fail: they are what says no when all else fails.

Source: DESIGN sections 10 and 13; docs/guides/enforce.md; policy cases F01, F03, F07, F09.
"""
