"""Read by type checkers and never run: each line that ends in `# wrong` has to be refused, and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service_plugin import CommandContext, filter, plugin, service
from service_plugin import plugn  # wrong

if TYPE_CHECKING:
    from service_plugin.types import AuthRequest, ChatMessage, FilterVerdict, Request, Tick, User
    from service_plugin.types import Nobody  # wrong


@plugin.on_chat_message
def hear(msg: ChatMessage) -> None:
    reveal_type(msg.user)  # known: User | None
    reveal_type(msg.body)  # known: str
    msg.body.nothing()  # wrong


@plugin.on_chat_message  # wrong
def another_payload(msg: Request) -> None: ...


@plugin.on_tick  # wrong
def too_many(tick: Tick, more: int) -> None: ...


@plugin.on_chat_message()  # wrong
def brackets(msg: ChatMessage) -> None: ...


@plugin.get("/page")
def page(req: Request) -> str:
    reveal_type(req.path_params)  # known: str
    reveal_type(req.user)  # known: User | None
    return "page"


reveal_type(page)  # known: str


@plugin.get("/no-request")  # wrong
def no_request(req: ChatMessage) -> str:
    return ""


@plugin.post("/no-answer")  # wrong
def no_answer(req: Request) -> int:
    return 1


@plugin.filter_chat_message
def judge(msg: ChatMessage) -> FilterVerdict | None:
    return filter.drop("no") if msg.body else None


@plugin.filter_chat_message  # wrong
def no_verdict(msg: ChatMessage) -> str:
    return "drop"


@plugin.on_auth_check  # wrong
def no_auth_verdict(req: AuthRequest) -> bool:
    return True


@plugin.on_tab_content("tab")  # wrong
def no_content_request(user: User) -> str:
    return ""


@plugin.on_page_styles  # wrong
def with_argument(req: Request) -> str:
    return ""


@plugin.on("other.event")
def other(payload: object) -> None: ...


def run(ctx: CommandContext) -> None:
    reveal_type(ctx.args)  # known: str


plugin.commands({"good": {"mod_only": True, "run": run}})
plugin.commands({"bad": {"modOnly": True, "run": run}})  # wrong
plugin.commands({}, prefx="?")  # wrong
plugin.get("/option", method="GET")  # wrong
plugin.on_tick(lambda tick: reveal_type(tick.now))  # known: int
plugin.on_chat_mesage(hear)  # wrong

stream = service.stream.current()
reveal_type(stream)  # known: Stream | None
service.chat.sned("hello")  # wrong
