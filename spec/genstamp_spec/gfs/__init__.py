"""The Google File System, the parent of HDFS: leases of chunks, and what they keep in order.

Written from the paper (Ghemawat, Gobioff, Leung: The Google File System, SOSP 2003); "section" is one of its sections.
"""
