"""What people read: answers, requests for consent, grants and trust, as plain text.

Nothing here decides, opens or prints anything: each function takes what is known and gives text. Whatever an agent
could have written goes through `tools.cli.output.safe`; targets are shown with their code points.
"""
