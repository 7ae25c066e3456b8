"""Which measures to report (SPEC K12; 003 10.1-10.4)."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from bertillon.advice import DOMAINS, QUESTIONS, InferredAnswer, Situation, advice_for, advise, balance_word, seen_in
from bertillon.core import InputError, say
from bertillon.evaluation import evaluate
from bertillon.measures import CLASSIFICATION
from bertillon.trials import Predictions

WORDS = {name: tuple(question.answers) for name, question in QUESTIONS.items()}


def complete_predictions(classes: int) -> Predictions:
    """Probabilities of so many classes, in groups, so that every measure that makes sense has a value."""
    rng = np.random.default_rng(classes)
    truth = np.tile(np.arange(classes), 20)
    p = rng.dirichlet(np.ones(classes), truth.size)
    p[np.arange(truth.size), truth] += 1.0
    p /= p.sum(axis=1, keepdims=True)
    groups = np.repeat(np.arange(4), truth.size // 4)
    return Predictions.from_probabilities(truth, p, classes=range(classes), groups=groups)


@pytest.mark.parametrize("domain", WORDS["domain"])
@pytest.mark.parametrize("classes", [2, 3, 8])
def test_K12_every_measure_advised_has_a_reason_and_can_be_computed(domain, classes):
    """K12: over all answers; each measure is spelled as the language spells it, and defined for so many classes."""
    advised: set[str] = set()
    for answers in itertools.product(*(WORDS[name] for name in ("balance", "costs", "threshold", "average"))):
        for probabilities in ("yes", "no"):
            situation = Situation(*answers[:3], probabilities, classes, answers[3], domain)
            advice = advice_for(situation)
            assert set(advice.reasons) == set(advice.metrics)
            assert len(advice.metrics) == len(set(advice.metrics)) >= 2
            assert any("interval" in str(note) for note in advice.notes)
            assert any("confusion matrix" in str(note) for note in advice.notes)
            advised |= set(advice.metrics)
    assert {str(CLASSIFICATION.parse(name)) for name in advised} == advised
    results = evaluate(complete_predictions(classes), sorted(advised)).results
    assert {name: result.reason for name, result in results.items() if result.reason} == {}


@pytest.mark.parametrize("name", [definition.example for definition in CLASSIFICATION.definitions.values()])
def test_a_measure_is_asked_of_several_classes_where_it_has_a_value_for_them(name):
    measure = CLASSIFICATION.parse(name.partition("@t=")[0])
    assert measure.for_classes(2, "macro") in (measure, None)
    for average in ("macro", "micro", "weighted"):
        several = measure.for_classes(8, average)
        asked = measure if several is None else CLASSIFICATION.parse(str(several))
        result = evaluate(complete_predictions(8), [asked])[str(asked)]
        assert (several is None) == (result.reason is not None)


def test_measures_that_pick_their_threshold():
    names = ["Youden", "minCost", "Recall@FPR=0.1", "F1@Recall=0.9", "Recall@t=0.5", "Recall", "AUC", "pAUC@FPR=0.1"]
    assert [CLASSIFICATION.parse(name).picks_threshold for name in names] == [True] * 4 + [False] * 4


@pytest.mark.parametrize(
    ("domain", "primary"),
    [
        ("screening", ("Recall", "F(beta=2)")),
        ("diagnosis", ("BalancedAccuracy", "MCC", "F1")),
        ("fraud", ("P@100", "AP", "F(beta=1.5)")),
        ("spam", ("Precision", "F(beta=0.5)")),
        ("retrieval", ("MAP", "NDCG@10", "P@10")),
        ("sentiment", ("F1[macro]", "F1[weighted]")),
    ],
)
def test_K12_domains_by_the_document(domain, primary):
    """003 10.2: the primary measures of a field come first, its secondary ones are there too."""
    advice = advise(domain=domain)
    assert advice.metrics[: len(primary)] == primary
    assert set(DOMAINS[domain].secondary) <= set(advice.metrics)
    assert str(advice.reasons[primary[0]]).startswith(f"{domain}: ")


def test_K12_vision_goes_by_balance():
    """003 10.2: top-1 and top-5 where classes are equal, macro F1 where they are not."""
    assert advise(domain="vision", classes=100, balance=0.01).metrics[:2] == ("Accuracy", "Top@5")
    uneven = advise(domain="vision", classes=100, balance=0.0001).metrics
    assert uneven[0] == "F1[macro]"
    assert "Accuracy" not in uneven
    assert "Top@5" not in advise(domain="vision", classes=5, balance=0.2).metrics  # always 1 among five


def test_K12_the_tree_by_the_document():
    """003 10.1: balance, the dearer error, the threshold."""
    assert advise(balance=0.01, costs="fn").metrics[:3] == ("Recall", "F(beta=2)", "AP")
    assert advise(balance=0.01, costs="fp").metrics[:2] == ("Precision", "F(beta=0.5)")
    assert {"F1", "MCC", "BalancedAccuracy", "Kappa"} <= set(advise(balance=0.01).metrics)
    assert "Accuracy" not in advise(balance=0.01).metrics
    assert advise(balance=0.5, costs="equal").metrics[:2] == ("Accuracy", "BalancedAccuracy")
    strong, moderate = (advise(balance=share, threshold_fixed=False).metrics for share in (0.02, 0.2))
    assert strong.index("AP") < strong.index("AUC")
    assert moderate.index("AUC") < moderate.index("AP")
    assert {"Precision", "Recall", "F1"} <= set(advise().metrics)
    assert {"LogLoss", "Brier", "ECE"} <= set(advise(probabilities_needed=True).metrics)
    assert not {"LogLoss", "Brier", "ECE"} & set(advise().metrics)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
def test_K12_several_classes_are_averaged_as_asked(average):
    """003 10.3, question 5."""
    advice = advise(classes=4, balance=0.01, average=average, costs="fn", domain="screening", threshold_fixed=False)
    assert advice.metrics[0] == f"Recall[{average}]"
    assert f"F1[{average}]" in advice.metrics
    assert {f"AP[{average}]"} | {"AUC[ovr]" if average == "macro" else f"AUC[ovr-{average}]"} <= set(advice.metrics)
    assert any("each class" in str(note) for note in advice.notes)


def test_K12_notes_follow_the_answers():
    assert any("precision-recall curve" in str(note) for note in advise(balance=0.02).notes)
    assert any("ROC" in str(note) for note in advise(balance=0.3).notes)
    assert any("cost the same" in str(note) for note in advise().notes)
    assert not any("cost the same" in str(note) for note in advise(costs="fn").notes)
    assert any("Choose the threshold on other data" in str(note) for note in advise().notes)
    assert not any("Choose the threshold" in str(note) for note in advise(threshold_fixed=False).notes)


@pytest.mark.parametrize(
    ("share", "classes", "word"),
    [
        (0.5, 2, "even"),
        (0.35, 2, "even"),
        (0.65, 2, "even"),
        (0.34, 2, "moderate"),
        (0.1, 2, "moderate"),
        (0.9, 2, "moderate"),
        (0.099, 2, "strong"),
        (1.0, 2, "strong"),
        (0.05, 10, "even"),
        (0.049, 10, "moderate"),
        (0.02, 10, "moderate"),
        (0.019, 10, "strong"),
    ],
)
def test_words_for_balance_by_hand(share, classes, word):
    assert balance_word(share, classes) == word


def test_K12_what_predictions_answer_by_themselves():
    labels = Predictions.from_labels([1] + [0] * 99, [0] * 100)
    assert {name: seen.answer for name, seen in seen_in(labels).items()} == {
        "balance": "strong",
        "classes": 2,
        "probabilities": "no",
        "threshold": "fixed",
    }
    assert str(seen_in(labels)["balance"].because) == "0.01 of 100 samples are positive"
    scores = Predictions.from_scores([1, 0], [0.3, 2.0])
    assert {name: seen.answer for name, seen in seen_in(scores).items()} == {
        "balance": "even",
        "classes": 2,
        "probabilities": "no",
    }
    several = seen_in(complete_predictions(3))
    assert several["classes"].answer == 3
    assert several["probabilities"].answer == "yes"
    text = Predictions.from_labels(["a", "a", "b", "c"], ["a", "b", "b", "c"])
    seen = seen_in(text)["balance"]
    assert seen == InferredAnswer("even", say("choosing.seen.smallest", share=0.25, samples=4, label="b"))
    assert str(seen.because) == "0.25 of 4 samples are in the smallest class, 'b'"


def situation_of(predictions: Predictions, **answers) -> Situation:
    """What the predictions show, and what was said besides or instead."""
    return Situation(**{name: seen.answer for name, seen in seen_in(predictions).items()} | answers)


def test_K12_what_is_said_counts_more_than_what_is_seen():
    rare = Predictions.from_labels([1] + [0] * 99, [0] * 100)
    assert situation_of(rare, costs="fn") == Situation("strong", "fn", "fixed", "no", 2)
    assert situation_of(rare, balance="even").balance == "even"
    one = situation_of(Predictions.from_labels(["a", "a"], ["a", "a"]))
    assert (one.classes, one.balance) == (2, "strong")


def test_texts_become_a_situation_by_hand():
    said = {"balance": " 0.02", "costs": "FN", "classes": "2", "probabilities": "yes", "threshold": "variable"}
    assert Situation.read(said) == Situation("strong", "fn", "variable", "yes", 2)
    assert Situation.read({"balance": "0.09", "classes": "10"}).balance == "even"
    assert Situation.read({}) == Situation()


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"balance": "2"}, "balance: cannot read '2'; expected even or moderate or strong or a number from 0 to 1"),
        ({"balance": "nan"}, "balance: cannot read 'nan'"),
        ({"costs": "none"}, "costs: answer 'none' is unknown"),
        ({"classes": "1"}, "classes: cannot read '1'; expected a number from 2"),
        ({"classes": "2.5"}, "classes: cannot read '2.5'"),
        ({"classes": "inf"}, "classes: cannot read 'inf'"),
        ({"domain": "sapm"}, "domain: answer 'sapm' is unknown; did you mean 'spam'?"),
        ({"average": ""}, "average: answer '' is unknown"),
    ],
)
def test_K12_nonsense_is_refused(answers, words):
    with pytest.raises(InputError) as refused:
        Situation.read(answers)
    assert str(refused.value).startswith(words)


@pytest.mark.parametrize("wrong", [{"balance": 2}, {"costs": "none"}, {"classes": 1}, {"domain": "sapm"}])
def test_K12_nonsense_is_refused_in_python_too(wrong):
    with pytest.raises(InputError):
        advise(**wrong)
