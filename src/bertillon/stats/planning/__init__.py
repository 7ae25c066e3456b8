"""How large a test must be, before it is made.

Conventions: trials that share people are worth fewer than independent ones, so it is people that are counted.

    sizes       people and trials by formula: `plan_test` with its `Aim`, `Design`, `Size` and `Plan`
    simulated   a planned test made many times on simulated people: `try_plan`
"""
