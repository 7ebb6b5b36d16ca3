from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score, ndcg_score

from labkit import evaluation

pytestmark = pytest.mark.hangs_on("labkit/**")


def random_run(rng, documents=30):
    grades = {f"d{i}": int(g) for i, g in enumerate(rng.integers(0, 4, size=documents))}
    grades["d0"] = 2
    scores = {d: float(s) for d, s in zip(grades, rng.permutation(documents), strict=True)}
    return {"q": grades}, {"q": scores}


def test_ranking_equals_scikit_learn():
    rng = np.random.default_rng(1)
    for _ in range(20):
        qrels, run = random_run(rng)
        grades = np.array([list(qrels["q"].values())])
        scores = np.array([[run["q"][d] for d in qrels["q"]]])
        found = evaluation.ranking(qrels, run, ["nDCG@10"]).loc["q", "nDCG@10"]
        assert found == pytest.approx(ndcg_score(grades, scores, k=10), abs=1e-9)
        binary = {"q": {d: int(g >= 2) for d, g in qrels["q"].items()}}
        found = evaluation.ranking(binary, run, ["AP"]).loc["q", "AP"]
        assert found == pytest.approx(average_precision_score(grades[0] >= 2, scores[0]), abs=1e-9)


def test_ranking_by_hand_with_a_query_that_was_not_run():
    qrels = {"a": {"d1": 1, "d2": 1}, "b": {"d1": 1}}
    table = evaluation.ranking(qrels, {"a": {"d3": 3.0, "d1": 2.0, "d2": 1.0}}, ["P@3", "AP", "RR"])
    np.testing.assert_allclose(table.loc["a"], [2 / 3, (1 / 2 + 2 / 3) / 2, 1 / 2])
    np.testing.assert_allclose(table.loc["b"], 0)
    assert list(table.columns) == ["P@3", "AP", "RR"]


def test_a_cut_beyond_the_collection_is_allowed():
    assert evaluation.ranking({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["nDCG@1000"]).loc["q", "nDCG@1000"] == 1.0


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        ({"q": {"d": 1}}, {"other": {"d": 1.0}}, "'other'"),
        ({"q": {"d": -1}}, {"q": {"d": 1.0}}, "query 'q', document 'd' is -1"),
        ({"q": {"d": 0.5}}, {"q": {"d": 1.0}}, "document 'd' is 0.5"),
        ({"q": {"d": float("nan")}}, {"q": {"d": 1.0}}, "document 'd' is nan"),
        ({"q": {"d": None}}, {"q": {"d": 1.0}}, "document 'd' is None"),
        ({"q": {"d": 1}}, {"q": {"d": float("nan")}}, "query 'q', document 'd' is nan, not a finite"),
        ({1: {"d": 1}}, {1: {"d": 1.0}}, "the judgments: the id 1 is no string"),
        ({"q": {"d": 1}}, {"q": {3: 1.0}}, "the run: the id 3 is no string"),
        ({"q": {"d": 1}}, {"q": {"d": "x"}}, "document 'd' is 'x', not a finite"),
        ({"q": {"d": 1}}, {"q": {"d": None}}, "document 'd' is None, not a finite"),
        ({"q": {"d": 1}}, [("q", "d", 1.0)], "the run is of type list"),
        (None, {"q": {"d": 1.0}}, "the judgments is of type NoneType"),
        ({"q": ["d"]}, {"q": {"d": 1.0}}, "query 'q' has"),
    ],
)
def test_bad_rankings_are_one_clear_error(qrels, run, message):
    with pytest.raises(ValueError, match=message):
        evaluation.ranking(qrels, run)


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        (["AP", "MAP"], "named twice"),
        (["Sharpness"], "does not know"),
        ("nDCG@10", r"give a list of names: \['nDCG@10'\]"),
        *(([f"{name}@0"], "cuts below rank 1") for name in ("P", "nDCG", "AP", "R", "Judged")),
    ],
)
def test_measures_are_known_and_named_once(measures, message):
    with pytest.raises(ValueError, match=message):
        evaluation.ranking({"q": {"d": 1}}, {"q": {"d": 1.0}}, measures)


def test_bootstrap_covers_the_mean_as_often_as_it_says():
    rng = np.random.default_rng(2)
    covered = 0
    for seed in range(200):
        interval = evaluation.bootstrap(rng.normal(3, 1, size=60), resamples=400, seed=seed)
        assert interval.low < interval.estimate < interval.high
        covered += interval.low <= 3 <= interval.high
    # Binomial(200, 0.95) falls below 175 with probability 4e-5; the percentile bootstrap covers a little less.
    assert 175 <= covered <= 200


def test_bootstrap_and_paired_test_repeat_with_their_seed():
    values = np.random.default_rng(3).normal(size=30)
    assert evaluation.bootstrap(values) == evaluation.bootstrap(values)
    assert evaluation.paired_test(values, values[::-1]) == evaluation.paired_test(values, values[::-1])


def test_bad_samples_are_errors():
    with pytest.raises(ValueError, match="two values or more, got 1"):
        evaluation.bootstrap([1.0])
    with pytest.raises(ValueError, match=r"\(2,\) against \(3,\)"):
        evaluation.paired_test([1, 2], [1, 2, 3])
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match=f"a paired test needs finite values; value 1 is {bad}"):
            evaluation.paired_test([1, bad, 3], [1, 2, 3])
        with pytest.raises(ValueError, match=f"an interval needs finite values; value 1 is {bad}"):
            evaluation.bootstrap([1, bad, 3])
    for few in ([], [1.0]):
        with pytest.raises(ValueError, match="a paired test needs two values or more"):
            evaluation.paired_test(few, few)
    for confidence in (95, 0, 1, -0.5):
        with pytest.raises(ValueError, match=f"confidence is {confidence}; give a share between 0 and 1"):
            evaluation.bootstrap([1.0, 2.0], confidence=confidence)


def test_paired_test_finds_a_difference_and_agrees_with_the_t_test():
    rng = np.random.default_rng(4)
    a = rng.normal(0.3, 1, size=80)
    b = a + rng.normal(0.25, 0.8, size=80)
    test = evaluation.paired_test(a, b)
    assert test.difference.high < 0
    assert test.p_value == pytest.approx(stats.ttest_rel(a, b).pvalue, abs=0.02)
    assert evaluation.paired_test(a, a[::-1]).p_value > 0.05
