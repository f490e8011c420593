"""Mail between shards: whatever happens on the way, every link is taken in once, and kept until it is."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, multiple, rule

from lycosa.collection.shards.mail import Mail, Parcel
from lycosa.urls import key_of
from lycosa.values import Link


def link(number: int) -> Link:
    url = f"http://a.test/{number}"
    return Link(url, key_of(url), anchor=f"link {number}", priority=number / 7, record=b"known")


def mail() -> Mail:
    return Mail(sqlite3.connect(":memory:", isolation_level=None))


def first_parcel(box: Mail, limit: int) -> Parcel:
    parcel = box.parcel(0, 1, limit)
    assert parcel is not None
    return parcel


def test_what_was_sent_waits_until_it_is_confirmed():
    sender, receiver = mail(), mail()
    sender.send(1, [link(number) for number in range(5)])
    parcel = first_parcel(sender, 3)
    assert receiver.take_in(parcel) == [link(0), link(1), link(2)]
    assert sender.parcel(0, 1, 3) == parcel
    sender.confirmed(1, receiver.taken_in[0])
    assert receiver.take_in(first_parcel(sender, 3)) == [link(3), link(4)]
    sender.confirmed(1, receiver.taken_in[0])
    assert sender.parcel(0, 1, 3) is None


def test_numbers_go_on_after_a_restart():
    """An empty outbox does not begin at 1 again: the receiver would take new links for old ones."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    sender, receiver = Mail(connection), mail()
    sender.send(1, [link(0)])
    receiver.take_in(first_parcel(sender, 9))
    sender.confirmed(1, 1)
    again = Mail(connection)
    again.send(1, [link(1)])
    assert receiver.take_in(first_parcel(again, 9)) == [link(1)]


def test_text_that_no_encoding_can_hold_is_mended():
    box = mail()
    box.send(1, [Link("http://a.test/", 1, anchor="a\ud800b")])
    assert mail().take_in(first_parcel(box, 1))[0].anchor == "a?b"


@given(st.integers(0, 5), st.integers(1, 9), st.integers(1, 9))
def test_a_parcel_with_a_gap_before_it_is_left(known, first, count):
    """Only what follows on what is known is taken in; of a parcel that overlaps, only the new part."""
    box = mail()
    if known:
        box.take_in(Parcel(3, 0, 1, _packed(range(1, known + 1))))
    new = box.take_in(Parcel(3, 0, first, _packed(range(first, first + count))))
    expected = [] if first > known + 1 else list(range(max(known + 1, first), first + count))
    assert [int(one.url.rpartition("/")[2]) for one in new] == expected


def _packed(numbers: range) -> tuple[bytes, ...]:
    box = mail()
    box.send(0, [link(number) for number in numbers])
    parcel = box.parcel(9, 0, 99)
    return parcel.links if parcel else ()


class Post(RuleBasedStateMachine):
    """Three shards that send to one another over a post that loses, doubles, keeps and reorders parcels.

    A crash takes a shard back to its last commit. What was applied is noted in the same transaction as the number.
    """

    parcels = Bundle("parcels")
    confirmations = Bundle("confirmations")

    @initialize()
    def open(self):
        self.databases = [sqlite3.connect(":memory:", isolation_level=None) for _ in range(3)]
        self.boxes = [Mail(database) for database in self.databases]
        for database in self.databases:
            database.execute("CREATE TABLE taken (sender INTEGER, url TEXT)")
        self.sent: dict[tuple[int, int], list[str]] = {}
        self.count = 0

    @rule(sender=st.integers(0, 2), receiver=st.integers(0, 2), links=st.integers(1, 4), dies=st.booleans())
    def find_links(self, sender, receiver, links, dies):
        if sender == receiver:
            return
        found = [link(self.count + number) for number in range(links)]
        self.count += links
        database = self.databases[sender]
        database.execute("BEGIN")
        self.boxes[sender].send(receiver, found)
        if dies:
            database.execute("ROLLBACK")
            self.boxes[sender] = Mail(database)
            return
        database.execute("COMMIT")
        self.sent.setdefault((sender, receiver), []).extend(one.url for one in found)

    @rule(target=parcels, sender=st.integers(0, 2), receiver=st.integers(0, 2), limit=st.integers(1, 5))
    def dispatch(self, sender, receiver, limit):
        parcel = self.boxes[sender].parcel(sender, receiver, limit)
        return parcel if parcel else multiple()

    @rule(target=confirmations, parcel=parcels, dies=st.booleans())
    def deliver(self, parcel, dies):
        """A parcel arrives; it stays in the bundle, so that it may arrive again at any time, or never."""
        database = self.databases[parcel.receiver]
        database.execute("BEGIN")
        box = self.boxes[parcel.receiver]
        for one in box.take_in(parcel):
            database.execute("INSERT INTO taken VALUES (?, ?)", (parcel.sender, one.url))
        if dies:
            database.execute("ROLLBACK")
            self.boxes[parcel.receiver] = Mail(database)
            return multiple()
        database.execute("COMMIT")
        return parcel.sender, parcel.receiver, box.taken_in.get(parcel.sender, 0)

    @rule(confirmation=confirmations)
    def confirm(self, confirmation):
        sender, receiver, number = confirmation
        self.boxes[sender].confirmed(receiver, number)

    def teardown(self):
        """The post works again: everything arrives, in order, once."""
        for (sender, receiver), urls in self.sent.items():
            while parcel := self.boxes[sender].parcel(sender, receiver, 3):
                self.deliver_at_last(parcel)
            rows = self.databases[receiver].execute("SELECT url FROM taken WHERE sender = ?", (sender,))
            assert [url for (url,) in rows] == urls

    def deliver_at_last(self, parcel):
        database, box = self.databases[parcel.receiver], self.boxes[parcel.receiver]
        for one in box.take_in(parcel):
            database.execute("INSERT INTO taken VALUES (?, ?)", (parcel.sender, one.url))
        self.boxes[parcel.sender].confirmed(parcel.receiver, box.taken_in[parcel.sender])


TestPost = pytest.mark.filterwarnings("ignore")(Post.TestCase)
Post.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
