"""Results as what is shown of them: coordinates of figures, sections of the page, vocabulary and number formats."""
