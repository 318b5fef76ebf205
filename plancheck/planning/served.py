"""Asking a planner that a server runs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from plancheck.answering import serving
from plancheck.answering.ports import Replies, Request, Server
from plancheck.answering.reasoning import after_reasoning
from plancheck.params.planning import Mine
from plancheck.planning.replies import Chat, Reply, Said
from plancheck.planning.seeds import seed_of


@dataclass(frozen=True, slots=True)
class ServedPlanner:
    """A served model and how it is asked; see `plancheck.planning.replies.Planner`.

    ``usage`` adds up what the replies in use cost: see `plancheck.answering.serving.total`.
    """

    server: Server
    replies: Replies
    reply_start: str
    max_new_tokens: int
    usage: Counter[str] = field(default_factory=Counter)

    def sampled(self, chat: Chat, *, question_id: str, settings: Mine) -> Said:
        """See `plancheck.planning.replies.sampled`. A seed means what the server makes of it."""
        requests = [
            Request(
                "text",
                chat.messages,
                self.reply_start,
                max_new_tokens=self.max_new_tokens,
                temperature=settings.temperature,
                top_p=settings.top_p,
                seed=seed_of(settings.seed, question_id, number) % 2**31,
            )
            for number in range(settings.samples)
        ]
        return self._said(requests, [chat] * len(requests))

    def greedy(self, chats: Sequence[Chat]) -> Said:
        """See `plancheck.planning.replies.greedy`."""
        requests = [
            Request("text", chat.messages, self.reply_start, max_new_tokens=self.max_new_tokens) for chat in chats
        ]
        return self._said(requests, chats)

    def _said(self, requests: Sequence[Request], chats: Sequence[Chat]) -> Said:
        served = serving.serve(requests, self.server, self.replies, groups=[""] * len(requests))
        self.usage.update(serving.total(served.replies))
        return Said(
            tuple(
                Reply(None, reply["failure"]) if "failure" in reply else Reply(self._complete(reply["text"], chat))
                for reply, chat in zip(served.replies, chats, strict=True)
            ),
            served.asked,
        )

    def _complete(self, text: str, chat: Chat) -> str:
        """The reply up to where it is complete, for in process it would have ended there; one with reasoning whole."""
        whole = self.reply_start + text
        if after_reasoning(whole) != 0:
            return whole
        ends = range(len(self.reply_start), len(whole) + 1)
        return next((whole[:end] for end in ends if chat.complete(whole[:end])), whole)
