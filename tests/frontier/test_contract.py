"""What every frontier promises, checked on each of them."""

import math
import random
from collections.abc import Sequence
from unittest import mock

import numpy as np
import pytest
from msgspec.structs import replace

from lycosa.frontier import Frontier, FrontierView
from lycosa.frontier.queued import QueuedFrontier
from lycosa.values import AGAIN, Decision, Floats, Kind, Merge, Notes, Outcome, Reason, Refusal
from tests.frontier.conftest import Open
from tests.frontier.offers import drain, held, key, link, name_of, offer, take

REST = Outcome(rest_until=0.0)


def test_it_is_a_frontier_with_a_view(open_frontier: Open) -> None:
    """Both implementations fit both Protocols (mypy checks these two lines)."""
    frontier: Frontier = open_frontier()
    view: FrontierView = open_frontier()
    assert frontier.take(0.0) is None
    assert view.next_at() is None


def test_the_best_goes_first_and_ties_go_by_discovery(open_frontier: Open) -> None:
    """Over all hosts: highest priority first, equal ones in the order they were found."""
    frontier = open_frontier()
    added = frontier.add([offer("a/1", 0.2), offer("b/1", 0.9), offer("c/1", 0.2), offer("a/2", 0.2)])
    assert added.new == 4
    assert drain(frontier) == ["b/1", "a/1", "c/1", "a/2"]


def test_a_long_queue_keeps_its_order(open_frontier: Open) -> None:
    """However many URLs one host has, and however adding and taking alternate, the best is next."""
    frontier = open_frontier()
    draw = random.Random(3)
    waiting: dict[str, tuple[float, int]] = {}
    for step in range(400):
        name, priority = f"a/{step}", draw.randrange(50) / 50
        frontier.add([offer(name, priority)])
        waiting[name] = (-priority, step)
        if step % 7 == 0:
            again = draw.choice(sorted(waiting))
            better = draw.randrange(100) / 50
            frontier.add([offer(again, better)])
            waiting[again] = (min(waiting[again][0], -better), waiting[again][1])
        if step % 3 == 0:
            taken = take(frontier)
            assert name_of(taken) == min(waiting, key=waiting.__getitem__)
            frontier.done(taken, REST)
            del waiting[name_of(taken)]
    assert drain(frontier) == sorted(waiting, key=waiting.__getitem__)


def test_a_link_comes_back_as_it_was_found(open_frontier: Open) -> None:
    """All fields survive, with the decision's priority."""
    frontier = open_frontier()
    found = link(
        "a/x?y=ü", anchor="Überall", rel="next", position=3, kind=Kind.IMAGE, depth=2, trail=1,
        redirects=1, parent=-5, noted=Notes(memo=b"\x81\xa4type\xa1a", via=(3, -4), etag="e"),
    )  # fmt: skip
    frontier.add([Decision(found, priority=0.7)])
    assert frontier.take(0.0) == replace(found, priority=0.7)


def test_refused_links_stay_unknown(open_frontier: Open) -> None:
    """A refusal changes nothing, and the URL may be offered again."""
    frontier = open_frontier()
    frontier.add([Decision(link("a/1"), refusal=Refusal(Reason.PATH))])
    assert frontier.find(key("a/1")) is None
    assert frontier.add([offer("a/1")]).new == 1


def test_a_host_is_busy_and_then_rests(open_frontier: Open) -> None:
    """One lease at a time, and none before the rest is over; other hosts go meanwhile."""
    frontier = open_frontier()
    frontier.add([offer("a/1", 0.9), offer("a/2", 0.8), offer("b/1", 0.1)])
    first = take(frontier, 100.0)
    assert name_of(take(frontier, 100.0)) == "b/1"
    assert frontier.take(100.0) is None
    assert frontier.next_at() == math.inf
    frontier.done(first, Outcome(rest_until=103.0))
    assert frontier.take(102.9) is None
    assert frontier.next_at() == 103.0
    assert name_of(take(frontier, 103.0)) == "a/2"
    assert frontier.next_at() is None


def test_a_shorter_rest_does_not_shorten_a_longer_one(open_frontier: Open) -> None:
    """With two requests under way, the later of the two rests counts."""
    frontier = open_frontier(per_host_concurrency=2)
    frontier.add([offer("a/1"), offer("a/2"), offer("a/3")])
    first, second = take(frontier), take(frontier)
    assert frontier.take(0.0) is None
    frontier.done(first, Outcome(rest_until=60.0))
    frontier.done(second, Outcome(rest_until=2.0))
    assert frontier.take(59.0) is None
    assert name_of(take(frontier, 60.0)) == "a/3"


def test_a_clock_that_is_set_back_breaks_no_rest(open_frontier: Open) -> None:
    """Who may go at 10 may not go when the clock says 5 again."""
    frontier = open_frontier()
    frontier.add([offer("a/1"), offer("a/2")])
    frontier.done(take(frontier, 1.0), Outcome(rest_until=10.0))
    frontier.add([offer("b/1", 0.9)])
    assert name_of(take(frontier, 11.0)) == "b/1"
    assert frontier.take(5.0) is None
    assert name_of(take(frontier, 10.0)) == "a/2"


def test_a_clock_that_is_set_back_stalls_no_host(open_frontier: Open) -> None:
    """No rest lies further ahead than it is long."""
    frontier = open_frontier()
    frontier.add([offer("a/1"), offer("a/2")])
    frontier.done(take(frontier, 1e6), Outcome(rest_until=1e6 + 5))
    assert frontier.take(100.0) is None
    assert frontier.next_at() == 105.0
    assert name_of(take(frontier, 105.0)) == "a/2"


def test_ending_what_is_not_taken_is_an_error(open_frontier: Open) -> None:
    """A lease ends once."""
    frontier = open_frontier()
    frontier.add([offer("a/1")])
    taken = take(frontier)
    frontier.done(taken, REST)
    with pytest.raises(LookupError, match="not taken"):
        frontier.done(taken, REST)


def test_taken_and_done_urls_are_known(open_frontier: Open) -> None:
    """Neither waits again by being offered again."""
    frontier = open_frontier()
    frontier.add([offer("a/1")])
    taken = take(frontier)
    assert frontier.add([offer("a/1", 0.9)]).known == 1
    frontier.done(taken, REST)
    assert frontier.add([offer("a/1", 0.9)]).known == 1
    assert frontier.take(0.0) is None


def test_a_link_twice_in_one_batch_is_one(open_frontier: Open) -> None:
    """The second merges into the first."""
    frontier = open_frontier()
    added = frontier.add([offer("a/1", 0.2, depth=4), offer("a/1", 0.6, depth=5)])
    assert (added.new, added.merged) == (1, 1)
    taken = take(frontier)
    assert (taken.priority, taken.depth) == (0.6, 4)


def test_max_keeps_the_better_link_and_the_smaller_depth(open_frontier: Open) -> None:
    """Parent, notes and anchor go with the better priority."""
    frontier = open_frontier()
    frontier.add([offer("a/1", 0.5, depth=3, anchor="old", parent=1, noted=Notes(etag="1"))])
    frontier.add([offer("a/1", 0.4, depth=2, anchor="worse", parent=2)])
    frontier.add([offer("a/1", 0.6, depth=9, anchor="new", parent=3, noted=Notes(etag="3"))])
    frontier.add([offer("a/2", 0.55)])
    taken = take(frontier)
    assert (taken.anchor, taken.parent, taken.notes.etag) == ("new", 3, "3")
    assert (taken.priority, taken.depth) == (0.6, 2)


def test_selected_beats_explored(open_frontier: Open) -> None:
    """Whatever the priorities are, and in both orders."""
    frontier = open_frontier()
    frontier.add([offer("a/1", 0.9, trail=2), offer("b/1", 0.3)])
    frontier.add([offer("a/1", 0.2), offer("b/1", 0.9, trail=1)])
    first, second = take(frontier), take(frontier)
    assert (name_of(first), first.trail, first.priority) == ("b/1", 0, 0.3)
    assert (name_of(second), second.trail, second.priority) == ("a/1", 0, 0.2)


def test_sum_adds_and_replace_replaces(open_frontier: Open) -> None:
    """Priorities as cash, and re-scoring, also downwards."""
    frontier = open_frontier()
    frontier.add([offer("a/1", 0.25), offer("a/2", 0.4), offer("a/3", 0.9)])
    frontier.add([offer("a/1", 0.25)], Merge.SUM)
    frontier.add([offer("a/3", 0.1)], Merge.REPLACE)
    assert frontier.add([offer("a/2", 0.4)]).merged == 1
    assert drain(frontier) == ["a/1", "a/2", "a/3"]


def test_what_is_not_a_number_goes_last(open_frontier: Open) -> None:
    """A broken score costs its link its rank, nothing else."""
    frontier = open_frontier()
    frontier.add([offer("a/1", math.nan), offer("a/2", -5.0), offer("b/1", float(np.float32(0.5)))])
    assert drain(frontier) == ["b/1", "a/2", "a/1"]


def test_a_retry_waits_apart(open_frontier: Open) -> None:
    """It comes back when it is due, one attempt older, and holds up no other URL of its host."""
    frontier = open_frontier()
    frontier.add([offer("a/1", 0.9), offer("a/2", 0.1)])
    first = take(frontier)
    frontier.done(replace(first, noted=Notes(etag="x"), priority=0.3), Outcome(rest_until=1.0, again_at=30.0))
    second = take(frontier, 1.0)
    assert name_of(second) == "a/2"
    assert frontier.next_at() == 30.0
    assert frontier.counts().waiting == 1
    frontier.done(second, Outcome(rest_until=2.0))
    assert frontier.take(29.0) is None
    again = take(frontier, 30.0)
    assert (name_of(again), again.attempts, again.priority) == ("a/1", 1, 0.3)
    assert again.notes == Notes(etag="x")
    frontier.done(replace(again, attempts=-1), Outcome(rest_until=31.0, again_at=3600.0))
    put_off = take(frontier, 3600.0)
    assert put_off.attempts == 0
    frontier.done(put_off, Outcome(rest_until=3601.0, again_at=3601.0, tried=False))
    assert take(frontier, 3601.0).attempts == 0


def _seen(frontier: QueuedFrontier, name: str, again_at: float, rest_until: float = 0.0) -> None:
    """Take a URL and let it wait for its next visit."""
    taken = take(frontier, 1.0)
    assert name_of(taken) == name
    noted = replace(taken, attempts=AGAIN, noted=Notes(etag=name, seen_at=1.0))
    frontier.done(noted, Outcome(rest_until, again_at, tried=False))


def test_what_was_fetched_before_goes_only_when_it_is_asked_for(open_frontier: Open) -> None:
    """The first that is due goes first, of a host that may; new URLs are another matter."""
    frontier = open_frontier()
    frontier.add([offer("a/1", 0.9), offer("b/1", 0.8), offer("c/1", 0.7)])
    _seen(frontier, "a/1", 20.0, rest_until=40.0)
    _seen(frontier, "b/1", 30.0)

    assert name_of(take(frontier, 1.0)) == "c/1"
    assert frontier.take(15.0) is None
    assert frontier.take(19.0, again=True) is None
    assert frontier.next_at(again=True) == 20.0
    assert frontier.take(25.0, again=True) is None  # a rests
    assert frontier.next_at(again=True) == 40.0
    first, second = frontier.take(35.0, again=True), frontier.take(40.0, again=True)
    assert first
    assert second
    assert [name_of(first), name_of(second)] == ["b/1", "a/1"]
    assert (first.attempts, first.notes.etag) == (0, "b/1")
    assert frontier.next_at(again=True) is None
    frontier.done(first, Outcome(rest_until=0.0))
    assert (frontier.counts().waiting, frontier.counts().taken) == (0, 2)


def test_a_next_visit_stays_whatever_else_happens_to_its_host(open_frontier: Open) -> None:
    """Another link to it, a full host and new scores leave it alone; a list that dates it hastens it."""
    frontier = open_frontier(pages_per_host=1)
    frontier.add([offer("a/1", 0.5, parent=1)])
    _seen(frontier, "a/1", 50.0)
    frontier.add([offer("a/1", 0.9, parent=1), offer("a/2", 0.8)])
    frontier.done(take(frontier, 2.0), Outcome(rest_until=0.0))
    frontier.begin_rescoring()
    frontier.end_rescoring()
    frontier.hasten([key("a/1"), key("a/2"), key("a/9")], 10.0)
    again = frontier.take(10.0, again=True)

    assert again is not None
    assert (again.notes.etag, again.priority) == ("a/1", 0.5)


def test_a_next_visit_stays_though_the_url_moved_up_before_its_first(open_frontier: Open) -> None:
    """A queue may still have its number, where it stood before it moved."""
    frontier = open_frontier(pages_per_host=1)
    frontier.add([offer("a/1", 0.1), offer("a/2", 0.5), offer("a/picture", 0.3, kind=Kind.IMAGE)])
    frontier.add([offer("a/1", 0.9)])
    _seen(frontier, "a/1", 50.0)
    frontier.done(take(frontier, 2.0), Outcome(rest_until=0.0))
    assert frontier.take(50.0, again=True) is not None


def test_a_retry_that_is_offered_again_merges_and_still_waits(open_frontier: Open) -> None:
    """Its time is its own, whoever links to it."""
    frontier = open_frontier()
    frontier.add([offer("a/1", 0.2)])
    frontier.done(take(frontier), Outcome(rest_until=0.0, again_at=30.0))
    assert frontier.add([offer("a/1", 0.8)]).merged == 1
    assert frontier.take(29.0) is None
    again = take(frontier, 30.0)
    assert (again.priority, again.attempts) == (0.8, 1)


def test_a_full_host_gives_no_more_pages(open_frontier: Open) -> None:
    """What waits there is dropped and counted, and so is what is offered later; images still go."""
    frontier = open_frontier(pages_per_host=2)
    frontier.add([offer(f"a/{n}", 0.9 - n / 10) for n in range(4)])
    frontier.add([offer("a/picture", 0.0, kind=Kind.IMAGE), offer("b/1", 0.0)])
    frontier.done(take(frontier), Outcome(rest_until=0.0, counts=False))
    assert drain(frontier) == ["a/1", "a/2", "a/picture", "b/1"]
    assert frontier.find(key("a/3")) is None
    assert frontier.add([offer("a/9")]).dropped == 1
    assert frontier.counts().dropped == {"HOST_FULL": 2}


@pytest.mark.parametrize("merge", Merge)
def test_an_image_of_a_full_host_that_is_linked_to_as_a_page_stays_an_image(
    open_frontier: Open, merge: Merge
) -> None:
    """As a page it would go beyond the limit; a frontier that is reopened drops such a page, one that is not would ask for it."""
    frontier = open_frontier(pages_per_host=1)
    frontier.add([offer("a/1", 0.9), offer("a/picture", 0.1, kind=Kind.IMAGE)])
    frontier.done(take(frontier), Outcome(rest_until=0.0))
    added = frontier.add([offer("a/picture", 0.8)], merge)
    assert (added.merged, added.dropped) == (0, 1)
    assert frontier.counts().dropped == {"HOST_FULL": 1}
    picture = take(frontier)
    assert (name_of(picture), picture.kind, picture.priority) == ("a/picture", Kind.IMAGE, 0.1)


def test_pages_under_way_count_for_the_limit(open_frontier: Open) -> None:
    """The last page of a site is asked for once, and again only if that did not count."""
    frontier = open_frontier(pages_per_site=1)
    frontier.add([offer("x.a/1", 0.9), offer("y.a/1", 0.8), offer("y.a/2", 0.7)])
    first = take(frontier)
    assert frontier.take(0.0) is None
    frontier.done(first, Outcome(rest_until=0.0, counts=False))
    second = take(frontier)
    assert name_of(second) == "y.a/1"
    frontier.done(second, Outcome(rest_until=0.0, again_at=5.0))
    assert drain(frontier) == ["y.a/2"]
    assert frontier.take(5.0) is None
    assert frontier.counts().dropped == {"HOST_FULL": 1}
    assert frontier.counts().waiting == 0


def test_both_schemes_are_one_host(open_frontier: Open) -> None:
    """The limit is the host's, over its authorities."""
    frontier = open_frontier(pages_per_host=1)
    secure = replace(link("a/1"), url="https://a.example/1", key=7)
    frontier.add([offer("a/1", 0.9), Decision(secure, priority=0.5)])
    assert drain(frontier) == ["a/1"]


def test_the_worst_are_dropped_from_a_full_queue(open_frontier: Open) -> None:
    """The lowest priority goes first, the latest among equals; the dropped are unknown again."""
    frontier = open_frontier(max_waiting=3)
    added = frontier.add([offer(f"{host}/1", 0.5) for host in "abc"] + [offer("d/1", 0.9), offer("e/1", 0.1)])
    assert (added.new, added.dropped) == (5, 2)
    assert frontier.counts().dropped == {"QUEUE_FULL": 2}
    assert frontier.find(key("c/1")) is None
    assert drain(frontier) == ["d/1", "a/1", "b/1"]
    assert frontier.add([offer("e/1", 0.1)]).new == 1


def test_a_long_queue_survives_being_cut(open_frontier: Open) -> None:
    """After a drop the rest of a host's queue is still complete and in order."""
    frontier = open_frontier(max_waiting=30)
    for n in range(60):
        frontier.add([offer(f"a/{n}", n / 100)])
    assert drain(frontier) == [f"a/{n}" for n in range(59, 29, -1)]


def test_a_hold_waits_for_its_urls(open_frontier: Open) -> None:
    """Its links wait out of the queue; it is complete when the last awaited URL is done."""
    frontier = open_frontier()
    frontier.add([offer("i/1", 0.9), offer("i/2", 0.8)])
    added = frontier.add([held("a/1", "h", "i/1"), held("a/2", "h", "i/2"), held("b/1", "other", "i/2")])
    assert (added.new, added.held) == (0, 3)
    assert (frontier.counts().waiting, frontier.counts().held) == (2, 3)
    assert frontier.done(take(frontier), REST) == ()
    assert frontier.orphans() == ()
    assert frontier.done(take(frontier), REST) == ("h", "other")
    assert frontier.orphans() == ("h", "other")
    assert frontier.release("h") == (link("a/1"), link("a/2"))
    assert frontier.holds() == ("other",)
    assert frontier.release("h") == ()
    assert frontier.find(key("a/1")) is None
    assert frontier.add([offer("a/1")]).new == 1


def test_a_retried_url_is_still_awaited(open_frontier: Open) -> None:
    """A hold waits on while its URL is tried again."""
    frontier = open_frontier()
    frontier.add([offer("i/1"), held("a/1", "h", "i/1")])
    assert frontier.done(take(frontier), Outcome(rest_until=0.0, again_at=1.0)) == ()
    assert frontier.done(take(frontier, 1.0), Outcome(rest_until=0.0, counts=False)) == ("h",)


def test_a_hold_follows_a_redirect(open_frontier: Open) -> None:
    """What waited for a URL waits for where it led; a target that is done or unknown holds nothing up."""
    frontier = open_frontier()
    frontier.add([offer("i/1", 0.9), held("a/1", "h", "i/1"), offer("i/2", 0.8), held("a/2", "g", "i/2")])
    first = take(frontier)
    frontier.add([offer("j/1", 0.85)])
    assert frontier.done(first, Outcome(rest_until=0.0, instead=key("j/1"))) == ()
    assert frontier.orphans() == ()
    assert frontier.done(take(frontier), REST) == ("h",)
    assert frontier.done(take(frontier), Outcome(rest_until=0.0, instead=key("j/1"))) == ("g",)


def test_a_hold_with_nothing_to_wait_for_is_an_orphan_at_once(open_frontier: Open) -> None:
    """Awaited URLs that are done or unknown cannot be waited for; those of the same batch can."""
    frontier = open_frontier()
    frontier.add([offer("i/1")])
    frontier.done(take(frontier), REST)
    frontier.add([held("a/1", "h", "i/1", "never/seen"), held("a/2", "g", "i/2"), offer("i/2")])
    assert frontier.holds() == ("h", "g")
    assert frontier.orphans() == ("h",)


def test_dropping_what_a_hold_waits_for_completes_it(open_frontier: Open) -> None:
    """Whether by a full queue or by a full host."""
    frontier = open_frontier(max_waiting=2, pages_per_host=1)
    frontier.add([offer("i/1", 0.1), held("a/1", "h", "i/1")])
    frontier.add([offer("i/2", 0.8), offer("c/1", 0.9)])
    assert frontier.orphans() == ("h",)
    frontier.add([offer("c/2", 0.85), held("a/2", "g", "c/2")])
    assert frontier.done(take(frontier), REST) == ("g",)
    assert frontier.orphans() == ("h", "g")


def test_a_held_link_leaves_its_hold_when_it_is_offered_plainly(open_frontier: Open) -> None:
    """Held is known for another hold, but a priority lets it wait."""
    frontier = open_frontier()
    frontier.add([offer("i/1", 0.9), held("a/1", "h", "i/1"), held("a/2", "h", "i/1")])
    assert frontier.add([held("a/1", "other", "i/1")]).known == 1
    assert frontier.add([offer("a/1")]).new == 1
    assert drain(frontier) == ["i/1", "a/1"]
    assert frontier.release("h") == (link("a/2"),)
    assert frontier.counts().held == 0


def test_a_hold_can_grow(open_frontier: Open) -> None:
    """A complete hold that gets something new to wait for is not complete any more."""
    frontier = open_frontier()
    frontier.add([held("a/1", "h")])
    assert frontier.orphans() == ("h",)
    frontier.add([held("a/2", "h", "i/1"), offer("i/1")])
    assert frontier.orphans() == ()
    assert frontier.done(take(frontier), REST) == ("h",)


def test_images_that_nobody_waits_for_any_more_are_dropped(open_frontier: Open) -> None:
    """On release: waiting images of this hold alone, never pages or what is under way."""
    frontier = open_frontier()
    frontier.add([offer(f"i/{n}", 1 - n / 10, kind=Kind.IMAGE) for n in range(3)] + [offer("p/1", 0.1)])
    first = take(frontier)
    frontier.add([held("a/1", "h", "i/0", "i/1", "i/2", "p/1"), held("a/2", "g", "i/2")])
    frontier.release("h")
    assert frontier.counts().dropped == {"NOT_NEEDED": 1}
    frontier.done(first, REST)
    assert drain(frontier) == ["i/2", "p/1"]
    assert frontier.orphans() == ("g",)


def test_an_explored_page_is_promoted_once(open_frontier: Open) -> None:
    """When a selected link leads to a page that was fetched only to be looked through."""
    frontier = open_frontier()
    frontier.add([offer("a/1", trail=1)])
    taken = take(frontier)
    assert frontier.add([offer("a/1")]).promoted == ()
    frontier.done(taken, REST)
    assert frontier.add([offer("a/1", trail=2), held("a/1", "h")]).promoted == ()
    assert frontier.add([offer("a/1"), offer("a/1")]).promoted == (key("a/1"),)
    assert frontier.add([offer("a/1")]).promoted == ()


def test_find_says_where_a_url_stands(open_frontier: Open) -> None:
    """Waiting, taken, done, held or unknown, with when it may go."""
    frontier = open_frontier()
    frontier.add([offer("a/1", 0.9), offer("a/2", 0.1), held("b/1", "h", "a/1")])
    taken = take(frontier, 10.0)
    found = frontier.find(key("a/1"))
    assert found is not None
    assert (found.state, found.link) == ("taken", taken)
    frontier.done(taken, Outcome(rest_until=20.0))
    waiting, done = frontier.find(key("a/2")), frontier.find(key("a/1"))
    assert waiting is not None
    assert (waiting.state, waiting.may_go_at, waiting.link.priority) == ("waiting", 20.0, 0.1)
    assert done is not None
    assert done.state == "done"
    kept = frontier.find(key("b/1"))
    assert kept is not None
    assert (kept.state, kept.hold) == ("held", "h")
    assert frontier.find(12345) is None


def test_counts_and_queues(open_frontier: Open) -> None:
    """Counts are of states."""
    frontier = open_frontier()
    frontier.add([offer("a/1", 0.9), offer("b/1"), offer("b/2"), offer("c/1"), held("d/1", "h", "a/1")])
    frontier.done(take(frontier), Outcome(rest_until=9.0))
    take(frontier)
    counts = frontier.counts()
    assert (counts.waiting, counts.taken, counts.done, counts.held) == (2, 1, 1, 1)
    assert (counts.authorities, counts.active_authorities) == (3, 2)


def test_sources_are_weighed_afresh_at_every_choice(open_frontier: Open) -> None:
    """The weigher sees, in one call, the sources that may go, with their best priorities and the step."""
    seen: list[tuple[list[float], list[float], list[float], int]] = []

    def success(good: Floats, bad: Floats, best: Floats, step: int) -> Floats:
        seen.append((list(good), list(bad), list(best), step))
        return (good + 1) / (bad + 1) * best

    frontier = open_frontier(weigh=success)
    frontier.add([offer("x.a/1", 0.4), offer("y.a/1", 0.5), offer("b/1", 0.6), offer("c/1", 0.05)])
    frontier.reweigh("b.example", 0, 5)
    frontier.reweigh("a.example", 2, 0)
    order = [name_of(take(frontier)) for _ in range(4)]
    assert order == ["y.a/1", "x.a/1", "b/1", "c/1"]
    assert seen[0] == ([2, 0, 0], [0, 5, 0], [0.5, 0.6, 0.05], 0)
    assert seen[1] == ([2, 0, 0], [0, 5, 0], [0.4, 0.6, 0.05], 1)
    assert seen[3] == ([0], [0], [0.05], 3)
    assert frontier.take(0.0) is None
    assert len(seen) == 4


def test_a_good_source_that_rests_is_waited_for(open_frontier: Open) -> None:
    """Where sources are weighed, selectivity compares their choice keys and not the bare priorities."""

    def success(good: Floats, bad: Floats, best: Floats, step: int) -> Floats:
        return (good + 1) / (bad + 1) * best

    frontier = open_frontier(weigh=success, selectivity=0.5)
    frontier.add([offer("a/1", 0.5), offer("a/2", 0.4), offer("b/1", 0.4), offer("c/1", 0.1)])
    frontier.reweigh("a.example", 3, 0)
    first = take(frontier)
    assert name_of(first) == "a/1"
    assert frontier.take(0.0) is None
    frontier.done(first, Outcome(rest_until=10.0))
    assert frontier.take(1.0) is None
    assert frontier.next_at() == 10.0
    frontier.reweigh("a.example", 3, 4)
    assert name_of(take(frontier, 1.0)) == "b/1"


def test_equal_sources_go_by_priority_then_discovery(open_frontier: Open) -> None:
    """A weigher that knows no difference leaves the best-first order."""
    frontier = open_frontier(weigh=lambda good, bad, best, step: np.full(len(best), np.nan))
    frontier.add([offer("a/1", 0.2), offer("b/1", 0.9), offer("c/1", 0.2), offer("d/1", 0.2)])
    assert drain(frontier) == ["b/1", "a/1", "c/1", "d/1"]


def test_many_sources_are_weighed(open_frontier: Open) -> None:
    """More sources than the first arrays have room for."""
    frontier = open_frontier(weigh=lambda good, bad, best, step: best)
    frontier.add([offer(f"h{n}/1", n) for n in range(200)])
    assert drain(frontier) == [f"h{n}/1" for n in reversed(range(200))]


def test_rescoring_keeps_what_is_offered_again(open_frontier: Open) -> None:
    """Links that pages led to wait by their new scores, the others are dropped; seeds and redirects stay."""
    frontier = open_frontier()
    first = [offer("a/seed", 0.4), offer("a/moved", 0.3, parent=1, redirects=1)]
    found = [offer(f"{host}/{n}", n / 10, parent=1) for host in "ab" for n in range(9)]
    frontier.add([*first, *found])
    frontier.begin_rescoring()
    frontier.add([offer("a/1", 0.9, parent=2), offer("b/8", 0.2, parent=2), offer("b/new", 0.1, parent=2)])
    frontier.add([offer("a/1", 0.5, parent=3)])
    assert frontier.end_rescoring() == 16
    assert frontier.counts().waiting == 5
    assert drain(frontier) == ["a/1", "a/seed", "a/moved", "b/8", "b/new"]


@pytest.mark.parametrize("merge", list(Merge))
def test_a_new_score_replaces_the_old_one_by_any_merge(open_frontier: Open, merge: Merge) -> None:
    """The first new offer counts as if the URL were new; later ones merge."""
    frontier = open_frontier()
    frontier.add([offer("a/1", 0.9, parent=1, trail=0)])
    frontier.begin_rescoring()
    frontier.add([offer("a/1", 0.25, parent=2, trail=2)], merge)
    frontier.end_rescoring()
    taken = take(frontier)
    assert (taken.priority, taken.parent, taken.trail) == (0.25, 2, 2)


def test_a_new_strategy_may_hold_what_waited(open_frontier: Open) -> None:
    """A link that is being re-scored leaves the queue for its hold, and is not dropped."""
    frontier = open_frontier()
    frontier.add([offer("a/1", 0.5, parent=1), offer("a/2", 0.5, parent=1)])
    frontier.begin_rescoring()
    assert frontier.add([held("a/1", "h", "a/2"), offer("a/2", 0.1, parent=1)]).held == 1
    assert frontier.end_rescoring() == 0
    assert (frontier.counts().waiting, frontier.counts().held) == (1, 1)
    assert frontier.done(take(frontier), REST) == ("h",)
    assert [name_of(link) for link in frontier.release("h")] == ["a/1"]


def test_rescoring_lets_go_of_held_links(open_frontier: Open) -> None:
    """A new strategy may hold them anew, or not; what waits for a time of its own does so still."""
    frontier = open_frontier()
    frontier.add([offer("a/1", 0.5, parent=1), held("a/2", "h", "a/1")])
    frontier.done(take(frontier), Outcome(rest_until=0.0, again_at=50.0))
    frontier.begin_rescoring()
    assert not frontier.holds()
    frontier.add([offer("a/1", 0.7, parent=1)])
    frontier.end_rescoring()
    assert frontier.take(10.0) is None
    assert take(frontier, 50.0).priority == 0.7
    assert frontier.counts().held == 0


def test_a_forgotten_url_may_be_offered_again(open_frontier: Open) -> None:
    """Only done URLs are forgotten; what waits or is taken stays."""
    frontier = open_frontier()
    frontier.add([offer("a/1", 0.9), offer("a/2", 0.5), offer("b/1", 0.4)])
    frontier.done(take(frontier), Outcome(rest_until=0.0))
    taken = take(frontier)
    frontier.forget([key("a/1"), key("a/2"), key("b/1"), key("c/1")])
    assert frontier.counts().done == 0
    assert frontier.add([offer("a/1"), offer("a/2"), offer("b/1")]).new == 1
    frontier.done(taken, Outcome(rest_until=0.0))
    assert drain(frontier) == ["b/1", "a/1"]


class SumOfBytes:
    """A record is the numbers that links said, their sum (times `factor`) the priority."""

    def __init__(self) -> None:
        self.factor = 1.0

    def merge(self, known: Sequence[bytes], offered: Sequence[bytes]) -> Sequence[bytes]:
        return [before + more for before, more in zip(known, offered, strict=True)]

    def scored(self, records: Sequence[bytes]) -> tuple[Floats, Sequence[bytes]]:
        return np.array([self.factor * sum(record) for record in records], dtype=float), records


def test_a_url_is_ranked_by_what_all_links_to_it_say(open_frontier: Open) -> None:
    """Three weak links to a URL outweigh one that is better than each of them; it comes with its record."""
    frontier = open_frontier(records=SumOfBytes())
    frontier.add([offer("a/1", 0.9, record=b"\x03"), offer("b/1", 0.1, record=b"\x02")])
    frontier.add([offer("b/1", 0.1, record=b"\x02"), offer("a/2", 0.5)])
    taken = take(frontier)
    assert (name_of(taken), taken.record, taken.priority) == ("b/1", b"\x02\x02", 4.0)
    assert drain(frontier) == ["a/1", "a/2"]


def test_what_can_go_next_is_scored_again(open_frontier: Open) -> None:
    """After the strategy has learned, what waits stands where its record says; seeds keep their priority."""
    records = SumOfBytes()
    frontier = open_frontier(records=records)
    frontier.add([offer(f"a/{n}", record=bytes([n])) for n in range(1, 31)])
    frontier.add([offer("b/1", 5.5), offer("b/2", record=b"\x04")])
    records.factor = -1.0
    assert frontier.rescore(1000) == 32
    assert drain(frontier)[:4] == ["b/1", "a/1", "a/2", "a/3"]


def test_scoring_again_is_bounded(open_frontier: Open) -> None:
    """However much waits, no more than asked for is scored, the best of each host."""
    records = SumOfBytes()
    frontier = open_frontier(records=records)
    frontier.add([offer(f"{host}/{n}", record=bytes([n])) for host in "abcd" for n in range(1, 31)])
    records.factor = 10.0
    assert frontier.rescore(8) == 8
    assert drain(frontier)[:8] == ["a/30", "b/30", "c/30", "d/30", "a/29", "b/29", "c/29", "d/29"]


def test_what_something_was_learned_of_is_scored_again_where_it_waits(open_frontier: Open) -> None:
    """What waits moves; what is unknown, taken or done, or has no record, stays as it is."""
    records = SumOfBytes()
    frontier = open_frontier(records=records)
    frontier.add([offer("a/1", record=b"\x09"), offer("b/1", record=b"\x02"), offer("b/2", record=b"\x03")])
    frontier.add([offer("c/1", 2.5)])
    taken = take(frontier)
    records.factor = 2.0
    frontier.touch([key("a/1"), key("b/1"), key("c/1"), key("d/1")])
    assert frontier.find(key("b/1")).link.priority == 4.0  # type: ignore[union-attr]
    frontier.done(taken, Outcome(rest_until=0.0))
    assert drain(frontier) == ["b/1", "b/2", "c/1"]


def test_what_has_fallen_behind_does_not_go_first(open_frontier: Open) -> None:
    """A URL is scored once more when its turn has come: the next best goes where it is better now."""
    records = SumOfBytes()
    frontier = open_frontier(records=records)
    frontier.add([offer("a/1", record=b"\x09"), offer("a/2", record=b"\x08"), offer("b/1", 5.0)])
    records.factor = 0.5
    assert drain(frontier) == ["b/1", "a/1", "a/2"]


def test_the_record_of_a_url_that_is_offered_anew_begins_anew(open_frontier: Open) -> None:
    """When everything is judged again, the links to a URL are all offered again: they must not count twice."""
    frontier = open_frontier(records=SumOfBytes())
    found = [offer("a/1", record=b"\x01", parent=7), offer("a/1", record=b"\x02", parent=8)]
    frontier.add(found)
    frontier.begin_rescoring()
    frontier.add(found)
    frontier.end_rescoring()
    assert take(frontier).record == b"\x01\x02"


def test_what_several_pages_say_of_a_url_is_scored_once(open_frontier: Open) -> None:
    """By what is known when the last of them has been heard; what was touched and has moved is stored, too."""
    records = SumOfBytes()
    frontier = open_frontier(records=records)
    frontier.add([offer("c/1", record=b"\x02")])
    with mock.patch.object(records, "scored", wraps=records.scored) as scored, frontier.together():
        frontier.add([offer("a/1", record=b"\x01"), offer("b/1", record=b"\x02")])
        records.factor = 10.0
        frontier.add([offer("a/1", record=b"\x03")])
        frontier.touch([key("a/1"), key("c/1")])
    assert scored.call_count == 1
    found = [frontier.find(key(name)) for name in ("a/1", "b/1", "c/1")]
    assert [each and each.link.priority for each in found] == [40.0, 20.0, 20.0]
    assert drain(frontier) == ["a/1", "c/1", "b/1"]


def test_a_record_beyond_its_bound_is_refused(open_frontier: Open) -> None:
    """Every waiting URL has one: a strategy that lets it grow is told."""
    frontier = open_frontier(records=SumOfBytes())
    with pytest.raises(ValueError, match="at most 128"):
        frontier.add([offer("a/1", record=b"x" * 129)])


def test_a_site_that_has_had_its_share_goes_after_the_others(open_frontier: Open) -> None:
    """With each share that it has used up its URLs count half; nothing is lost, and what stands alone goes on."""
    frontier = open_frontier(site_share=2)
    frontier.add([offer(f"a/{page}", 0.8) for page in range(6)])
    frontier.add([offer("b/1", 0.7), offer("b/2", 0.5), offer("b/3", 0.3)])
    assert drain(frontier) == ["a/0", "a/1", "b/1", "b/2", "a/2", "a/3", "a/4", "a/5", "b/3"]


def test_a_site_that_was_named_has_no_share(open_frontier: Open) -> None:
    """The user's own seeds are on it."""
    frontier = open_frontier(site_share=1, named=frozenset({"a.example"}))
    frontier.add([offer(f"a/{page}", 0.8) for page in range(3)])
    frontier.add([offer("b/1", 0.7), offer("b/2", 0.7)])
    assert drain(frontier) == ["a/0", "a/1", "a/2", "b/1", "b/2"]
