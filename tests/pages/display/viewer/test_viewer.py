"""A viewer goes where the page asks, once, and not where the visitor already is."""

from pages.display.viewer import next_request

A, B = {"side": "truth", "index": 3}, {"side": "prediction", "index": 3}


def sent(*turns, case="c"):
    """What is sent after the page requested places in turn, each with what was selected in the viewer
    then."""
    request, found = None, []
    for requested, selected in turns:
        request = next_request(request, case, requested, selected)
        found.append(request.sent)
    return found


def test_nothing_is_requested():
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


def test_the_same_place_requested_again_is_a_new_request():
    first, _, third = sent((A, None), (B, B), (A, B))
    assert {name: third[name] for name in A} == A
    assert third != first


def test_another_case_begins_anew():
    before = next_request(None, "c", A, None)
    assert next_request(before, "d", None, None).sent is None
    assert next_request(before, "d", A, None).sent is not None
