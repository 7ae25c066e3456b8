"""What the numbers mean in use: which threshold to choose, what it costs, and what to do with probabilities.

Conventions: nothing is counted here that a curve or a measure does not know; thresholds are in the user's units.

    development           a threshold chosen on development scores and judged on others; the expected performance curve
    in_use                expected errors among so many attempts; the best threshold over ranges of costs and priors;
                          the five operating regions of a watch list, and the load of a day
    budgets               the threshold for so many false alarms, hours or costs a day
    gallery_size          false alarms, misses and thresholds by the number of people enrolled, and beyond it
    transactions          several attempts until one is accepted: FAR, FRR and IAPAR of up to k attempts
    enrolment             several samples at enrolment: best score, mean score and pooled embedding, compared
    leads                 which of two systems has the lower FNMR, and at which FMR
    attacks               attacks by species: IAPAR of a system at a threshold; APCER and BPCER of an attack detector
    response_reliability  which answers of a search can be relied on: System Response Reliability
    discard               the error left as comparisons of low quality are discarded
    menagerie             goats, lambs, wolves and others, from what each person's comparisons gave
    group_rates           error rates by group of people, and how far apart groups are; from `group_parts`, their trials
    conditions            any measure under each condition of the trials, and between conditions
    schemes               the verdict of a scheme of certification; from `scheme_rules`, its requirements as data
    fairness              indices of how unequal groups are; `search_groups`: FPIR and FNIR by group
    decisions             Bayes decisions, the reject option, other priors; weights for unequal classes or costs
    decision_rules        how scores and probabilities become decisions; a classifier's threshold under a constraint
    calibration           calibrators fitted on predictions and applied to others, before and after, and as files
    calibrators           one class a kind
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
