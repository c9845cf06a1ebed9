"""A viewer goes where the page asks, once, and not where the visitor already is."""

from pages.shared.viewer.focus import following

A, B = {"side": "truth", "index": 3}, {"side": "prediction", "index": 3}


def sent(*turns, case="c"):
    """What is sent after the page asked for places in turn, each with what was selected in the viewer
    then."""
    request, found = None, []
    for asked, selected in turns:
        request = following(request, case, asked, selected)
        found.append(request.sent)
    return found


def test_nothing_is_asked():
    assert sent((None, None), (None, A)) == [None, None]


def test_a_place_is_sent_and_stays():
    first, again = sent((A, None), (A, None))
    assert first | A == first
    assert again == first


def test_a_visitor_who_went_elsewhere_is_left_there():
    first, later = sent((A, None), (A, B))
    assert later == first


def test_what_was_selected_in_the_viewer_is_not_sent_back():
    assert sent((None, B), (B, {"case": "c", "status": "FP", **B})) == [None, None]


def test_the_same_place_asked_for_again_is_a_new_request():
    first, _, third = sent((A, None), (B, B), (A, B))
    assert {name: third[name] for name in A} == A
    assert third != first


def test_another_case_begins_anew():
    before = following(None, "c", A, None)
    assert following(before, "d", None, None).sent is None
    assert following(before, "d", A, None).sent is not None
