"""The headers that the site is sent with: the policy, isolation, and how long an answer may be kept."""

from __future__ import annotations

import re

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval'",
        "worker-src 'self' blob:",
        "connect-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob: data:",
        "font-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "object-src 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
FOR_EVER = "public, max-age=31536000, immutable"
ASK_EACH_TIME = "no-cache"
_IMMUTABLE = re.compile(r"^/b/[0-9a-f]{16}/")


def cache_rule(target: str) -> str:
    """Return how long an answer may be kept: for ever under a build's digest, else ask each time."""
    return FOR_EVER if _IMMUTABLE.match(target) else ASK_EACH_TIME
