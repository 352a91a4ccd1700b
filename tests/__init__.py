"""All tests; `python -m tests` makes what they need and runs them."""
