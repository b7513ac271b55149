"""FINCH in the objects of other packages, none of which is imported before it is used."""
