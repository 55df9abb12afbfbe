"""The audit of a log's database: everything recomputed from the stored event bytes, and the first bad row named.

`audit` is the whole of it; a command shows what it reports. docs/guides/audit.md lists what each line proves.
"""

from tools.audit.report import AuditReport, Finding, Line, Progress, Status
from tools.audit.run import audit

__all__ = ["AuditReport", "Finding", "Line", "Progress", "Status", "audit"]
