"""What ends a command before its work is done."""


class Problem(Exception):
    """Something its author can put right. The text is one line: what is wrong, and what to do."""
