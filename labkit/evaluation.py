"""Measures, intervals and tests: thin, checked calls of the field's libraries."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

Qrels = Mapping[str, Mapping[str, int]]
Run = Mapping[str, Mapping[str, float]]


def ranking(
    qrels: Qrels, run: Run, measures: Sequence[str] = ("nDCG@10", "AP", "RR", "P@10")
) -> pd.DataFrame:
    """Score ``run`` against ``qrels`` with ir_measures; one row a query, one column a measure.

    ``qrels`` maps query id → document id → grade (an integer ≥ 0), ``run`` maps query id → document
    id → score. Queries that are judged but not run score 0; documents that are not judged count as
    not relevant. Means over the rows of AP and RR are MAP and MRR.

    Raises ValueError for an id that is no string, a query that is run but not judged, a grade that is not an integer of
    0 or more, a score that is not finite, and a measure that ir_measures does not know, that is named twice, or that cuts
    below rank 1.
    """
    import ir_measures
    import pandas as pd

    _check_ids("the judgments", qrels)
    _check_ids("the run", run)
    unjudged = sorted(set(run) - set(qrels))
    if unjudged:
        raise ValueError(
            f"{len(unjudged)} queries of the run have no judgments (first: {unjudged[0]!r}); "
            "leave them out of the run, or check that the ids of both are the same strings"
        )
    for query, grades in qrels.items():
        for document, grade in grades.items():
            if not isinstance(grade, numbers.Real) or grade % 1 != 0 or grade < 0:
                raise ValueError(
                    f"the grade of query {query!r}, document {document!r} is {grade}; grades are integers "
                    "≥ 0 (0 = not relevant)"
                )
    for query, scores in run.items():
        for document, score in scores.items():
            if not isinstance(score, numbers.Real) or not np.isfinite(float(score)):
                raise ValueError(
                    f"the score of query {query!r}, document {document!r} is {score!r}, not a finite number"
                )
    if isinstance(measures, str):
        raise ValueError(f"measures is {measures!r}; give a list of names: [{measures!r}]")
    try:
        parsed = [ir_measures.parse_measure(measure) for measure in measures]
    except (NameError, SyntaxError, ValueError) as error:
        raise ValueError(f"ir_measures does not know one of {list(measures)}: {error}") from error
    if len(set(map(str, parsed))) < len(parsed):
        raise ValueError(f"a measure is named twice in {list(measures)}")
    for measure in parsed:
        if measure.params.get("cutoff", 1) < 1:  # the library ends the whole process
            raise ValueError(f"{measure} cuts below rank 1; give a cutoff of 1 or more")
    plain_qrels = {q: {d: int(g) for d, g in grades.items()} for q, grades in qrels.items()}
    plain_run = {q: {d: float(s) for d, s in scores.items()} for q, scores in run.items()}
    table = pd.DataFrame(0.0, index=list(qrels), columns=list(measures))
    names = dict(zip(map(str, parsed), measures, strict=True))
    for found in ir_measures.iter_calc(parsed, plain_qrels, plain_run):
        table.loc[found.query_id, names[str(found.measure)]] = found.value
    return table


def _check_ids(what: str, table: object) -> None:
    """Raise ValueError unless ``table`` maps strings to what maps strings to something."""
    if not isinstance(table, Mapping):
        raise ValueError(f"{what} is of type {type(table).__name__}; give query id → document id → number")
    for query, row in table.items():
        if not isinstance(row, Mapping):
            raise ValueError(f"{what}: query {query!r} has {row!r:.60}; give document id → number")
        for name in (query, *row):
            if not isinstance(name, str):
                raise ValueError(f"{what}: the id {name!r} is no string; write str(...) around ids")


@dataclass(frozen=True)
class Interval:
    """An estimate with the ends of its confidence interval."""

    estimate: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.estimate:.3f} [{self.low:.3f}, {self.high:.3f}]"


def bootstrap(
    values: Sequence[float],
    statistic: Callable[..., float] = np.mean,
    *,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 1,
) -> Interval:
    """Percentile bootstrap interval of ``statistic`` over independent ``values`` (Efron, 1979).

    Raises ValueError for fewer than two values, one that is not finite, and a confidence outside (0, 1).
    """
    from scipy import stats

    values = _finite("an interval", values)
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; give a share between 0 and 1, such as 0.95")
    how = {"n_resamples": resamples, "confidence_level": confidence, "method": "percentile"}
    ends = stats.bootstrap((values,), statistic, rng=np.random.default_rng(seed), **how).confidence_interval
    return Interval(float(statistic(values)), float(ends.low), float(ends.high))


def _finite(what: str, values: Sequence[float]) -> np.ndarray:
    """The values as an array; raises ValueError for fewer than two, and for one that is not finite."""
    array = np.asarray(values, dtype=float)
    if array.size < 2:
        raise ValueError(f"{what} needs two values or more, got {array.size}")
    if not np.isfinite(array).all():
        place = int(np.flatnonzero(~np.isfinite(array))[0])
        raise ValueError(f"{what} needs finite values; value {place} is {array.flat[place]}")
    return array


@dataclass(frozen=True)
class PairedTest:
    """Mean difference of two systems over the same queries, its interval, and the p-value."""

    difference: Interval
    p_value: float

    def __str__(self) -> str:
        return f"difference {self.difference}, p = {self.p_value:.4f}"


def paired_test(
    a: Sequence[float], b: Sequence[float], *, resamples: int = 10_000, seed: int = 1
) -> PairedTest:
    """Randomization test of the mean of ``a − b`` over paired queries (Smucker et al., 2007).

    Under the null hypothesis a query's two scores may change places, so the sign of each difference
    is flipped at random; p is the share of flips with a mean at least as far from 0 (two-sided).
    Raises ValueError for unequal lengths, fewer than two queries, and scores that are not finite.
    """
    from scipy import stats

    a, b = (_finite("a paired test", scores) for scores in (a, b))
    if a.shape != b.shape:
        raise ValueError(f"a paired test needs one score of each system a query: {a.shape} against {b.shape}")
    how = {"permutation_type": "samples", "vectorized": True, "n_resamples": resamples}
    rng = np.random.default_rng(seed)
    test = stats.permutation_test((a, b), lambda x, y, axis: np.mean(x - y, axis=axis), rng=rng, **how)
    return PairedTest(bootstrap(a - b, seed=seed), float(test.pvalue))
