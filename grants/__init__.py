"""Who may allow what: principals, their keys and signatures, standing and consent grants, and the life of a grant.

A grant is valid because a registered human's key signed it; the signature is checked when the grant is used.
"""
