"""labkit: the workbench of the course "From TF-IDF to DeBERTa".

What the labs teach is written in the labs; labkit holds what many notebooks share. Heavy
dependencies are imported inside the functions that need them, so that ``import labkit`` is quick.
"""

from labkit import (
    checks,
    corpora,
    evaluation,
    explorers,
    figures,
    glove,
    meter,
    pretrained,
    session,
    text,
    training,
)
from labkit.session import Lab, start

__version__ = "0.1.0"
__all__ = [
    "Lab",
    "checks",
    "corpora",
    "evaluation",
    "explorers",
    "figures",
    "glove",
    "meter",
    "pretrained",
    "session",
    "start",
    "text",
    "training",
]
