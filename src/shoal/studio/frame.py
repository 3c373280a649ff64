"""Frame: draws what surrounds every step: the list of steps, undo and redo, light and dark."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from urllib.parse import urlsplit

from nicegui import ui

from shoal.studio.desk import Desk
from shoal.studio.graph_desk import GraphDesk
from shoal.studio.style import STYLE

STEPS = {  # address: (title, file in pages/, icon, what one does there)
    "/": ("Table", "table", "table_view", "choose the table"),
    "/roles": ("Roles", "roles", "badge", "say what each column is"),
    "/hierarchies": (
        "Hierarchies",
        "hierarchies",
        "account_tree",
        "say how values become less exact",
    ),
    "/protection": ("Protection", "protection", "shield", "choose how much is promised"),
    "/run": ("Run", "running", "play_circle", "make releases"),
    "/result": ("Result", "result", "compare", "see what changed"),
    "/hand-over": ("Hand over", "handing_over", "inventory_2", "take the release and its proof"),
}
BESIDE = {  # what is worked on beside a table: the same, at an address of its own
    "/graph": ("Graph", "graph", "hub", "publish who knows whom")
}
PAGES = {**STEPS, **BESIDE}

ONE_STOP = Path(__file__).with_name("one_stop.js")
# who goes on by the keyboard goes on reading there, and not at the top of the page
FOLLOWED = """document.querySelector('a.step.here')
  ?.scrollIntoView({block: 'nearest', inline: 'center'});
if (window.followed) {
  window.followed = false;
  setTimeout(() => document.querySelector('.title')?.focus(), 50);
}"""
OFTEN = 0.3  # seconds between two looks at a job
# what opens is there at once: nothing slides away under the mouse
ui.expansion.default_props(":duration=0")


def framed(desk: Desk) -> None:
    """Draw the page: a bar above, the steps on the left, and the step that is open.

    On a narrow screen the steps stand above.
    """
    ui.add_css(STYLE)
    ui.add_body_html(f"<script>{ONE_STOP.read_text('utf-8')}</script>")
    ui.colors(
        primary="#0b6e75",
        secondary="#355c7d",
        accent="#c05621",
        positive="#2f855a",
        negative="#b83232",
    )
    dark = ui.dark_mode(None)
    with ui.header().classes("bar"):
        ui.label("Shoal studio").classes("brand")
        ui.label("safety in numbers").classes("motto")
        ui.space()
        back = _button("undo", "Undo (Ctrl+Z)", lambda: _worked_on(desk).undo()).mark("undo")
        forth = _button("redo", "Redo (Ctrl+Shift+Z)", lambda: _worked_on(desk).redo()).mark("redo")
        _button("contrast", "Light or dark", lambda: dark.set_value(not dark.value)).mark("dark")
    ui.keyboard(on_key=lambda key: _key(desk, key), ignore=["input", "select", "textarea"])
    with ui.element("div").classes("desk"):
        with ui.element("nav").classes("steps").props('aria-label="Steps"'):
            links = {address: _step(address) for address in PAGES}
        # a div: every page already has its one main element
        with ui.element("div").classes("content") as content:
            ui.sub_pages({address: _page(address, desk) for address in PAGES}, show_404=False)
    ui.skip_link("Skip to the step", target=content)

    def follow() -> None:
        back.set_enabled(bool(_worked_on(desk).before))
        forth.set_enabled(bool(_worked_on(desk).after))

    def mark(path: str) -> None:
        for address, link in links.items():
            link.classes(replace="step here" if address == path else "step")
            link.props(**{"add" if address == path else "remove": 'aria-current="page"'})
        follow()

    router = ui.context.client.sub_pages_router
    router.on_path_changed(mark)
    mark(router.current_path)
    listen(desk, follow)


def listen(desk: Desk, follow: Callable[[], None]) -> None:
    """Call `follow` now and whenever the desk changes, while the present element is shown."""
    client = ui.context.client
    place = ui.context.slot.parent

    def heard() -> None:
        if place.is_deleted or client._deleted:
            forget()
            return
        with place:
            follow()

    def forget() -> None:
        with suppress(ValueError):
            desk.listeners.remove(heard)

    desk.listeners.append(heard)
    client.on_delete(forget)
    follow()


def _page(address: str, desk: Desk) -> Callable[[], None]:
    def shown() -> None:
        path = urlsplit(ui.context.client.sub_pages_router.current_path).path
        # an address that only begins like this step is none
        if path.rstrip("/") != address.rstrip("/"):
            _no_step()
            return
        title, file, _, purpose = PAGES[address]
        ui.page_title(f"{title} · Shoal studio")
        with ui.element("header").classes("step-title"):
            ui.label(title).classes("title").props('role="heading" aria-level="1" tabindex="-1"')
            ui.label(purpose).classes("purpose")
            _next(address, desk)
        import_module(f"shoal.studio.pages.{file}").show(desk)
        ui.run_javascript(FOLLOWED)

    return shown


def _next(address: str, desk: Desk) -> None:
    """Draw the button to the next step; the first step has one of its own, below the table."""
    order = list(STEPS)
    after = order[order.index(address) + 1 :][:1] if address in STEPS else []
    if after and address != order[0] and desk.sheet is not None:
        ui.space()
        next_link(after[0])


def next_link(address: str) -> None:
    """Draw the link to the next step; the focus goes along with whoever follows it."""
    link = ui.link(f"Next: {STEPS[address][3]}", address).props('data-testid="next"')
    link.on("click", js_handler="() => { window.followed = true; }")


def _no_step() -> None:
    """Draw the page of an address that is no step."""
    with ui.element("div").classes("paper"):
        ui.label("There is no such step.")
        ui.link("Go to the first step", "/")


def _step(address: str) -> ui.link:
    title, _, icon, _ = PAGES[address]
    with ui.link(target=address).classes("step") as link:
        ui.icon(icon).props('aria-hidden="true"')
        ui.label(title)
    return link


def _button(icon: str, what: str, do: Callable[[], object]) -> ui.button:
    with ui.button(icon=icon, on_click=do).props(
        f'flat round color="white" aria-label="{what}"'
    ) as button:
        ui.tooltip(what)
    return button


def _key(desk: Desk, key: object) -> None:
    """Undo on Ctrl+Z and redo on Ctrl+Shift+Z (Cmd on a Mac), outside of fields."""
    pressed = key.key == "z" or key.key == "Z"  # type: ignore[attr-defined]
    with_control = key.modifiers.ctrl or key.modifiers.meta  # type: ignore[attr-defined]
    if pressed and key.action.keydown and with_control:  # type: ignore[attr-defined]
        if key.modifiers.shift:  # type: ignore[attr-defined]
            _worked_on(desk).redo()
        else:
            _worked_on(desk).undo()


def _worked_on(desk: Desk) -> Desk | GraphDesk:
    """Return what undo and redo are about: the graph on its page, and the table elsewhere."""
    path = urlsplit(ui.context.client.sub_pages_router.current_path).path
    return desk.graph if path.rstrip("/") in BESIDE else desk
