"""One crawl by several shards: on this machine, or on those of a Ray cluster.

A shard is the engine with a collection of its own, which owns the sources that `division` gives it. Links to the sources of
other shards leave with the page's own commit (`store.mail`) and are taken in once, however often they are sent. The truth
is in the shards' databases; whoever carries messages (`exchange`: in this process, or Ray) may lose, double and delay them.
"""
