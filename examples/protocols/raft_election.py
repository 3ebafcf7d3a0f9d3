"""Raft's leader election: terms, votes, crashes. A server writes its term and its vote to disk before it answers.

After Ongaro and Ousterhout, "In Search of an Understandable Consensus Algorithm" (2014), without logs. Messages are
never lost and may be received late and again, so they are kept by term and sender: arrays are proved much faster than
bags. `tests/model/protocols_by_hand.py` counts the same states.
"""

import enum
from typing import Self

from genstamp_model.language import *


class Server(Index, symmetric=True):
    """Votes, and stands for election."""


class Term(Index, ordered=True):
    """Terms are taken in order; nobody is elected in the first one, in which all begin."""


class Role(enum.Enum):
    FOLLOWER = enum.auto()
    CANDIDATE = enum.auto()
    LEADER = enum.auto()


class RaftElection(Part):
    """The servers, the messages on their way, and who was ever elected."""

    term = per(Server, reference(Term))
    voted_for = per(Server, optional(Server))
    role = per(Server, enumeration(Role))
    votes = per(Server, members(Server))
    requests = per(Term, members(Server))
    answers = per(Term, per(Server, members(Server)))  # by term and voter
    elected = per(Term, members(Server))  # a history variable

    def has_majority(s, candidate: Server) -> Bool:
        return s.votes[candidate].size() * 2 > count(Server, lambda server: True)

    @action
    def stand(s, server: Server, term: Term) -> None:
        """A server that has not heard of a leader for a while begins a term, and votes for itself."""
        require(s.role[server] != Role.LEADER, "it does not lead")
        require(term == s.term[server].next(), "it is the next term")
        s.term[server] = term
        s.role[server] = Role.CANDIDATE
        s.voted_for[server] = server
        s.votes[server] = those(Server, lambda other: other == server)
        s.answers[term][server].add(server)
        s.requests[term].add(server)

    @action
    def vote(s, server: Server, candidate: Server, term: Term) -> None:
        """A server receives a request and grants its vote."""
        require((server != candidate) & s.requests[term].has(candidate), "another server asks for it")
        is_newer = s.term[server].before(term)
        is_free = s.voted_for[server].is_none() | (s.voted_for[server] == candidate)
        require(is_newer | ((s.term[server] == term) & is_free), "it has not voted for another one in this term")
        s.role[server] = when(is_newer, Role.FOLLOWER, s.role[server])
        s.term[server] = term
        s.voted_for[server] = candidate
        s.answers[term][server].add(candidate)

    @action
    def receive_vote(s, server: Server, voter: Server) -> None:
        """A candidate counts a vote of its term."""
        require(s.role[server] == Role.CANDIDATE, "it is a candidate")
        require(s.answers[s.term[server]][voter].has(server), "the vote is for it, in its term")
        s.votes[server].add(voter)

    @action
    def become_leader(s, server: Server) -> None:
        """A candidate has the votes of a majority."""
        require((s.role[server] == Role.CANDIDATE) & s.has_majority(server), "a majority has voted for it")
        s.role[server] = Role.LEADER
        s.elected[s.term[server]].add(server)

    @action
    def restart(s, server: Server) -> None:
        """A server crashes and comes back: term and vote are on its disk, all else is lost."""
        s.role[server] = Role.FOLLOWER
        s.votes[server].clear()

    @invariant
    def one_leader_a_term(s, term: Term) -> Bool:
        """Election safety."""
        return s.elected[term].size() <= 1

    @transition
    def terms_never_fall(s, t: Self, server: Server) -> Bool:
        """A restart does not take a server back to an earlier term."""
        return ~t.term[server].before(s.term[server])

    @witness
    def a_leader_is_replaced(s, server: Server) -> Bool:
        """Another server than the one before it leads."""
        now = s.term[server]
        is_other = exists(Term, lambda term: term.before(now) & ~(s.elected[term] <= s.elected[now]))
        return (s.role[server] == Role.LEADER) & is_other

    @leads_to(fair=("become_leader",))
    def a_majority_is_used(s, server: Server) -> tuple[Bool, Bool]:
        """Whoever has a majority leads, unless it stands again, restarts or hears of a later term.

        That somebody is elected does not follow: votes can be split in every term. Raft makes that unlikely by timeouts
        drawn at random.
        """
        wins = (s.role[server] == Role.CANDIDATE) & s.has_majority(server)
        return wins, ~wins


class Proof(RaftElection):
    """Why there is one leader a term: every property here is kept by each step, given those that it names."""

    @invariant(inductive=True, given=("elected_by_majority", "one_vote_a_term", "votes_were_cast"))
    def one_leader_a_term(s, term: Term) -> Bool:
        """Election safety."""
        return s.elected[term].size() <= 1

    @invariant(inductive=True, given=("votes_were_cast",))
    def elected_by_majority(s, term: Term, leader: Server) -> Bool:
        """A majority has voted for each leader."""
        voters = count(Server, lambda voter: s.answers[term][voter].has(leader))
        return s.elected[term].has(leader).implies(voters * 2 > count(Server, lambda server: True))

    @invariant(inductive=True)
    def votes_were_cast(s, server: Server, voter: Server) -> Bool:
        """A candidate counts only votes of its term."""
        return (
            s.votes[server]
            .has(voter)
            .implies((s.role[server] == Role.FOLLOWER) | s.answers[s.term[server]][voter].has(server))
        )

    @invariant(inductive=True, given=("votes_are_remembered",))
    def one_vote_a_term(s, term: Term, voter: Server) -> Bool:
        """Nobody votes for two servers in one term."""
        return s.answers[term][voter].size() <= 1

    @invariant(inductive=True)
    def votes_are_remembered(s, term: Term, voter: Server, candidate: Server) -> Bool:
        """A voter knows its vote until it goes on to a later term."""
        is_latest = (s.term[voter] == term) & (s.voted_for[voter] == candidate)
        return s.answers[term][voter].has(candidate).implies(term.before(s.term[voter]) | is_latest)


class VoteInMemory(RaftElection):
    """A server that keeps its vote in memory only."""

    @action
    def restart(s, server: Server) -> None:
        """A server crashes and comes back with its term, but without its vote."""
        s.role[server] = Role.FOLLOWER
        s.votes[server].clear()
        s.voted_for[server] = none


RAFT_ELECTION = System(
    "raft_election",
    parts=[RaftElection],
    configurations=[
        Configuration("two", sizes={"Server": 2, "Term": 3}, doc="two servers, two elections each"),
        Configuration("three", sizes={"Server": 3, "Term": 3}, doc="three servers, two elections each"),
    ],
    bugs=[
        Bug(
            "vote-not-persisted",
            "a restart forgets the vote",
            parts=(VoteInMemory,),
            breaks=("one_leader_a_term",),
            configuration="three",
            depth=9,
        )
    ],
)

RAFT_ELECTION_PROOF = System("raft_election_proof", parts=[Proof], configurations=RAFT_ELECTION.configurations)
