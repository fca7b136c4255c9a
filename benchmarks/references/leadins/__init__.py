"""References behind a lead-in ("See", "Voir", "Siehe"), and authors under other forms of their names: is one of them called wrong?"""
