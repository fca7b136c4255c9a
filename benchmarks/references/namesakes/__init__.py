"""Different works that have one title: is one of them called wrong because a bibliography has the other?"""
