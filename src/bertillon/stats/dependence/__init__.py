"""Error rates of trials that share people: errors come in clusters, and trials are worth fewer than they are.

Conventions: a mated comparison belongs to one person, a non-mated one to two; trials are worth n_eff independent ones.

    shared_people    which people, how often, and the variance that comes of it (Fogliato, Patil and Perona)
    dependent_rate   the interval of such a rate: `DependentRate`
    counted_people   the same of comparisons that were counted and not kept
    correlation      how much errors go together when scores do, and what that costs: the design effect
    annex_b          the variance as the annex of ISO/IEC 19795-1 has it
"""
