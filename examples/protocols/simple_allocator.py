"""Clients share resources: a client asks for some, gets them in any portions, and gives them back in any portions.

After SimpleAllocator of the TLA+ Examples: 400 distinct states for three clients and two resources.
"""

from genstamp_model.language import *


class Client(Index, symmetric=True):
    """Uses resources."""


class Resource(Index, symmetric=True):
    """Is allocated to one client at a time."""


class SimpleAllocator(Part):
    """The allocator, and what clients have asked of it."""

    unsatisfied = per(Client, members(Resource))
    allocated = per(Client, members(Resource))

    @action
    def request(s, client: Client, wanted: Members[Resource]) -> None:
        """A client that has nothing, and waits for nothing, asks for some resources."""
        require(s.unsatisfied[client].is_empty() & s.allocated[client].is_empty(), "it has and wants nothing")
        require(~wanted.is_empty(), "it asks for something")
        s.unsatisfied[client] = wanted

    @action
    def allocate(s, client: Client, given: Members[Resource]) -> None:
        """The allocator gives a client some of the resources that it has asked for."""
        require(~given.is_empty() & (given <= s.unsatisfied[client]), "they are asked for")
        require(forall(Client, lambda other: (given & s.allocated[other]).is_empty()), "they are free")
        s.allocated[client] = s.allocated[client] | given
        s.unsatisfied[client] = s.unsatisfied[client] - given

    @action
    def give_back(s, client: Client, returned: Members[Resource]) -> None:
        """A client gives some of its resources back."""
        require(~returned.is_empty() & (returned <= s.allocated[client]), "it has them")
        s.allocated[client] = s.allocated[client] - returned

    @invariant(inductive=True)
    def resources_are_exclusive(s, resource: Resource) -> Bool:
        """No two clients have one resource."""
        return count(Client, lambda client: s.allocated[client].has(resource)) <= 1

    @leads_to(fair=("give_back",), strongly_fair=("allocate",))
    def requests_are_met(s, client: Client, resource: Resource) -> tuple[Bool, Bool]:
        """A client that waits for a resource gets it, if clients give back and the allocator is fair to all."""
        return s.unsatisfied[client].has(resource), s.allocated[client].has(resource)


SIMPLE_ALLOCATOR = System(
    "simple_allocator",
    parts=[SimpleAllocator],
    configurations=[Configuration("published", sizes={"Client": 3, "Resource": 2})],
)
