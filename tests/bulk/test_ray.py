"""Ray Data, with two actors on this machine."""

import pytest

from keras_attn.inference.bulk import BulkTranslator

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'keras-attn[ray]'")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    # Two actors hold two, and what feeds them needs some as well.
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, configure_logging=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


def translated(lines, translator, **options):
    """What comes out, by the number that goes in with each line."""
    table = ray.data.from_items([{"number": i, "text": line} for i, line in enumerate(lines)])
    table = table.repartition(8).map_batches(
        translator, fn_constructor_kwargs=options, batch_size=16, concurrency=2
    )
    rows = table.take_all()
    assert sorted(row["number"] for row in rows) == list(range(len(lines)))
    return [row["translation"] for row in sorted(rows, key=lambda row: row["number"])]


def test_two_actors_say_what_keras_says_and_each_line_keeps_its_number(cluster, lines, expected):
    assert translated(lines, BulkTranslator, folder="tatoeba-en-es", beam_size=1) == expected


def test_what_a_killed_actor_was_given_is_done_again(cluster, lines, expected, killed_once, tmp_path):
    mark = tmp_path / "killed"
    options = {"folder": "tatoeba-en-es", "beam_size": 1, "mark": mark, "last_words": lines[100]}
    assert translated(lines, killed_once, **options) == expected
    assert mark.exists()
