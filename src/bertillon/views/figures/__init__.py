"""Charts of every finding, before they are drawn.

Holds `axis` and `chart` (what a chart is made of), `compose` (curves to panels, panels to charts) and `registry` (which
charts a finding has); a module a subject: `errors` (ROC and DET), `distribution` and `scores`, `searches`, `decisions`,
`class_curves` and `class_tables` of classifiers. Those of groups, samples and attacks stand with the rest of what is
shown of them.
"""
