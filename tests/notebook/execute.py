"""Execute a notebook as Jupyter does: `python execute.py IN OUT`, in the working directory."""

import asyncio
import sys

import nbformat
from nbclient import NotebookClient

if __name__ == "__main__":
    if sys.platform == "win32":
        asyncio.set_event_loop_policy(asyncio.WindowsSelectorEventLoopPolicy())
    notebook = nbformat.read(sys.argv[1], as_version=4)
    try:
        NotebookClient(notebook, kernel_name="python3", timeout=300).execute()
    finally:
        nbformat.write(notebook, sys.argv[2])
