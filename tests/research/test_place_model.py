"""The place model: reading labelled files, and fitting."""

from research.places.model import TextWithPlaces, fit, join_tokens, read_conll

from lycosa.page.places.gazetteer import gazetteer
from lycosa.page.places.place_recognition import NamedPlaces


def test_offsets_of_joined_tokens_point_to_the_tokens():
    """Every token stands in the text where its offsets say."""
    tokens = ["The", "U", ".", "S", ".", "(", "and", "Athens", "'s", "port", ")", "won't", "."]
    text, offsets = join_tokens(tokens)
    assert [text[start:end] for start, end in offsets] == tokens
    assert text == "The U.S. (and Athens's port) won't."


def test_labels_of_both_styles_become_places():
    """B- and I- labels, of any name for location, give one span per place."""
    lines = [
        "Los I-LOC",
        "Angeles I-LOC",
        "and O",
        "Rome B-location",
        "slept O",
        "",
        "Ann I-PER",
        "sat O",
        "",
    ]
    first, second = read_conll(lines, lines_per_text=1)
    assert [first.text[start:end] for start, end in first.places] == ["Los Angeles", "Rome"]
    assert second == TextWithPlaces("Ann sat", ())


def test_fitting_learns_the_context():
    """After a few texts, an unknown name counts as a place behind `in` and not before `said`."""
    towns, people = ["Zorba", "Quimby", "Vorlag", "Tristom"], ["Krell", "Mobbs", "Plodder", "Fenwig"]
    texts = []
    for town in towns:
        for person in people:
            text = f"yesterday {person} said he lives in {town} now"
            at = text.index(town)
            texts.append(TextWithPlaces(text, ((at, at + len(town)),)))
    finder = NamedPlaces(gazetteer(), fit(texts * 3, gazetteer(), "test"))
    assert [mention.name for mention in finder.find("today Grumsch said he lives in Blorfit now")] == [
        "Blorfit"
    ]
