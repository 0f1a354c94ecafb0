"""Questions, answers and who gave which. Nothing here knows of chat or servers, so it can be tried on its own."""

from __future__ import annotations

from typing import TypedDict

MAX_ANSWERS = 6
MAX_LENGTH = 80
# Votes are kept as one value, and a value has a limit.
MAX_VOTERS = 10000


class Kept(TypedDict):
    """A poll as JSON can hold it; votes are indices of answers, by voter."""

    question: str
    answers: list[str]
    votes: dict[str, int]
    open: bool


class Answer(TypedDict):
    """An answer and how many gave it."""

    answer: str
    votes: int


class Shown(TypedDict):
    """What everybody may see of a poll."""

    question: str
    open: bool
    answers: list[Answer]


class Poll:
    """A question with two to six answers. `kept` is all there is of it, as JSON can hold it."""

    def __init__(self, kept: Kept) -> None:
        self.kept = kept

    @classmethod
    def read(cls, text: str) -> Poll | None:
        """A poll out of "question | answer | answer", or None."""
        question, *answers = [" ".join(part.split())[:MAX_LENGTH] for part in text.split("|")]
        answers = list(dict.fromkeys(answer for answer in answers if answer))
        if not question or not 2 <= len(answers) <= MAX_ANSWERS:
            return None
        return cls({"question": question, "answers": answers, "votes": {}, "open": True})

    @property
    def question(self) -> str:
        return self.kept["question"]

    @property
    def answers(self) -> list[str]:
        return self.kept["answers"]

    @property
    def is_open(self) -> bool:
        return self.kept["open"]

    def vote(self, voter: str, text: str) -> bool:
        """Take a vote, by number or by the answer itself. Whoever votes again has changed their mind."""
        votes = self.kept["votes"]
        wanted = text.strip().lower()
        numbers = {str(index + 1): index for index in range(len(self.answers))}
        names = {answer.lower(): index for index, answer in enumerate(self.answers)}
        index = numbers.get(wanted, names.get(wanted))
        if index is None or (voter not in votes and len(votes) >= MAX_VOTERS):
            return False
        votes[voter] = index
        return True

    def answer_of(self, voter: str) -> str:
        return self.answers[self.kept["votes"][voter]]

    def close(self) -> None:
        self.kept["open"] = False

    def counts(self) -> list[int]:
        counts = [0] * len(self.answers)
        for index in self.kept["votes"].values():
            counts[index] += 1
        return counts

    def shown(self) -> Shown:
        """What everybody may see: the counts, and not who voted for what."""
        answers: list[Answer] = [
            {"answer": answer, "votes": votes} for answer, votes in zip(self.answers, self.counts())
        ]
        return {"question": self.question, "open": self.is_open, "answers": answers}

    def summary(self) -> str:
        return ", ".join("%s: %d" % pair for pair in zip(self.answers, self.counts()))

    def verdict(self) -> str:
        counts = self.counts()
        most = max(counts)
        if most == 0:
            return "Nobody voted."
        first = [answer for answer, votes in zip(self.answers, counts) if votes == most]
        who = " and ".join(first)
        return "%s %s with %d of %d." % (who, "wins" if len(first) == 1 else "are level", most, sum(counts))
