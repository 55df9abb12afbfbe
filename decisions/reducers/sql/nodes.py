"""The syntax nodes and functions that may stand in a statement; every other makes it opaque.

A function may do anything: read a file, call out, write. So only functions of the database that compute and do
nothing else are listed. A name that sqlglot's release does not know is simply not allowed.

Source: policy cases A07, B09, B11.
"""

from collections.abc import Mapping

from sqlglot import exp

from decisions.reducers.errors import UnreadableError

_QUERY = """
    Select From Join Where Group Having Order Ordered Limit Offset Fetch Table TableAlias Column Identifier Alias
    Aliases Star Subquery CTE With Union Except Intersect Values Tuple Distinct Window WindowSpec Lateral Lock Into
    Var Returning Literal Boolean Null Paren Placeholder Parameter Interval DataType DataTypeParam Array Bracket
    Filter WithinGroup LimitOptions
"""
_CONDITIONS = """
    And Or Not EQ NEQ NullSafeEQ NullSafeNEQ GT GTE LT LTE Is In Between Like ILike SimilarTo RegexpLike RegexpILike
    Exists Any All Case If Escape Collate Glob
"""
_OPERATORS = """
    Add Sub Mul Div IntDiv Mod Neg DPipe BitwiseAnd BitwiseOr BitwiseXor BitwiseNot BitwiseLeftShift
    BitwiseRightShift Cast TryCast JSONExtract JSONExtractScalar JSONBExtract JSONBExtractScalar JSONBContains
    JSONPath JSONPathRoot JSONPathKey JSONPathSubscript ArrayContainsAll ArrayContainedBy ArrayOverlaps AtTimeZone
"""
_CHANGES = """
    Insert Update Delete Merge Whens When OnConflict Schema ColumnDef ColumnConstraint PrimaryKeyColumnConstraint
    NotNullColumnConstraint UniqueColumnConstraint DefaultColumnConstraint CheckColumnConstraint Constraint
    PrimaryKey ForeignKey Reference AutoIncrementColumnConstraint GeneratedAsIdentityColumnConstraint Create Drop
    Alter AlterColumn AlterRename RenameColumn AddConstraint TruncateTable Index IndexParameters Grant
    GrantPrivilege GrantPrincipal Revoke Transaction Commit Rollback Set SetItem Properties TemporaryProperty
    Comment Describe EndStatement
"""
_FUNCTIONS = """
    Abs Avg Ceil Floor Round Sqrt Pow Exp Ln Log Sign Count CountIf Sum Min Max Stddev StddevPop StddevSamp Variance
    VariancePop ArrayAgg GroupConcat Coalesce Nullif Greatest Least Lower Upper Length Trim Substring Concat
    ConcatWs Left Right StrPosition Replace Initcap Reverse SplitPart RegexpReplace RegexpExtract Ascii Chr MD5 SHA
    SHA2 CurrentDate CurrentTime CurrentTimestamp CurrentDatetime CurrentUser Date DateAdd DateSub DateDiff
    DateTrunc TimestampTrunc Extract Year Month Day Hour Minute Second ToChar TimeToStr StrToTime StrToDate
    TsOrDsToDate TsOrDsToTimestamp UnixToTime TimeToUnix RowNumber Rank DenseRank PercentRank CumeDist Ntile Lag
    Lead FirstValue LastValue NthValue GenerateSeries ExplodingGenerateSeries Unnest JSONObject JSONArray
    CurrentVersion JSONArrayAgg JSONObjectAgg JSONFormat Rand Uuid LogicalAnd LogicalOr PercentileCont PercentileDisc
    Mode Pad
"""

_ALLOWED = frozenset(
    node
    for name in (_QUERY + _CONDITIONS + _OPERATORS + _CHANGES + _FUNCTIONS).split()
    if isinstance(node := getattr(exp, name, None), type)
)

# Functions that sqlglot has no class for.
_NAMED = frozenset(
    """
    btrim char_length character_length date_part ifnull jsonb_array_length jsonb_typeof ltrim octet_length rtrim
    to_date to_number to_timestamp width_bucket age isfinite justify_days strftime julianday datetime time total hex
    instr typeof printf quote unicode substr position overlay ascii rank dense_rank percent_rank cume_dist ntile
    gen_random_uuid statement_timestamp clock_timestamp now json_build_object jsonb_build_object json_build_array
    jsonb_build_array row_to_json to_json to_jsonb
    json_agg jsonb_agg
    """.split()  # noqa: SIM905  (a list of one to a line hides what is in it)
)

# What a statement may carry beside its plain parts: anything else set makes it opaque.
_PARTS: Mapping[type[exp.Expr], frozenset[str]] = {
    exp.Table: frozenset({"this", "db", "catalog", "alias", "joins", "only"}),
    exp.Select: frozenset(
        {"expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset", "distinct", "with_",
         "into", "locks", "windows", "laterals"}
    ),
    exp.Insert: frozenset(
        {"this", "expression", "with_", "returning", "conflict", "ignore", "alternative", "columns", "default"}
    ),
    exp.Update: frozenset({"this", "expressions", "from_", "where", "with_", "returning", "order", "limit"}),
    exp.Delete: frozenset({"this", "tables", "using", "where", "with_", "returning", "order", "limit"}),
    exp.Merge: frozenset({"this", "using", "on", "whens", "with_", "returning"}),
    exp.Create: frozenset({"this", "kind", "expression", "exists", "replace", "unique", "with_", "properties"}),
    exp.Drop: frozenset({"this", "tables", "kind", "exists", "cascade", "temporary", "restrict", "expressions"}),
    exp.Alter: frozenset({"this", "kind", "actions", "exists", "only"}),
    exp.TruncateTable: frozenset({"expressions", "option", "identity", "exists", "only"}),
    exp.Grant: frozenset({"privileges", "kind", "securable", "principals", "grant_option"}),
    exp.Revoke: frozenset({"privileges", "kind", "securable", "principals", "grant_option", "cascade"}),
}  # fmt: skip


def check_nodes(statement: exp.Expr) -> None:
    """Hold that every node of a statement is known.

    Raises:
        UnreadableError: one is not.
    """
    for node in statement.walk():
        kind = type(node)
        if kind is exp.Anonymous:
            name = node.args.get("this")
            if not isinstance(name, str) or name.lower() not in _NAMED:
                raise UnreadableError(f"a function that isn't known: {str(name)[:40]!a}")
        elif kind not in _ALLOWED:
            raise UnreadableError(f"a construct of SQL that isn't read: {kind.__name__}")
        parts = _PARTS.get(kind)
        if parts is not None:
            unknown = sorted(name for name, value in node.args.items() if value and name not in parts)
            if unknown:
                raise UnreadableError(f"a part of {kind.__name__} that isn't read: {unknown[0]}")
