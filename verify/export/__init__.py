"""An export: a log as plain files, and its check without a database."""

from verify.export.check import check_export
from verify.export.form import Index
from verify.export.report import CHECKS, LogReport

__all__ = ["CHECKS", "Index", "LogReport", "check_export"]
