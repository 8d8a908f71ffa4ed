"""Clusters of units against scipy, scikit-learn and a naive loop."""

from __future__ import annotations

import sys
from itertools import combinations

import numpy as np
import pytest
from chunking.makers import WORDS, block, document
from hypothesis import given, settings
from hypothesis import strategies as st
from lab.asked import GivenEmbedder, models_of, texts_of

from docxchunk.chunking import ChunkLimits, run
from docxchunk.errors import MissingExtraError
from docxchunk.lab.strategies.boundaries import (
    Noise,
    close_pairs,
    dbscan,
    groups_of,
    joint_distances,
    single_linkage,
    without_noise,
)
from docxchunk.lab.strategies.semantic import Cluster
from docxchunk.model.chunks import Slice


def vectors_of(seed, count, distinct=5):
    """Return unit vectors, many of them equal."""
    rnd = np.random.default_rng(seed)
    known = rnd.normal(size=(distinct, 6)).astype(np.float32)
    known /= np.linalg.norm(known, axis=1, keepdims=True)
    return known[rnd.integers(0, distinct, count)]


LONG = settings(deadline=None)  # the first call imports the library that it is compared with
VECTORS = st.builds(vectors_of, st.integers(0, 1 << 16), st.integers(2, 40), st.integers(1, 30))
WEIGHTS = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])


def slow_linkage(vectors, weight, threshold, most):
    """Cluster by the algorithm of Qu et al. 2024, appendix A, with sets."""
    count = len(vectors)
    cosines = np.maximum(vectors.astype(np.float64) @ vectors.T.astype(np.float64), 0)
    pairs = [
        (round(weight * (b - a) / count + (1 - weight) * (1 - float(cosines[a, b])), 4), a, b)
        for a, b in combinations(range(count), 2)
    ]
    groups = [{number} for number in range(count)]
    for distance, a, b in sorted(pairs):
        left, right = (next(group for group in groups if number in group) for number in (a, b))
        if distance <= threshold and left is not right and len(left | right) <= most:
            groups.remove(right)
            left |= right
    return sorted(sorted(group) for group in groups)


@LONG
@given(VECTORS, WEIGHTS, st.sampled_from([0.1, 0.5, 2.0]), st.integers(1, 40))
def test_single_linkage_with_a_cap(vectors, weight, threshold, most):
    labels = single_linkage(close_pairs(vectors, weight, threshold), len(vectors), most)
    assert groups_of(labels) == slow_linkage(vectors, weight, threshold, most)


@LONG
@given(VECTORS, WEIGHTS, st.sampled_from([0.05, 0.3, 0.5]))
def test_without_a_cap_it_is_the_cut_of_the_dendrogram(vectors, weight, threshold):
    hierarchy = pytest.importorskip("scipy.cluster.hierarchy", reason="scipy is not installed")
    distances = joint_distances(vectors, weight)[np.triu_indices(len(vectors), 1)]
    expected = hierarchy.fcluster(hierarchy.linkage(distances, "single"), threshold, "distance")
    labels = single_linkage(close_pairs(vectors, weight, threshold), len(vectors), len(vectors))
    assert groups_of(labels) == groups_of(expected)


@pytest.mark.parametrize("n_clusters", range(2, 11))
def test_clusters_by_position_alone_have_a_fixed_size(n_clusters):
    for count in range(4, 80):
        most = Cluster(n_clusters=n_clusters).max_sentences(count)
        labels = single_linkage(close_pairs(vectors_of(count, count), 1.0, 0.5), count, most)
        assert groups_of(labels) == [
            list(range(a, min(a + most, count))) for a in range(0, count, most)
        ]


@LONG
@given(VECTORS, WEIGHTS, st.sampled_from([0.1, 0.3, 0.5]), st.integers(1, 5))
def test_dbscan_by_its_definition(vectors, weight, eps, min_samples):
    """Compare with scikit-learn on our distances: connected core units form a cluster; the others
    are noise or beside a core.
    """
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    distances = joint_distances(vectors, weight)
    labels = dbscan(distances, eps, min_samples)
    near = distances <= eps
    cores = np.flatnonzero(near.sum(axis=1) >= min_samples)
    reach = single_linkage(
        tuple(
            np.array([(a, b) for a, b in combinations(cores, 2) if near[a, b]], np.intp)
            .reshape(-1, 2)
            .T
        ),
        len(vectors),
        len(vectors),
    )
    assert all(
        (labels[a] == labels[b]) == (reach[a] == reach[b]) for a, b in combinations(cores, 2)
    )
    for unit in set(range(len(vectors))) - set(cores):
        beside = {labels[core] for core in cores if near[unit, core]}
        assert labels[unit] in (beside or {-1})


@pytest.mark.parametrize(
    ("settings", "most"),
    [
        ({}, 1),
        ({"n_clusters": 3}, 4),
        ({"n_clusters": 5}, 2),
        ({"n_clusters": 13}, 1),
        ({"n_clusters": 0}, 12),
        ({"n_clusters": 3, "max_size": 5}, 5),
    ],
)
def test_the_size_of_a_cluster_is_limited(settings, most):
    """Equal sentences."""
    for count in (12, 2):
        found = texts_of("Same. " * count, Cluster(weight=0.0, **settings), GivenEmbedder({}))
        sizes = [text.count("Same.") for text in found]
        assert sum(sizes) == count
        assert max(sizes) == most if count == 12 else settings != {"n_clusters": 0} or sizes == [2]


@pytest.mark.parametrize(("size", "count"), [(40, 5), (39, 4)])
def test_clusters_are_merged_up_to_a_share_of_the_limit(size, count):
    """A sentence has four tokens, and half of the limit is 20 or 19."""
    strategy = Cluster(n_clusters=13, merge_to=0.5)
    found = texts_of("Alpha goes up. " * 12, strategy, GivenEmbedder({}), size=size, overlap=0)
    assert max(text.count("Alpha") for text in found) == count


def test_dbscan_without_scikit_learn_is_an_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)
    with pytest.raises(
        MissingExtraError,
        match=r"DBSCAN needs the package scikit-learn: pip install \"docxchunk\[semantic\]\"",
    ):
        dbscan(joint_distances(vectors_of(0, 3), 0.5), 0.3, 2)


@pytest.mark.parametrize(
    ("noise", "groups"),
    [
        (Noise.SINGLETONS, [[0], [1, 3], [2], [4, 5], [6]]),
        (Noise.ONE_CHUNK, [[0, 2, 6], [1, 3], [4, 5]]),
        (Noise.ATTACH, [[0], [1, 2, 3], [4, 5, 6]]),
    ],
)
def test_noise(noise, groups):
    assert groups_of(without_noise([-1, 0, -1, 0, 1, 1, -1], noise)) == groups


@pytest.mark.parametrize("last", ["", "Last."])
def test_a_heading_stays_with_the_sentence_below_it(last):
    """The headings are near the first sentence, and the other sentences are near each other. A
    heading at the end of the document has no sentence.
    """
    made = document(block("", "Uno.", 0), block("One", "Near. Far."), block("Two", last))
    near = GivenEmbedder({"Near.": (0.0, 1.0), "Far.": (0.0, 1.0), "Last.": (0.0, 1.0)})
    strategy = Cluster(n_clusters=0, weight=0.0)
    chunks = run(made, strategy, ChunkLimits(100), WORDS, models_of(near)).chunks
    assert [chunk.content for chunk in chunks] == (
        ["Uno.", "# One\nNear. Far.\n\n# Two\nLast."]
        if last
        else ["Uno.\n\n# Two", "# One\nNear. Far."]
    )


def test_sentences_of_two_sections_are_two_parts():
    """The second one begins where the first one and the break between them end, if both offsets
    were of one section.
    """
    made = document(block("", "Uno. Due.", 0), block("", "Four. Five.", 0))
    near = GivenEmbedder({"Uno.": (1.0, 0.0), "Five.": (1.0, 0.0)}, (0.0, 1.0))
    strategy = Cluster(n_clusters=0, weight=0.0)
    first, _ = run(made, strategy, ChunkLimits(100), WORDS, models_of(near)).chunks
    assert first.content == "Uno.\n\nFive."
    assert [(part.start, part.end) for part in first.parts if isinstance(part, Slice)] == [
        (0, 4),
        (6, 11),
    ]
