"""Questions, answers and who gave which. Nothing here knows of chat or servers, so it can be tried on its own."""

MAX_ANSWERS = 6
MAX_LENGTH = 80
# Votes are kept as one value, and a value has a limit.
MAX_VOTERS = 10000


class Poll:
    """A question with two to six answers. `kept` is all there is of it, as JSON can hold it."""

    def __init__(self, kept):
        self.kept = kept

    @classmethod
    def read(cls, text):
        """A poll out of "question | answer | answer", or None."""
        question, *answers = [" ".join(part.split())[:MAX_LENGTH] for part in text.split("|")]
        answers = list(dict.fromkeys(answer for answer in answers if answer))
        if not question or not 2 <= len(answers) <= MAX_ANSWERS:
            return None
        return cls({"question": question, "answers": answers, "votes": {}, "open": True})

    @property
    def question(self):
        return self.kept["question"]

    @property
    def answers(self):
        return self.kept["answers"]

    @property
    def is_open(self):
        return self.kept["open"]

    def vote(self, voter, text):
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

    def answer_of(self, voter):
        return self.answers[self.kept["votes"][voter]]

    def close(self):
        self.kept["open"] = False

    def counts(self):
        counts = [0] * len(self.answers)
        for index in self.kept["votes"].values():
            counts[index] += 1
        return counts

    def shown(self):
        """What everybody may see: the counts, and not who voted for what."""
        answers = [{"answer": answer, "votes": votes} for answer, votes in zip(self.answers, self.counts())]
        return {"question": self.question, "open": self.is_open, "answers": answers}

    def summary(self):
        return ", ".join("%s: %d" % pair for pair in zip(self.answers, self.counts()))

    def verdict(self):
        counts = self.counts()
        most = max(counts)
        if most == 0:
            return "Nobody voted."
        first = [answer for answer, votes in zip(self.answers, counts) if votes == most]
        who = " and ".join(first)
        return "%s %s with %d of %d." % (who, "wins" if len(first) == 1 else "are level", most, sum(counts))
