"""The real cores in a world that stands still: what is under way waits until somebody lets it go on, step by step.

Messages, time-outs and the processes that Hadoop runs in threads of their own are held back one by one. So a protocol
can be asked for one step at a time, in any order that a network and a scheduler may bring about, without a second
implementation of it. Not here: what the cores do, and chance, of which there is none.
"""
