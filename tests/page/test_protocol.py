"""Both ends read the same messages: one sample of each is kept, and what is wrong is refused by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Error, Page

from tests.page.conftest import Opener

SAMPLES: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parents[1] / "golden" / "protocol.json").read_text()
)
_PARSE = """async ([parser, message]) => {
    const source = document.querySelector("script[type=module]").src.replace("start.js", "protocol.js");
    const protocol = await import(source);
    if (message.bytes === "ArrayBuffer") message = {...message, bytes: new ArrayBuffer(3)};
    const parsed = protocol[parser](message);
    return parser === "parseAnswer" ? protocol.endsRequest(parsed) : null;
}"""


@pytest.fixture
def page(open_page: Opener) -> Page:
    return open_page()


def test_every_sample_is_read(page: Page) -> None:
    for message in SAMPLES["requests"]:
        assert page.evaluate(_PARSE, ["parseRequest", message]) is None
    for message in SAMPLES["notices"]:
        assert page.evaluate(_PARSE, ["parseAnswer", message]) is False
    for message in SAMPLES["replies"]:
        assert page.evaluate(_PARSE, ["parseAnswer", message]) is True


def test_every_type_has_a_sample(page: Page, build_folder: Path) -> None:
    source = (build_folder / "page" / "js" / "protocol.js").read_text()
    sampled = {message["type"] for group in SAMPLES.values() for message in group}
    declared = {line.split('type: "')[1].split('"')[0] for line in source.splitlines() if 'Envelope & {type: "' in line}
    assert declared == sampled


def test_a_message_without_one_of_its_fields_is_refused_by_name(page: Page) -> None:
    for message in SAMPLES["requests"]:
        for field in message.keys() - {"protocol", "type"}:
            broken = {name: value for name, value in message.items() if name != field}
            with pytest.raises(Error, match=f"field {field} is missing or wrong"):
                page.evaluate(_PARSE, ["parseRequest", broken])


def test_an_unknown_type_is_refused_with_the_offending_text(page: Page) -> None:
    with pytest.raises(Error, match='unknown type of request in .*"explode"'):
        page.evaluate(_PARSE, ["parseRequest", {"protocol": 1, "requestId": 1, "type": "explode"}])
    with pytest.raises(Error, match="protocol 1 expected"):
        page.evaluate(_PARSE, ["parseAnswer", {"protocol": 2, "requestId": 1, "type": "files"}])


def test_the_worker_refuses_to_run_outside_the_pages_policy(page: Page) -> None:
    message = page.evaluate(
        """async () => {
            const source = document.querySelector("script[type=module]").src.replace("start.js", "worker.js");
            const worker = new Worker(source, {type: "module"});
            const said = await new Promise((resolve) => worker.addEventListener("error", (event) => {
                event.preventDefault();
                resolve(event.message);
            }));
            worker.terminate();
            return said;
        }"""
    )
    assert "runs only in the worker that the page starts" in message


def test_no_served_script_answers_who_starts_it_as_a_worker(page: Page, build_folder: Path) -> None:
    scripts = sorted(path.relative_to(build_folder).as_posix() for path in (build_folder / "page").rglob("*.js"))
    assert len(scripts) > 10
    answered = page.evaluate(
        """async ([scripts, request]) => {
            const site = new URL("../../", document.querySelector("script[type=module]").src).href;
            const answers = await Promise.all(scripts.map((script) => new Promise((resolve) => {
                const worker = new Worker(site + script, {type: "module"});
                const end = (answer) => { worker.terminate(); resolve(answer); };
                worker.addEventListener("error", (event) => { event.preventDefault(); end(null); });
                worker.addEventListener("message", () => end(script));
                worker.postMessage({...request, site});
                setTimeout(() => end(null), 1000);
            })));
            return answers.filter((answer) => answer !== null);
        }""",
        [scripts, SAMPLES["requests"][0]],
    )
    assert answered == []
