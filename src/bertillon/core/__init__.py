"""What every other room builds on: the accept rule, errors, whole files, registries, spelling and escaping."""
