import pytest

from keras_attn.text.corpus import read_lines, read_links

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("loaded_once")]


def test_two_files_give_a_line_of_links_each(run, saved_tiny_folder, pair_files):
    result = run("align", saved_tiny_folder, *pair_files)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    targets = pair_files[1].read_text().splitlines()
    assert [len(line.split()) for line in lines] == [len(target.split()) for target in targets]


def test_what_is_printed_are_links_that_can_guide_a_training(run, saved_tiny_folder, pair_files, tmp_path):
    printed = run("align", saved_tiny_folder, *pair_files).stdout
    (tmp_path / "links").write_text(printed)
    found = read_links(tmp_path / "links", *map(read_lines, pair_files))
    assert sum(map(len, found)) == len(printed.split()) > 10


def test_an_alignment_has_no_error_against_itself(run, saved_tiny_folder, pair_files, tmp_path):
    gold = tmp_path / "gold"
    gold.write_text(run("align", saved_tiny_folder, *pair_files).stdout)
    result = run("align", saved_tiny_folder, *pair_files, "--gold", gold)
    assert result.stdout == "AER 0.000  precision 1.000  recall 1.000  (10 sentences)\n"


def test_a_gold_file_may_count_from_one(run, saved_tiny_folder, pair_files, tmp_path):
    lines = run("align", saved_tiny_folder, *pair_files).stdout.splitlines()
    from_one = [
        " ".join("-".join(str(int(n) + 1) for n in pair.split("-")) for pair in line.split())
        for line in lines
    ]
    (tmp_path / "gold").write_text("\n".join(from_one) + "\n")
    result = run("align", saved_tiny_folder, *pair_files, "--gold", tmp_path / "gold", "--one-based")
    assert result.stdout.startswith("AER 0.000 ")


def test_a_model_of_the_other_direction_has_its_say(run, saved_tiny_folder, pair_files):
    """Here it is the same model: any links of one direction are links of the two, or dropped."""
    result = run(
        "align", saved_tiny_folder, *pair_files, "--reverse", saved_tiny_folder, "--threshold", "0.2"
    )
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 10 and "-" in result.stdout


@pytest.mark.parametrize(
    ("gold", "message"),
    [("0-0\n", "has 1 lines but"), ("0:0\n" * 10, "line 1: expected source-target")],
)
def test_a_gold_file_that_does_not_fit_is_a_mistake(
    gold, message, run, saved_tiny_folder, pair_files, tmp_path
):
    (tmp_path / "gold").write_text(gold)
    result = run("align", saved_tiny_folder, *pair_files, "--gold", tmp_path / "gold")
    assert result.exit_code == 2
    assert message in result.stderr and result.stderr.count("\n") == 1


def test_one_sentence_gives_a_picture_and_its_translation(run, saved_tiny_folder, tmp_path):
    picture = tmp_path / "cat.svg"
    sentence = ["--source-text", "the big cat", "--target-text", "le grand chat"]
    result = run("align", saved_tiny_folder, *sentence, "--output", picture)
    assert (result.exit_code, result.stdout) == (0, "le grand chat\n")
    assert all(f">{word}<" in picture.read_text() for word in ["the", "big", "cat", "le", "grand", "chat"])


@pytest.mark.parametrize(
    ("sentence", "picture", "message"),
    [
        (["--source-text", "the cat", "--target-text", "le chat"], "cat.jpg", ".png or .svg"),
        (["--source-text", " "], "cat.png", "the source has no words"),
    ],
)
def test_what_cannot_be_drawn_is_a_mistake(sentence, picture, message, run, saved_tiny_folder, tmp_path):
    result = run("align", saved_tiny_folder, *sentence, "--output", tmp_path / picture)
    assert result.exit_code == 2
    assert message in result.stderr and result.stderr.count("\n") == 1
    assert not (tmp_path / picture).exists()
