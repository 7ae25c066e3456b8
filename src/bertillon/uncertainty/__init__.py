"""How sure the numbers are: intervals for one system, tests between several, and the size a test needs."""
