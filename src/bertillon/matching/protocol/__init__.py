"""Who trains, who is enrolled, who probes, and what is compared with what.

Conventions: a protocol never looks at a template, only at who owns it and under which conditions it was taken. It is
a value that can be written down, read back and said in words before anything is compared, and it is repeatable from
one seed. Rows of a matrix are probes, columns the gallery. P_G are the probes of enrolled people, P_N those of people
left out of the gallery; P is both together.
"""
